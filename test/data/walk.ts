/** A walk through a document by the field tables, with the table of each node. */

import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { endpointNamed, endpointOf } from "../../src/model/tables/endpoints.js";
import type { Field } from "../../src/model/tables/fields.js";
import { REFERENCE_FIELDS, structureNamed } from "../../src/model/tables/structures.js";
import { classIri } from "../../src/model/vocabulary/vocabulary.js";
import { idsOf, isNode, type JsonNode, type SampleRecord, valuesOf } from "./sample.js";

/** A node and its field table. */
export interface TabledNode {
  readonly node: JsonNode;
  /** `endpoint object`, `structure Production` or `reference`. */
  readonly table: string;
  readonly fields: readonly Field[];
  /** Property names from the document's root to the node. */
  readonly path: string;
}

/** Every node of a record, the record itself first. */
export function walk({ endpoint, document }: SampleRecord): TabledNode[] {
  const nodes: TabledNode[] = [];
  visit({ node: document, table: `endpoint ${endpoint}`, fields: endpointNamed(endpoint).fields, path: "" }, nodes);
  return nodes;
}

function visit(at: TabledNode, nodes: TabledNode[]): void {
  nodes.push(at);
  for (const field of at.fields) {
    for (const value of valuesOf(at.node, field.property)) {
      if (!isNode(value)) continue;
      const path = at.path === "" ? field.property : `${at.path}/${field.property}`;
      visit({ node: value, path, ...tableFor(value, field, path) }, nodes);
    }
  }
}

function tableFor(node: JsonNode, { range }: Field, path: string): Pick<TabledNode, "table" | "fields"> {
  if (range.kind === "structure") {
    const form = range.structures.map(structureNamed).find(({ classes }) => classes.some((each) => each === node.type));
    if (form === undefined) throw new Error(`${path}: no structure of class ${String(node.type)} is allowed here`);
    return { table: `structure ${form.name}`, fields: form.fields };
  }
  const described = Object.keys(node).some((key) => !["id", "type", "_label"].includes(key));
  if (range.kind === "entity" && described) {
    const name = endpointOf([classIri(String(node.type)) ?? ""], idsOf(node, "classified_as"), DEFAULT_MODEL.vocabBase);
    if (name === undefined) throw new Error(`${path}: ${String(node.type)} has no endpoint`);
    return { table: `endpoint ${name}`, fields: endpointNamed(name).fields };
  }
  return { table: "reference", fields: REFERENCE_FIELDS };
}
