/** The part of shacl-engine, which brings no types, that tests use. */
declare module "shacl-engine" {
  import type { DataFactory, DatasetCore, Term } from "@rdfjs/types";

  interface ValidationResult {
    readonly constraintComponent: Term;
    readonly focusNode: { readonly term: Term };
    readonly severity: Term;
    readonly path?: readonly { readonly predicates: readonly Term[] }[];
    readonly message: readonly Term[];
    readonly shape: { readonly ptr: { readonly term: Term } };
  }

  export class Validator {
    constructor(shapes: DatasetCore, options: { factory: DataFactory; validations?: unknown });
    validate(
      data: { dataset: DatasetCore; terms?: readonly Term[] },
      shapes?: readonly { terms: readonly Term[] }[],
    ): Promise<{ readonly results: readonly ValidationResult[] }>;
  }
}

declare module "shacl-engine/sparql.js" {
  /** What makes it evaluate `sh:sparql`. */
  export const validations: unknown;
}
