/** The place of a module's compiled form: threads and processes start from it, even where the sources themselves run, as in tests. */

/** Built modules stand under `dist` as their sources stand under `src`. */
const SOURCES = new URL("../", import.meta.url).href;
const BUILT = new URL("../../dist/", import.meta.url).href;

/** The compiled file that a thread or a process is started with: `module` as an import would write it, from the file whose `import.meta.url` is `base`. */
export function compiled(base: string, module: string): URL {
  return new URL(new URL(module, base).href.replace(SOURCES, BUILT));
}
