/** Finding this package's files, whether a module runs as a source under `src` or in a bundle under `dist`. */
import { existsSync, readFileSync } from "node:fs";

const ROOT = rootAbove(new URL("./", import.meta.url));

function rootAbove(folder: URL): URL {
  return existsSync(new URL("package.json", folder)) ? folder : rootAbove(new URL("../", folder));
}

/** A file that comes with the package, by its path from the root: `assets/icon.svg`. */
export function packageFile(path: string): URL {
  return new URL(path, ROOT);
}

/** The text of a file among the assets. */
export function assetText(name: string): string {
  return readFileSync(packageFile(`assets/${name}`), "utf8");
}

/** The bundle that a thread or process starts from, even in tests. The build (`bundle.ts`) makes one for each literal that is passed here, such as `search/texts-thread.js`. */
export function builtModule(module: string): URL {
  return packageFile(`dist/${module}`);
}
