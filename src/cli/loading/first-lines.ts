/** The first of the lines by which a terminal is told of many things, and how many there are besides. */
import { grouped } from "../../base/counted.js";
import { shortened } from "../../base/shortened.js";
import type { RecordDifference } from "../../validate/results.js";

/** The terminal shows at most so many violations, deletions, changes and IRIs that come back as something else. */
export const MAX_SHOWN = 1000;

export class FirstLines {
  readonly #lines: string[] = [];
  #added = 0;

  /** @param line what is told; it is made only where it is shown */
  add(line: () => string): void {
    if (this.#added++ < MAX_SHOWN) this.#lines.push(line());
  }

  /** @param things what they are, in the line about those that are not shown @param begin of each line @param all how many there are */
  write(out: { write(text: string): unknown }, things = "", begin = "", all = this.#added): void {
    for (const line of this.#lines) out.write(`${begin}${line}\n`);
    const left = all - this.#lines.length;
    if (left > 0) out.write(`... and ${grouped(left)} more${things}: --report FILE lists all\n`);
  }
}

/** A record that a load changes, with what differs. */
export function differenceLines({ iri, kind, differences }: RecordDifference): string {
  const places = differences.map(
    ({ property, before, after }) =>
      `\n  ${property}: ${shortened(JSON.stringify(before))} -> ${shortened(JSON.stringify(after))}`,
  );
  return `${kind}: <${iri}>${places.join("")}`;
}
