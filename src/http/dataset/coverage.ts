/** The coverage of the dataset's description, in space and time, and its access rights. */
import { iri, literal, type Term, XSD } from "../../rdf/terms.js";
import type { DatasetSettings, DescribedDataset } from "./dataset.js";
import { type DescriptionGraph, date, type Facts, given, words } from "./graph.js";

const ACCESS_RIGHTS = "http://publications.europa.eu/resource/authority/access-right/";

/** Where and when: what the settings say, or else what the records do. */
export function addCoverage(graph: DescriptionGraph, dataset: Term, { settings, counts }: DescribedDataset): void {
  const { language, spatial = [], temporal } = settings;
  const { places = [], years } = counts?.coverage ?? {};
  const named = spatial.length > 0 ? spatial.map((each) => ({ iri: each, label: undefined })) : places;
  for (const { iri: name, label } of named) {
    const place = iri(name);
    graph.add(dataset, { "dct:spatial schema:spatialCoverage": place });
    graph.add(place, {
      "rdf:type": ["dct:Location", "schema:Place"],
      "rdfs:label schema:name": given(label, (text) => words(text, language)),
    });
  }
  const interval = temporal ?? (years && `${years.first}/${years.last}`);
  if (interval === undefined) return;
  const [first = "", last = first] = interval.split("/");
  graph.add(dataset, {
    "schema:temporalCoverage": literal(interval),
    "dct:temporal": {
      "rdf:type": "dct:PeriodOfTime",
      "dcat:startDate": first === ".." ? undefined : date(first),
      "dcat:endDate": last === ".." ? undefined : date(last),
    },
  });
}

/** Who may read it. */
export function accessOf({ accessRights: access = "public" }: DatasetSettings): Facts {
  return {
    "dct:accessRights": iri(ACCESS_RIGHTS + access.replace("-", "_").toUpperCase()),
    "schema:isAccessibleForFree": access === "public" ? literal("true", XSD.boolean) : undefined,
  };
}
