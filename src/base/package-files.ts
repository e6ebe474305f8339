/** The files of this package, whether a module runs as a source under `src` or as a part of a bundle under `dist`. */
import { existsSync } from "node:fs";

const ROOT = rootAbove(new URL("./", import.meta.url));

function rootAbove(folder: URL): URL {
  return existsSync(new URL("package.json", folder)) ? folder : rootAbove(new URL("../", folder));
}

/** A file that comes with the package, by its path from the root: `assets/icon.svg`. */
export function packageFile(path: string): URL {
  return new URL(path, ROOT);
}

/**
 * The bundle that a thread or a process starts with, also where the sources themselves run, as in tests. The build
 * (`bundle.ts`) makes one of each module that a source names as an argument of this function.
 * @param module the module's path under `src`, with the extension of its built form: `search/texts-thread.js`
 */
export function builtModule(module: string): URL {
  return packageFile(`dist/${module}`);
}
