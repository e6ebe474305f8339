/** Two harvesters that others wrote or would write: LUX's, and one made of the IIIF specification alone. Each keeps a copy by IRI. */

interface Activity {
  readonly type?: string;
  readonly object?: { readonly id?: string };
  readonly target?: { readonly id?: string };
  readonly endTime?: string;
}
interface CollectionPage {
  readonly prev?: { readonly id: string };
  readonly orderedItems: Activity[];
}

/** Asks for a document; `undefined` where there is none. Redirections are followed, as `requests` and browsers do. */
export type Ask = (url: string) => Promise<unknown>;

export interface Harvester {
  /** The documents that it has, as JSON by IRI. */
  readonly copy: ReadonlyMap<string, string>;
  /** Visit the stream. What it throws leaves it where it was. */
  visit(): Promise<void>;
}

function idOf(document: unknown): string | undefined {
  return typeof document === "object" && document !== null && "id" in document ? String(document.id) : undefined;
}

/**
 * What the harvester of LUX (Yale) does: `last`, then `prev`; items without an `endTime` are skipped; times are compared as strings; what was
 * seen once is not looked at again; anything but a deletion is fetched.
 */
export class LuxHarvester implements Harvester {
  readonly copy = new Map<string, string>();
  #lastHarvest = "0001-01-01T00:00:00";

  constructor(
    readonly collection: string,
    readonly ask: Ask,
  ) {}

  async visit(): Promise<void> {
    const seen = new Set<string>();
    let newest = this.#lastHarvest;
    const { last } = (await this.ask(this.collection)) as { last: { id: string } };
    let url: string | undefined = last.id;
    while (url !== undefined) {
      const page = (await this.ask(url)) as CollectionPage;
      url = page.prev?.id;
      for (const item of page.orderedItems.toReversed()) {
        if (typeof item.endTime !== "string") continue;
        if (item.endTime < this.#lastHarvest) {
          url = undefined;
          break;
        }
        if (item.endTime > newest) newest = item.endTime;
        const iri = item.object!.id!;
        if (seen.has(iri)) continue;
        seen.add(iri);
        const document = item.type!.toLowerCase() === "delete" ? undefined : await this.ask(iri);
        // What a moved IRI leads to is the document of another.
        if (idOf(document) === iri) this.copy.set(iri, JSON.stringify(document));
        else this.copy.delete(iri);
      }
    }
    this.#lastHarvest = newest;
  }
}

/** The algorithm of the IIIF Change Discovery API 1.0, 3.5.1 to 3.5.3. */
export class IiifHarvester implements Harvester {
  readonly copy = new Map<string, string>();
  #lastCrawl: number | null = null;

  constructor(
    readonly collection: string,
    readonly ask: Ask,
  ) {}

  async visit(): Promise<void> {
    const processed = new Set<string>();
    let onlyDelete = false;
    let newest = this.#lastCrawl;
    const { last } = (await this.ask(this.collection)) as { last: { id: string } };
    let url: string | undefined = last.id;
    walk: while (url !== undefined) {
      const page = (await this.ask(url)) as CollectionPage;
      for (const activity of page.orderedItems.toReversed()) {
        const time = Date.parse(activity.endTime ?? "");
        if (this.#lastCrawl !== null && time < this.#lastCrawl) break walk;
        if (activity.type === "Refresh") {
          if (this.#lastCrawl === null) break walk;
          onlyDelete = true;
          continue;
        }
        newest = Math.max(newest ?? 0, time);
        const iri = activity.object!.id!;
        if (processed.has(iri)) continue;
        processed.add(iri);
        if (activity.type === "Delete") this.copy.delete(iri);
        else if (onlyDelete) continue;
        else if (activity.type === "Move") {
          this.copy.delete(iri);
          const target = activity.target!.id!;
          if (!processed.has(target)) await this.#include(target);
        } else await this.#include(iri);
      }
      url = page.prev?.id;
    }
    this.#lastCrawl = newest;
  }

  async #include(iri: string): Promise<void> {
    const document = await this.ask(iri);
    if (idOf(document) === iri) this.copy.set(iri, JSON.stringify(document));
    else this.copy.delete(iri);
  }
}
