/** Values made at their first use, so that a start does not wait for what few ever need. */
import { createRequire } from "node:module";

/** A function that makes its value once, when it is first called. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const require = createRequire(import.meta.url);

/** A library in CommonJS, read at its first use. Name its type: `library<typeof import("x")>("x")`. */
export function library<T>(name: string): () => T {
  return lazily(() => require(name) as T);
}
