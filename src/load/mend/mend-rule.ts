/** A rule by which records are mended. */
import type { JsonObject } from "../../rdf/record-graph.js";
import type { MendNode } from "./mend-node.js";

export interface MendRule {
  readonly name: string;
  /** The fault that it repairs, in a line. */
  readonly repairs: string;
  /** A document before and after, of which the rule changes nothing else. */
  readonly example: { readonly before: JsonObject; readonly after: JsonObject };
  /** Only where it is asked for: what it takes for granted is for the institution to say. */
  readonly isAsked?: true;
  mend(node: MendNode): void;
}
