/** The real documents and the specification with which the model is compared. Tests skip those that are absent. */
import { existsSync, readFileSync } from "node:fs";
import type { Json } from "../../src/rdf/record-graph.js";

export type JsonObject = { [key: string]: Json };

const SHARED = "../shared";

/** The note in the names of tests that these files are needed for. */
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
