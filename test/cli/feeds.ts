/** Documents for commands to read, and files of them. */
import { writeFileSync } from "node:fs";
import { CONTEXT_URI } from "../jsonld/documents.js";

export type Document = { readonly [key: string]: unknown };

/** A painting about which validation finds little. */
export function painting(id: string, label: string, more: Document = {}): Document {
  return {
    ...{ "@context": CONTEXT_URI, id, type: "HumanMadeObject", _label: label },
    classified_as: [{ id: "http://vocab.getty.edu/aat/300033618", type: "Type", _label: "Painting" }],
    identified_by: [{ type: "Name", content: label }],
    ...more,
  };
}

export function place(id: string, label: string, more: Document = {}): Document {
  return { "@context": CONTEXT_URI, id, type: "Place", _label: label, ...more };
}

/** Makes any document one with a date that is no date. */
export const DATED = {
  produced_by: { type: "Production", timespan: { type: "TimeSpan", begin_of_the_begin: "1889" } },
};

export function jsonLines(documents: readonly unknown[]): string {
  return documents.map((document) => `${JSON.stringify(document)}\n`).join("");
}

/** Write documents to a file of JSON Lines, and return its path. */
export function feed(path: string, ...documents: readonly unknown[]): string {
  writeFileSync(path, jsonLines(documents));
  return path;
}
