/** What a collection is about in space and time, and who may read it. */
import { iri, literal, type Term, XSD } from "../../rdf/terms.js";
import type { Described } from "./description.js";
import type { DescriptionGraph } from "./graph.js";
import { date, words } from "./literals.js";

/** Who may read the records, as the European Publications Office has it (DCAT-AP, `dct:accessRights`). */
export type Access = "public" | "restricted" | "non-public";

const ACCESS_RIGHTS = "http://publications.europa.eu/resource/authority/access-right/";

/** Where and when: what the settings say, or else what the records do. */
export function addCoverage(graph: DescriptionGraph, dataset: Term, { settings, counts }: Described): void {
  const { language, spatial = [], temporal } = settings;
  const { places = [], years } = counts?.coverage ?? {};
  const named = spatial.length > 0 ? spatial.map((each) => ({ iri: each, label: undefined })) : places;
  for (const { iri: name, label } of named) {
    const place = iri(name);
    graph.add(dataset, "dct:spatial", place);
    graph.add(dataset, "schema:spatialCoverage", place);
    graph.add(place, "rdf:type", graph.iri("dct:Location"), graph.iri("schema:Place"));
    if (label === undefined) continue;
    graph.add(place, "rdfs:label", words(label, language));
    graph.add(place, "schema:name", words(label, language));
  }
  const interval = temporal ?? (years && `${years.first}/${years.last}`);
  if (interval === undefined) return;
  graph.add(dataset, "schema:temporalCoverage", literal(interval));
  const period = graph.blank();
  graph.add(dataset, "dct:temporal", period);
  graph.add(period, "rdf:type", graph.iri("dct:PeriodOfTime"));
  const [first = "", last = first] = interval.split("/");
  if (first !== "..") graph.add(period, "dcat:startDate", date(first));
  if (last !== "..") graph.add(period, "dcat:endDate", date(last));
}

export function addAccess(
  graph: DescriptionGraph,
  resource: Term,
  { settings: { accessRights: access = "public" } }: Described,
): void {
  graph.add(resource, "dct:accessRights", iri(ACCESS_RIGHTS + access.replace("-", "_").toUpperCase()));
  if (access === "public") graph.add(resource, "schema:isAccessibleForFree", literal("true", XSD.boolean));
}
