/** Places with a class and a label, as quads, and what a store has of them. */
import { run } from "./run.js";

export const BASE = "https://museum.example/place/";
const TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.cidoc-crm.org/cidoc-crm/E53_Place>";
export const LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>";

export function place(name: string | number, label: string = String(name)): string {
  return `<${BASE}${name}> ${TYPE} <${BASE}${name}> .\n<${BASE}${name}> ${LABEL} "${label}" <${BASE}${name}> .\n`;
}

/** All quads, without the comments that an export begins and ends with. */
export async function exportedFrom(store: string): Promise<string> {
  return (await run(["export", "--store", store])).stdout.replaceAll(/^#.*\n/gm, "");
}
