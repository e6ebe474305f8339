/** Where compiled modules are: threads and processes start from them even when the sources themselves run, as in tests. */

/** Built modules have the same paths under `dist` as their sources have under `src`. */
const SOURCES = new URL("../", import.meta.url).href;
const BUILT = new URL("../../dist/", import.meta.url).href;

/** The compiled file that starts a thread or a process. `module` is an import specifier, relative to the file whose `import.meta.url` is `base`. */
export function compiled(base: string, module: string): URL {
  return new URL(new URL(module, base).href.replace(SOURCES, BUILT));
}
