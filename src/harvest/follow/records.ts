/** The records that a change stream names, fetched one by one. */
import { isUtf8 } from "node:buffer";
import { headerOf } from "../../base/http-client.js";
import { jsonIn } from "../../base/json.js";
import { isJsonObject, type Json } from "../../rdf/record-graph.js";
import { type Client, type Fetched, ResourceError } from "./client.js";
import { changeNumber, type ResourceChange, type StreamPosition } from "./stream.js";

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

/** The current state of a changed resource. One that is gone is a deletion, even if the stream says otherwise. Throws `FollowError`. */
export async function fetchRecord(
  client: Client,
  change: ResourceChange,
  contextUri: string,
): Promise<readonly FetchedRecord[]> {
  const { iri, kind, target } = change;
  if (kind === "remove") return [{ kind: "deletion", iri }];
  try {
    const found = await documentOf(client, change, contextUri);
    const isPassing = found.kind === "problem" && found.again !== undefined;
    // A record that has come back from its successor is no deletion.
    if (target === undefined || found.iri === iri || isPassing) return [found];
    return [{ kind: "deletion", iri, movedTo: found.iri }, ...(found.kind === "deletion" ? [] : [found])];
  } catch (error) {
    if (!(error instanceof ResourceError)) throw error;
    return [passing(change, iri, error.message)];
  }
}

/** A problem that may be temporary. */
function passing(again: ResourceChange, iri: string, problem: string): FetchedRecord {
  return { kind: "problem", iri, problem: `${problem}; it is requested again next time`, again };
}

/** The document from the first address that has it: the one that the stream gives for JSON-LD, or else the IRI. An address with a suffix may also be another record's IRI, or lead nowhere. */
async function documentOf(client: Client, change: ResourceChange, contextUri: string): Promise<FetchedRecord> {
  const iri = change.target ?? change.iri;
  const mayAsk = (address: string): boolean => client.mayAsk(address);
  let found: FetchedRecord = {
    kind: "problem",
    iri,
    problem: "is on a host other than the followed one, which names no address of its own for it",
  };
  for (const address of new Set([change.seeAlso.find(mayAsk) ?? iri, iri].filter(mayAsk))) {
    const document = await documentAt(client, iri, address, contextUri, change);
    found = typeof document === "string" ? passing(change, iri, document) : document;
    if (found.kind === "document") break;
  }
  return found;
}

/** Whether an answer is that of a replica of a service of this software that does not have the change yet: 404 in place of 410, or an older version. A time that is yet to come was given by a wrong clock. */
function isBehind({ status, headers }: Fetched, { key, time }: StreamPosition): boolean {
  const [modified, now] = ["last-modified", "date"].map((name) => Date.parse(headerOf(headers, name)));
  // Dates in headers are in whole seconds.
  const changed = Math.floor(Date.parse(time ?? "") / 1_000) * 1_000;
  // The file of a site has no Content-Location. It may be older than a change that was taken back before it was written.
  const isOlder = headerOf(headers, "content-location") !== "" && modified! < changed && changed <= now!;
  return !Number.isNaN(changeNumber(key)) && (status === 404 || isOlder);
}

/** The record at an address, or what is wrong with the answer. If it may have moved, the record of another IRI is accepted. */
async function documentAt(
  client: Client,
  iri: string,
  address: string,
  contextUri: string,
  { target, position }: ResourceChange,
): Promise<FetchedRecord | string> {
  const accept = `application/ld+json;profile="${contextUri}", application/ld+json;q=0.9, application/json;q=0.8`;
  const answer = await client.get(address, { accept });
  const { status, body, isRedirected } = answer;
  const mayMove = target !== undefined;
  const isOld = !mayMove && isBehind(answer, position);
  if ((status === 404 && !isOld) || status === 410) return { kind: "deletion", iri };
  if (status !== 200) return `is answered with ${status}`;
  if (isOld) return "is answered with an older version than that of the change";
  if (!isUtf8(body)) return "is answered with text that is not valid UTF-8";
  const text = body.toString("utf8");
  const document = jsonIn<Json>(text);
  if (document === undefined) return "is answered with something other than JSON";
  const id = isJsonObject(document) ? (document.id ?? document["@id"]) : undefined;
  // A service may redirect from the IRI. One with several base URLs may also answer there with the record of the other IRI.
  const isSuccessor = mayMove && (isRedirected || address === iri) && typeof id === "string";
  if (id !== iri && !isSuccessor) return `is answered with the document of ${JSON.stringify(id ?? null)}`;
  // Line ends within JSON strings are escaped, so others are mere white space.
  return { kind: "document", iri: String(id), text: text.replace(/[\r\n]+/g, " ") };
}
