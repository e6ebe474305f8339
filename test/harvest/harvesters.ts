/** Two harvesters as others write them: LUX's, and one made only from the IIIF specification. Each keeps documents by IRI. */

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

/** A function that fetches a document, or gives `undefined` if there is none. It follows redirects, as `requests` and browsers do. */
export type Ask = (url: string) => Promise<unknown>;

export interface Harvester {
  /** The harvested documents, as JSON by IRI. */
  readonly copy: ReadonlyMap<string, string>;
  /** Visit the stream. After an error the next visit starts from the same place. */
  visit(): Promise<void>;
}

function idOf(document: unknown): string | undefined {
  return typeof document === "object" && document !== null && "id" in document ? String(document.id) : undefined;
}

/**
 * The harvester of LUX (Yale): it reads `last`, then `prev`; skips items without an `endTime`; compares times as strings; looks at each
 * record once; and fetches everything that is not a deletion.
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
        // A moved IRI redirects to the document of another record.
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
