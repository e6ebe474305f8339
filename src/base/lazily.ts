/** Values created at first use, so that rarely needed ones do not slow down the start. */
import { createRequire } from "node:module";

/** A function that creates its value at the first call and returns the same value afterwards. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const require = createRequire(import.meta.url);

/** A CommonJS library, loaded at first use. State its type: `library<typeof import("x")>("x")`. */
export function library<T>(name: string): () => T {
  return lazily(() => require(name) as T);
}
