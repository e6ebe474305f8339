/** The sample collection, as in its files. */
import { readdirSync, readFileSync } from "node:fs";
import { endpointNamed } from "../../src/model/tables/endpoints.js";
import type { EndpointName } from "../../src/model/tables/names.js";

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonNode;

/** A JSON object of a document: a record, a structure or a reference. */
export interface JsonNode {
  readonly [key: string]: JsonValue;
}

/** One file of the sample. */
export interface SampleRecord {
  /** The path of the file in `data/records`, without its extension. It must be the record's id. */
  readonly path: string;
  readonly endpoint: EndpointName;
  readonly text: string;
  readonly document: JsonNode;
}

const FOLDER = "data/records";

/** The names of the pictures in `data/images`. */
export const IMAGES: readonly string[] = readdirSync("data/images").sort();

/** All records, by path. */
export const SAMPLE: ReadonlyMap<string, SampleRecord> = new Map(
  readdirSync(FOLDER)
    .sort()
    .flatMap((folder) =>
      readdirSync(`${FOLDER}/${folder}`)
        .sort()
        .map((file) => {
          const path = `${folder}/${file.replace(/\.json$/, "")}`;
          const text = readFileSync(`${FOLDER}/${folder}/${file}`, "utf8");
          const endpoint = endpointNamed(folder as EndpointName).name;
          return [path, { path, endpoint, text, document: JSON.parse(text) as JsonNode }] as const;
        }),
    ),
);

export function isNode(value: JsonValue | undefined): value is JsonNode {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The values of a property, whether it has one, several or none. */
export function valuesOf(node: JsonNode, property: string): readonly JsonValue[] {
  const value = node[property];
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** The nodes among the values of a property. */
export function nodesOf(node: JsonNode, property: string): readonly JsonNode[] {
  return valuesOf(node, property).filter(isNode);
}

/** The `id`s of the nodes among the values of a property. */
export function idsOf(node: JsonNode, property: string): readonly string[] {
  return nodesOf(node, property)
    .map(({ id }) => id)
    .filter((id) => typeof id === "string");
}
