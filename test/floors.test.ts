/** The structure of the code: a module uses only modules on lower floors. */
import { readdirSync, readFileSync } from "node:fs";
import { join, normalize, relative } from "node:path";
import { describe, expect, it } from "vitest";

/** The folders of each floor, the lowest first. Folders on the same floor do not use each other ... */
const FLOORS = [
  ["base"],
  ["rdf"],
  ["model", "engine"],
  ["store", "jsonld", "validate", "query", "search"],
  ["harvest"],
  ["http", "load"],
  ["cli"],
];

/** ... except that `query` and `search` read the records and the change log through the store's interface. */
const STORE_READERS = ["query", "search"];
const STORE_INTERFACE = ["store", "record", "snapshots", "errors", "open", "changes", "search"].map(
  (name) => `store/${name}.js`,
);

/** Type imports that close a cycle: values lie in nodes and nodes in values, so their walks call each other. */
const WALKS = [
  "jsonld/values.js -> jsonld/expand.js",
  "http/pages/activities.js -> http/pages/renderer.js",
  "http/pages/amounts.js -> http/pages/renderer.js",
];

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

function sources(): string[] {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(".ts")).map((file) => join("src", file));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/^(?:import|export)( type)?(?: [\w\s{},*$]*from)? "(\.[^"]+)";/gm)].map(
    ([, type, path]) => ({
      from: relative("src", file),
      to: normalize(join(relative("src", file), "..", path!)),
      isType: type !== undefined,
    }),
  );
}

/** A cycle of files that import each other, as `from -> to -> from`. */
function cycleOf(graph: ReadonlyMap<string, readonly string[]>): string | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(" -> ");
    if (done.has(file)) return undefined;
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next, [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

function folderOf(path: string): string {
  return path.split("/")[0]!;
}

function floorOf(path: string): number {
  return FLOORS.findIndex((folders) => folders.includes(folderOf(path)));
}

/** The imports that break the rule, as `from -> to`. */
function breaches(imports: readonly Import[]): string[] {
  return imports
    .filter(({ from, to }) => folderOf(from) !== folderOf(to) && floorOf(from) <= floorOf(to))
    .filter(({ from, to }) => !(STORE_READERS.includes(folderOf(from)) && STORE_INTERFACE.includes(to)))
    .map(({ from, to }) => `${from} -> ${to}`);
}

describe("the floors", () => {
  it("include every folder of src", () => {
    const folders = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const { name } of folders) expect(floorOf(`${name}/x.ts`), name).not.toBe(-1);
  });

  it("are used only by higher floors", () => {
    expect(breaches(sources().flatMap(importsOf))).toEqual([]);
  });

  it("reach the embedded store only through the interface and `openStore`", () => {
    const reaching = sources()
      .flatMap(importsOf)
      .filter(({ to }) => to.startsWith("store/embedded/"))
      .map(({ from }) => from)
      .filter((from) => from !== "store/open.ts" && !from.startsWith("store/embedded/"));
    expect([...new Set(reaching)]).toEqual([]);
  });

  it("reach the query engines only through their interface and `openEngine`", () => {
    const reaching = sources()
      .flatMap(importsOf)
      .filter(({ to }) => /^query\/(?:oxigraph|remote|managed)\//.test(to))
      .map(({ from }) => from)
      .filter((from) => from !== "query/open.ts" && !/^query\/(?:oxigraph|remote|managed)\//.test(from));
    expect([...new Set(reaching)]).toEqual([]);
  });

  it("are told apart by the check itself", () => {
    expect(breaches([{ from: "store/a.js", to: "http/b.js", isType: false }])).toHaveLength(1);
    expect(breaches([{ from: "store/a.js", to: "jsonld/b.js", isType: true }])).toHaveLength(1);
    expect(breaches([{ from: "http/a.js", to: "store/b.js", isType: false }])).toHaveLength(0);
  });

  it("have no import cycles, of types or of values", () => {
    const graph = new Map<string, string[]>();
    const walks = new Set(WALKS);
    for (const file of sources()) {
      const name = relative("src", file).replace(/\.ts$/, ".js");
      const imports = importsOf(file).filter(({ to, isType }) => !(isType && walks.delete(`${name} -> ${to}`)));
      graph.set(
        name,
        imports.map(({ to }) => to),
      );
    }
    expect([...walks], "no longer there").toEqual([]);
    expect(cycleOf(graph)).toBeUndefined();
    expect(cycleOf(new Map([...graph, ["base/a.js", ["base/b.js"]], ["base/b.js", ["base/a.js"]]]))).toBe(
      "base/a.js -> base/b.js -> base/a.js",
    );
  });

  // Every command loads this much first.
  it("are hardly loaded before the command is known", () => {
    const read = new Set(["cli/main/process.js"]);
    for (const file of read) {
      for (const { to, isType } of importsOf(join("src", file.replace(/\.js$/, ".ts")))) if (!isType) read.add(to);
    }
    expect(read.size).toBeLessThan(60);
    expect([...read].filter((file) => /^(?:http\/server|search|store\/embedded|jsonld\/frame)/.test(file))).toEqual([]);
  });

  it("have files whose first line is a noun phrase that says what the file is", () => {
    const others =
      /^(?:What|Whether|Which|Who|How|Where|Reads|Writes|Makes|Gives|Tells|Finds|Looks|Says|Keeps|Builds|Fetches)\b/;
    for (const file of sources()) {
      const [, first] = /^\/\*\*[\s*]*(.*)/.exec(readFileSync(file, "utf8")) ?? [];
      expect(first, file).toBeTruthy();
      expect(first, file).not.toMatch(others);
    }
  });
});
