/** The folder in which the commands of the documentation run: a store with a past, and all files that pages name. */
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, vi } from "vitest";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { run } from "../cli/run.js";
import { shareOf } from "../extent.js";
import { README } from "./pages.js";

export const BASE = "https://data.museum.example/";

type Document = { readonly id: string; readonly [property: string]: unknown };

function document(id: string, type: string, label: string, more: object = {}): Document {
  const name = { type: "Name", content: label };
  return {
    "@context": DEFAULT_MODEL.contextUri,
    id: resolveIri(id),
    type,
    _label: label,
    identified_by: [name],
    ...more,
  };
}

function resolveIri(id: string): string {
  return new URL(id, BASE).href;
}

const place = (id: string, label: string, more?: object): Document => document(`place/${id}`, "Place", label, more);
const object = (id: string, label: string, more?: object): Document =>
  document(`object/${id}`, "HumanMadeObject", label, more);
const streets = (from: number, to: number): Document[] =>
  Array.from({ length: to - from + 1 }, (_, at) => place(`street-${from + at}`, `Street ${from + at}`));

const NUMBER = { identified_by: [{ type: "Identifier", content: "SK-C-5" }] };
const NETHERLANDS = { part_of: [{ id: resolveIri("place/netherlands"), type: "Place", _label: "Netherlands" }] };

/** What was published first. Paris is the next change, the 17th. */
const FIRST: readonly Document[] = [
  place("netherlands", "Netherlands"),
  place("delft", "Delft", NETHERLANDS),
  place("parijs", "Parijs"),
  document("person/rembrandt", "Person", "Rembrandt van Rijn"),
  object("night-watch", "The Night Watch", NUMBER),
  object("3", "A copy"),
  object("4", "An original"),
  document("https://museum.example/object/1", "HumanMadeObject", "Of another base"),
  document("http://localhost:3000/place/here", "Place", "Loaded on a laptop"),
  ...streets(1, 7),
];
/** An object with a date that mending puts right. */
const MESSY = {
  ...document("object/9", "HumanMadeObject", "A sword"),
  produced_by: { type: "Production", timespan: { type: "TimeSpan", begin_of_the_begin: "1889" } },
};

const lines = (documents: readonly object[]): string => documents.map((each) => `${JSON.stringify(each)}\n`).join("");

/** Run a command that has to end well. */
async function done(args: readonly string[], documents: readonly object[] = []): Promise<void> {
  const { status, stderr } = await run(args, { stdin: lines(documents) });
  expect([args.join(" "), status, stderr]).toEqual([args.join(" "), 0, stderr]);
}

function load(documents: readonly object[], ...options: readonly string[]): Promise<void> {
  return done(["load", "-", "--format", "jsonl", "--base-url", BASE, ...options], documents);
}

const CORPUS = resolve("../shared/corpus/messy.jsonl");
const RECORDS = resolve("data/records");
/** What pages of the documentation name of the package. */
const OF_PACKAGE = ["docs", "assets"].map((name) => [name, resolve(name)] as const);

/** Records as they circulate: of the messy corpus, or a few like it where that is absent. */
function messyRecords(): string {
  if (existsSync(CORPUS)) return shareOf(readFileSync(CORPUS, "utf8").trim().split("\n")).join("\n");
  const production = [
    { type: "Production", carried_out_by: [{ type: "Actor", _label: "Grifo" }] },
    { timespan: { type: "TimeSpan", begin_of_the_begin: "1939-18-10", end_of_the_end: "1940" } },
  ];
  const messy = (number: number, more: object = {}): object => ({
    "@context": DEFAULT_MODEL.contextUri,
    id: `https://clevelandart.org/art/1919.${number}`,
    type: "ManMadeObject",
    label: "Cavalry Sword",
    produced_by: production,
    ...more,
  });
  return lines([messy(55), messy(56), messy(57), messy(58), messy(99, { weather: "rain" })]);
}

/** Adds to a folder what a page has besides the scene, or in place of it; by the page's path. */
export const ADDED: Readonly<Record<string, (folder: string) => void>> = {
  // `npm start` loads the whole sample.
  [README]: (folder) => {
    for (const path of ["place", "object/girl-with-a-pearl-earring.json", "person/johannes-vermeer.json"])
      cpSync(join(RECORDS, path), join(folder, "data/records", path), { recursive: true });
  },
  "publish/first-day.md": (folder) => {
    writeFileSync(join(folder, "export.jsonl"), messyRecords());
    writeFileSync(join(folder, "rules.severity"), "*._label.presence=off\n");
  },
};

/** Make the scene in the working directory, which is empty. */
export async function makeScene(): Promise<void> {
  for (const [name, path] of OF_PACKAGE) symlinkSync(path, name);
  try {
    vi.setSystemTime("2025-12-01T00:00:00Z");
    await load(FIRST, "--keep=versions", "--source", "collection");
    await load([place("paris", "Paris")]);
    await load(streets(8, 31));
    vi.setSystemTime("2026-03-15T00:00:00Z");
    await load([place("paris", "Paris, France")]);
    await load(
      [object("1", "Bought"), object("2", "Given")],
      "--source",
      "acquisitions",
      "--hold",
      "source=acquisitions",
    );
    // Another museum, which is followed.
    await load([document("person/vermeer", "Person", "Johannes Vermeer")], "--store", "elsewhere");
    vi.setSystemTime("2026-11-22T04:57:12Z");
    await done(["dump"]);
  } finally {
    vi.useRealTimers();
  }
  await done(["export", "--output", "records.nq.gz"]);
  writeFiles();
}

function writeFiles(): void {
  const folders = ["export", "backup", "etc/vitrine", "tmp", "var/lib/vitrine", "var/backups/vitrine"];
  const completions = ["home/.zfunc", "home/.local/share/bash-completion/completions", "home/.config/fish/completions"];
  for (const folder of [...folders, ...completions]) mkdirSync(folder, { recursive: true });
  const files: Readonly<Record<string, string>> = {
    "records.jsonl": lines([place("paris", "Paris on the Seine"), place("delft", "Delft", NETHERLANDS)]),
    "export.jsonl": lines([MESSY, object("10", "A shield")]),
    "objects.jsonl": lines([object("11", "With a number", NUMBER), object("12", "Without one")]),
    "export/objects.jsonl": lines(["1234", "1235", "1236"].map((id) => object(id, `Object ${id}`))),
    "gone.txt": "place/street-1\nplace/street-2\n",
    "ready.txt": "object/1\n",
    "merged.csv": "object/3,object/4\n",
    "question.rq": "SELECT ?label { ?place <http://www.w3.org/2000/01/rdf-schema#label> ?label } LIMIT 3\n",
    password: "secret\n",
    "etc/vitrine/engine-password": "secret\n",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(name, text);
}
