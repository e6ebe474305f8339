/** A folder for tests of commands: files in it, and commands on a store in it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, onTestFinished } from "vitest";
import { temporaryFolder } from "../temporary-folder.js";
import { jsonLines } from "./feeds.js";
import { type Outcome, type Running, type RunOptions, run, serveForTest } from "./run.js";

export interface Workspace {
  /** The path of what has this name in the folder. */
  path(...names: readonly string[]): string;
  /** Write a file; returns its path. */
  file(name: string, content: string | Uint8Array): string;
  /** Write documents to a file of JSON Lines; returns its path. */
  feed(name: string, ...documents: readonly unknown[]): string;
  /** Run a command on the store, which is named `store`. */
  vitrine(...args: readonly string[] | readonly [...string[], RunOptions]): Promise<Outcome>;
  /** What a command on the store says with `--json`. */
  json(...args: readonly string[]): Promise<ReturnType<typeof JSON.parse>>;
  /** Load documents into the store. */
  load(documents: readonly unknown[], ...options: readonly string[]): Promise<Outcome>;
  /** Serve the store, without queries, until the test ends. */
  served(...args: readonly string[]): Promise<Running>;
  /** The same folder with another store. */
  on(store: string): Workspace;
}

/** One for all tests of a file. */
export function workspaceForAll(): Workspace {
  const folder = temporaryFolder();
  return workspace(() => folder);
}

/** A new one for each test. */
export function workspaceForEach(): Workspace {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder(onTestFinished);
  });
  return workspace(() => folder);
}

function workspace(folder: () => string, store = "store"): Workspace {
  const path: Workspace["path"] = (...names) => join(folder(), ...names);
  const file: Workspace["file"] = (name, content) => {
    writeFileSync(path(name), content);
    return path(name);
  };
  const vitrine: Workspace["vitrine"] = (...args) => {
    const given: readonly (string | RunOptions)[] = args;
    const options = given.filter((each) => typeof each !== "string");
    return run([...given.filter((each) => typeof each === "string"), "--store", path(store)], ...options);
  };
  return {
    ...{ path, file, vitrine },
    feed: (name, ...documents) => file(name, jsonLines(documents)),
    json: async (...args) => JSON.parse((await vitrine(...args, "--json")).stdout),
    load: (documents, ...options) =>
      vitrine("load", "-", "--format", "jsonl", ...options, { stdin: jsonLines(documents) }),
    served: (...args) => serveForTest(["--store", path(store), "--sparql-access", "off", ...args]),
    on: (name) => workspace(folder, name),
  };
}
