/** The records that a change stream names, fetched one by one. */
import { jsonIn } from "../../base/json.js";
import { isJsonObject, type Json } from "../../rdf/record-graph.js";
import { BusyError, type Client } from "./client.js";
import type { ResourceChange } from "./stream.js";

/** The new state of a resource, in the form in which a load takes it. */
export type FetchedRecord =
  | { readonly kind: "document"; readonly iri: string; readonly text: string }
  | { readonly kind: "deletion"; readonly iri: string; readonly movedTo?: string }
  | {
      readonly kind: "problem";
      readonly iri: string;
      readonly problem: string;
      /** The change to try again next time, if the problem may be temporary. */
      readonly again?: ResourceChange;
    };

/** The profiles of other vocabularies and forms. The model's own representation is preferred to these. */
const FOREIGN_PROFILE = /schema\.org|#expanded|#flattened/;

/** The current state of a changed resource. One that is gone is a deletion, even if the stream says otherwise. Throws `FollowError`. */
export async function fetchRecord(
  client: Client,
  change: ResourceChange,
  contextUri: string,
): Promise<readonly FetchedRecord[]> {
  const { iri, kind, target } = change;
  if (kind === "remove") return [{ kind: "deletion", iri }];
  try {
    const found = await documentOf(client, change, target ?? iri, contextUri);
    if (target === undefined) return [found];
    return [{ kind: "deletion", iri, movedTo: target }, ...(found.kind === "deletion" ? [] : [found])];
  } catch (error) {
    if (!(error instanceof BusyError)) throw error;
    const problem = `${error.message}; it is requested again next time`;
    return [{ kind: "problem", iri, problem, again: change }];
  }
}

/** The document from the first address that has it: the one that the stream gives for JSON-LD, or its IRI. An address that ends in a suffix may be another record's. */
async function documentOf(
  client: Client,
  { seeAlso }: ResourceChange,
  iri: string,
  contextUri: string,
): Promise<FetchedRecord> {
  const documents = seeAlso.filter(
    ({ id, format, profile }) =>
      /^application\/(?:ld\+)?json\b/.test(format) && !FOREIGN_PROFILE.test(profile + format) && client.mayAsk(id),
  );
  let found: FetchedRecord = {
    kind: "problem",
    iri,
    problem: "is on a host other than the followed one, which names no address of its own for it",
  };
  const addresses = [...documents.slice(0, 1).map(({ id }) => id), ...(client.mayAsk(iri) ? [iri] : [])];
  for (const address of new Set(addresses)) {
    found = await documentAt(client, iri, address, contextUri);
    if (found.kind !== "problem") break;
  }
  return found;
}

async function documentAt(client: Client, iri: string, address: string, contextUri: string): Promise<FetchedRecord> {
  const accept = `application/ld+json;profile="${contextUri}", application/ld+json;q=0.9, application/json;q=0.8`;
  const { status, body } = await client.get(address, { accept });
  if (status === 404 || status === 410) return { kind: "deletion", iri };
  if (status !== 200) return { kind: "problem", iri, problem: `is answered with ${status}` };
  const text = body.toString("utf8");
  const document = jsonIn<Json>(text);
  if (document === undefined) return { kind: "problem", iri, problem: "is answered with something other than JSON" };
  const id = isJsonObject(document) ? (document.id ?? document["@id"]) : undefined;
  if (id !== iri)
    return { kind: "problem", iri, problem: `is answered with the document of ${JSON.stringify(id ?? null)}` };
  // Line ends within JSON strings are escaped, so others are mere white space.
  return { kind: "document", iri, text: text.replace(/[\r\n]+/g, " ") };
}
