/** The real documents and the specification that the model is held against; all tests skip those that are absent. */
import { existsSync, readFileSync } from "node:fs";
import type { Json } from "../../src/rdf/record-graph.js";

export type JsonObject = { [key: string]: Json };

const SHARED = "../shared";

/** Why tests against these are skipped. */
export const ABSENT = "(skipped where ../shared is absent)";

export const OFFICIAL_CONTEXT = `${SHARED}/linked-art/context.json`;
export const SPECIFICATION = `${SHARED}/spec/service.md`;
export const OFFICIAL = `${SHARED}/corpus/official.jsonl`;
export const MUSEUMS = `${SHARED}/corpus/museums.jsonl`;

export function isAbsent(...files: string[]): boolean {
  return !files.every((file) => existsSync(file));
}

export function documents(file: string): JsonObject[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JsonObject);
}

export function readJson(file: string): JsonObject {
  return JSON.parse(readFileSync(file, "utf8")) as JsonObject;
}

/** A document loader for jsonld.js that has one context, whatever its URI. */
export function loaderOf(context: Json): (url: string) => Promise<{ documentUrl: string; document: Json }> {
  return async (url) => ({ documentUrl: url, document: context });
}
