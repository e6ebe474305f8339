/** The lines by which a terminal is told what a load deletes and changes. */
import { grouped } from "../../base/counted.js";
import type { LoadSummary } from "../../load/pipeline/load.js";
import type { RecordDifference } from "../../validate/results.js";
import { shortened } from "../main/terminal.js";

/** The terminal shows at most so many deletions, changes and IRIs that come back as something else. */
export const MAX_SHOWN = 1000;

/** The lines that say which records a load deletes. */
export class DeletionLines {
  readonly #iris: string[] = [];

  constructor(readonly out: { write(text: string): unknown }) {}

  add(iri: string): void {
    if (this.#iris.length < MAX_SHOWN) this.#iris.push(iri);
  }

  write({ deletions, unpublished }: LoadSummary): void {
    const word = unpublished === null ? "deleted" : "would be deleted";
    for (const iri of this.#iris) this.out.write(`${word}: <${iri}>\n`);
    const left = deletions - this.#iris.length;
    if (left > 0) this.out.write(`... and ${grouped(left)} more: --report FILE lists them all\n`);
  }
}

/** The lines that say which records a load changes: all that differ when that was asked for, or why a limit stopped it. */
export class DifferenceLines {
  readonly #lines: string[] = [];
  #changes = 0;

  constructor(
    readonly out: { write(text: string): unknown },
    readonly isAsked: boolean,
  ) {}

  add({ iri, kind, differences }: RecordDifference): void {
    this.#changes++;
    if (this.#lines.length >= MAX_SHOWN) return;
    const places = differences.map(
      ({ property, before, after }) =>
        `  ${property}: ${shortened(JSON.stringify(before))} -> ${shortened(JSON.stringify(after))}\n`,
    );
    this.#lines.push(`${kind}: <${iri}>\n${places.join("")}`);
  }

  write({ unpublished }: LoadSummary): void {
    if (!this.isAsked && unpublished !== "too many changed") return;
    for (const line of this.#lines) this.out.write(line);
    const left = this.#changes - this.#lines.length;
    if (left > 0) this.out.write(`... and ${grouped(left)} more changes: --report FILE lists them all\n`);
  }
}
