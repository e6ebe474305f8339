/** Records and their headers as OAI-PMH lists them, in the order of their last changes. */
import { xmlElement, xmlText } from "../../../base/xml.js";
import type { ChangeSelection } from "../../../store/changes.js";
import type { StoreWith } from "../../../store/store.js";
import type { Addresses } from "../../entity/addresses.js";
import { afterReading, isLarge } from "../../entity/large.js";
import type { RenderContext } from "../../representations/representation.js";
import { type Current, currentChanges } from "./current-changes.js";
import type { MetadataFormat } from "./formats.js";
import { OaiError, type Position, packed, stamp } from "./request.js";
import { membershipsOf, selectionOf, specOf } from "./sets.js";

const PAGE = 100;

export class RecordLists {
  readonly #context: RenderContext;

  constructor(
    readonly store: StoreWith<"changes">,
    addresses: Addresses,
  ) {
    this.#context = { store, addresses, languages: [] };
  }

  /** A record by its identifier. Throws `OaiError`: idDoesNotExist. */
  async current(identifier: string): Promise<Current> {
    const found = await this.store.find(identifier);
    const sequence = found?.sequence ?? (await this.store.tombstone(identifier))?.sequence;
    const [change] = sequence === undefined ? [] : await this.store.changes.page({ after: sequence - 1, limit: 1 });
    if (change !== undefined && change.iri === identifier) return { change, found };
    throw new OaiError("idDoesNotExist", `There is no record ${identifier}`);
  }

  /**
   * Part of a list from a position on, piece by piece, with the token for the next part where there is one; nothing where nothing is in it.
   * @param write gives a record, or its header, as XML
   */
  async *after(
    position: Position,
    { only }: MetadataFormat,
    write: (current: Current) => Promise<string | undefined>,
  ): AsyncGenerator<string> {
    const selection = selected(position.set, only);
    if (selection === undefined) return;
    let given = 0;
    let last = position.after;
    for await (const current of currentChanges(this.store, { ...position, selection })) {
      const { endpoint, sequence } = current.change;
      if (only !== undefined && endpoint !== only) continue;
      if (selection.set !== undefined && !(await this.#isIn(current, selection.set))) continue;
      const written = await write(current);
      if (written === undefined) continue;
      if (given === PAGE) {
        const token = packed({ ...position, after: last, given: position.given + given });
        yield `\n${xmlElement("resumptionToken", { cursor: String(position.given) }, token)}`;
        return;
      }
      yield given++ === 0 ? written : `\n${written}`;
      last = sequence;
    }
    // The last part of a list has an empty token (3.5).
    if (given > 0 && position.given > 0) {
      yield `\n${xmlElement("resumptionToken", { cursor: String(position.given) })}`;
    }
  }

  /** A record that left a Set is no more in it, and is not deleted either. */
  async #isIn({ found }: Current, set: string): Promise<boolean> {
    return found === undefined || membershipsOf((await found.record()).graph).includes(set);
  }

  /** A record in a format, or its header where it is deleted; `undefined` where the format cannot express it. */
  async record(current: Current, { only, write }: MetadataFormat): Promise<string | undefined> {
    const { found, change } = current;
    if (only !== undefined && change.endpoint !== only) return undefined;
    const header = await this.header(current);
    if (found === undefined) return xmlElement("record", {}, header);
    const metadata = await write(await found.record(), this.#context);
    // After a large record, others have their turns.
    if (isLarge(found)) await afterReading();
    return metadata && xmlElement("record", {}, `${header}\n${xmlElement("metadata", {}, `\n${metadata}\n`)}`);
  }

  /** A record's header (2.5). */
  async header({ change, found }: Current): Promise<string> {
    const { iri, time, endpoint } = change;
    const source = await this.store.changes.sourceOf(iri);
    const sets: string[] = [];
    // ListSets names those that have a record.
    for (const set of found === undefined ? [] : membershipsOf((await found.record()).graph)) {
      if ((await this.store.find(set))?.meta.endpoint === "set") sets.push(set);
    }
    const specs = [
      ...(endpoint === null ? [] : [specOf("kind", endpoint)]),
      ...(source == null ? [] : [specOf("source", source)]),
      ...sets.map((set) => specOf("set", set)),
    ];
    const content = [
      xmlElement("identifier", {}, xmlText(iri)),
      xmlElement("datestamp", {}, stamp(found?.modified ?? time)),
      ...specs.map((spec) => xmlElement("setSpec", {}, xmlText(spec))),
    ];
    return xmlElement("header", { status: found === undefined ? "deleted" : undefined }, content.join(""));
  }
}

/** The selection for a set and a format; `undefined` where nothing can be in both. */
function selected(set: string | undefined, only: MetadataFormat["only"]): ChangeSelection | undefined {
  const selection = set === undefined ? {} : selectionOf(set);
  if (selection === undefined || only === undefined || selection.set !== undefined) return selection;
  return selection.endpoint === undefined || selection.endpoint === only ? { ...selection, endpoint: only } : undefined;
}
