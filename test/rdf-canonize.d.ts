/** The parts of rdf-canonize that tests use; it ships no types. */
declare module "rdf-canonize" {
  export function canonize(
    quads: readonly unknown[],
    options: { algorithm: "RDFC-1.0"; maxWorkFactor: number },
  ): Promise<string>;
  export function canonize(
    quads: string,
    options: { algorithm: "RDFC-1.0"; inputFormat: "application/n-quads" },
  ): Promise<string>;
  export const NQuads: { parse(text: string): unknown[] };
}
