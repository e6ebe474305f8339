/** Programs that tests run in processes of their own, in one file each: its modules one by one would take several times as long to start. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildSync } from "esbuild";

/** Below the package's root, where a program finds its files and libraries. */
const FOLDER = resolve("node_modules/.cache/vitrine-tests");

const built = new Map<string, string>();

/** Bundle a program of TypeScript, whose imports are paths from the root. @returns its file */
export function bundled(name: string, program: string): string {
  const file = join(FOLDER, `${name}.mjs`);
  if (built.get(name) === program) return file;
  const { outputFiles } = buildSync({
    stdin: { contents: program, resolveDir: resolve("."), loader: "ts" },
    ...{ bundle: true, format: "esm", platform: "node", target: "node20", external: ["lmdb", "libsql"], write: false },
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
  });
  mkdirSync(FOLDER, { recursive: true });
  // Another process of the tests may be about to run the same.
  writeFileSync(`${file}.${process.pid}`, outputFiles[0]!.contents);
  renameSync(`${file}.${process.pid}`, file);
  built.set(name, program);
  return file;
}
