/** The plan that writes expanded documents, in which everything is said in full (JSON-LD 1.1 API, 5.1). */
import { entryOf } from "../base/entries.js";
import type { Json } from "../rdf/record-graph.js";
import { RDF, type Term, XSD } from "../rdf/terms.js";
import { literalToJson, literalToNative } from "./native.js";
import { type NodePlans, type NodeUse, type PropertyUse, UNRANKED } from "./plan.js";

const EXPANDED_LITERAL = (literal: Term): Json => {
  if (literal.language !== "") return { "@language": literal.language, "@value": literal.value };
  if (literal.datatype === XSD.string) return { "@value": literal.value };
  const json = literal.datatype === RDF.JSON ? literalToJson(literal.value) : undefined;
  if (json !== undefined) return { "@type": "@json", "@value": json };
  const native = literalToNative(literal.value, literal.datatype);
  return native === undefined ? { "@type": literal.datatype, "@value": literal.value } : { "@value": native };
};

/** Full IRIs for keys, and every value an array. */
export function expandedPlan(): NodePlans {
  const properties = new Map<string, PropertyUse>();
  const plans: NodePlans = {
    get included() {
      return plans;
    },
    of: (classes) => ({
      id: "@id",
      type: "@type",
      types: classes === "" ? undefined : classes.split(" "),
      standsAlone: false,
      writeIri: (iri) => iri,
      property: (iri) => entryOf(properties, iri, () => propertyUse(iri, plans)),
    }),
  };
  return plans;
}

function propertyUse(iri: string, plans: NodePlans): PropertyUse {
  const use = { key: iri, rank: UNRANKED, isArray: true, isSingle: false, isMap: false, nest: undefined };
  const nodes: NodeUse = { use, reference: (id) => ({ "@id": id }), isTerm: true, plans };
  const write = (items: Json[]): Json => ({ "@list": items });
  return {
    nodes,
    lists: { use, write, inner: write, nodes, literal: EXPANDED_LITERAL },
    literals: () => ({ use, write: EXPANDED_LITERAL }),
  };
}
