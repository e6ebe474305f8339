/**
 * Builds `dist`: one file for the program, and one for each thread and process that it starts, with the packages that it needs at once.
 * A bundle starts in two thirds of the time that its modules take one by one.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";

const [SOURCES, BUILT] = ["src", "dist"];
const PROGRAM = "cli/main/process.js";
/** Packages with native code, and those that users may install themselves. */
const UNBUNDLED = ["lmdb", "libsql", "pagefind"];

/** The modules with which threads and processes start: those that a source names with `builtModule`. */
function started(): string[] {
  const sources = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return sources.flatMap((name) =>
    [...readFileSync(join(SOURCES, name), "utf8").matchAll(/builtModule\("([^"]+)"\)/g)].map(([, module]) => module!),
  );
}

const { outputFiles } = await build({
  entryPoints: [PROGRAM, ...started()].map((module) => join(SOURCES, module.replace(/js$/, "ts"))),
  outdir: BUILT,
  outbase: SOURCES,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  external: UNBUNDLED,
  sourcemap: true,
  sourcesContent: false,
  // Packages in CommonJS ask for modules of Node.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
  },
  write: false,
});

// What did not change is not written again: other processes may be reading it.
const built = new Map(outputFiles.map(({ path, contents }) => [relative(BUILT, path), contents]));
for (const [name, contents] of built) {
  const path = join(BUILT, name);
  if (existsSync(path) && readFileSync(path).equals(contents)) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}
for (const name of readdirSync(BUILT, { recursive: true, encoding: "utf8" }))
  if (/\.(?:js|map|ts|tsbuildinfo)$/.test(name) && !built.has(name)) rmSync(join(BUILT, name));
