/** Counts of records by SPARQL, from their own triples: the facets of searches, and the records under an entity. */
import * as oxigraph from "oxigraph";
import { lazily } from "../../src/base/lazily.js";
import { REFERRING_PROPERTIES } from "../../src/model/relations.js";
import { ACTIVITY_PART, RELATING_PROPERTIES, TOLD_BY } from "../../src/model/search-paths.js";
import { endpointNamed } from "../../src/model/tables/endpoints.js";
import type { EndpointName } from "../../src/model/tables/names.js";
import { CLASS_NAMES, classIri, propertyIri } from "../../src/model/vocabulary/vocabulary.js";
import { writeNQuads } from "../../src/rdf/ntriples/writer.js";
import { FACETS, type FacetName, PERIODS, type SearchQuery } from "../../src/store/search.js";
import type { DescribedRecord } from "../../src/store/snapshots.js";

/** The namespace of facts about records, which the queries below use. */
const FACT = "urn:fact:";
/** The terms of each predicate. */
const TERMS = new Map<string, Set<string>>();
for (const term of new Set(REFERRING_PROPERTIES.values()))
  for (const name of [undefined, ...CLASS_NAMES]) {
    const predicate = propertyIri(term, name);
    if (predicate !== undefined) TERMS.set(predicate, (TERMS.get(predicate) ?? new Set()).add(term));
  }
const BELOW = ["broader", "part_of", "member_of"].map((term) => `<${FACT}${term}>`).join("|");
const YEARS: Partial<Record<FacetName, number>> = { century: 100, decade: 10 };

const iri = (term: string): string => `<${propertyIri(term)!}>`;
const PARTS = `<${ACTIVITY_PART}>`;
const ACTIVITIES = [...RELATING_PROPERTIES].map((each) => `<${each}>`).join("|");
const WALKED = `(${ACTIVITIES}|${PARTS})*`;
const SHOWING = ["representation", "shows"].map(iri).join("|");
const REACHING = ["representation", "shows", "digitally_shows"].map((term) => `<${FACT}${term}>`).join("|");
const FILE = `(${iri("access_point")}|${iri("digitally_available_via")}/${iri("access_point")})`;
const FORMAT = `OPTIONAL { ?file ${iri("format")} ?format } FILTER(!BOUND(?format) || STRSTARTS(?format, "image/"))`;
const STATEMENTS = [...TOLD_BY].map((each) => `<${each}>`).join("|");

type Row = Map<string, { readonly value: string }>;

/** The records of a store, with the facts about them that searches use. */
export class CountedBySparql {
  readonly #store = new oxigraph.Store();

  constructor(records: Iterable<DescribedRecord>) {
    for (const { graph, endpoint, modified } of records) {
      this.#store.load(writeNQuads(graph), { format: "application/n-quads", no_transaction: true });
      this.#add(graph.iri, "endpoint", oxigraph.literal(endpoint ?? "none"));
      this.#add(graph.iri, "time", oxigraph.literal(String(Math.floor(modified / 1_000) * 1_000), INTEGER));
    }
    this.#addReferences();
  }

  /** Add what facets count besides references. */
  readonly #addFacets = lazily(() => {
    const shown = `?r (${SHOWING})?/${iri("digitally_shown_by")} ?file`;
    this.#addWhere(`GRAPH ?r { ${shown} . ?file ${FILE} ?any ${FORMAT} }`, "own", "true");
    const isImage = `(BOUND(?format) || REGEX(STR(?any), "[.](jpe?g|png|gif|webp|avif|svg)([?#]|$)", "i") || ?by = "service")`;
    const ofFile = `GRAPH ?r { ?r a <${classIri("DigitalObject")!}> . BIND(?r AS ?file)
{ ?r ${iri("access_point")} ?any BIND("file" AS ?by) } UNION { ?r ${iri("digitally_available_via")}/${iri("access_point")} ?any BIND("service" AS ?by) } ${FORMAT} FILTER ${isImage} }`;
    for (const fact of ["file", "own"]) this.#addWhere(ofFile, fact, "true");
    const named = `GRAPH ?r { ${shown} FILTER NOT EXISTS { ?file ${iri("access_point")} ?any } }`;
    this.#addWhere(`${named} ?file <${FACT}file> true`, "own", "true");
    this.#addWhere(`${ofFile} GRAPH ?r { ?r ${iri("digitally_shows")} ?work }`, "files", "?work");
    this.#addWhere(`?r <urn:fact:own> true GRAPH ?r { ?r a <${classIri("VisualItem")!}> }`, "files", "?r");
    this.#addWhere("?r <urn:fact:own> true", "picture", '"yes"');
    this.#addWhere(
      `?r <urn:fact:endpoint> ?e . ?r (${REACHING})? ?work . ?by <urn:fact:files> ?work`,
      "picture",
      '"yes"',
    );
    this.#addWhere('?r <urn:fact:endpoint> ?e FILTER NOT EXISTS { ?r <urn:fact:picture> "yes" }', "picture", '"no"');
    const rights = `?holder ${iri("subject_to")} ?right FILTER NOT EXISTS { ?any ${STATEMENTS} ?holder }
OPTIONAL { ?right ${iri("classified_as")} ?kind } BIND(COALESCE(?kind, ?right) AS ?by) FILTER isIRI(?by)`;
    this.#addWhere(`GRAPH ?r { ${rights} }`, "licence", "?by");
    this.#addWhere(`?r ${REACHING} ?work . GRAPH ?work { ${rights} }`, "licence", "?by");
    this.#addYears();
    for (const period of Object.keys(PERIODS))
      this.#addWhere(`?r <${FACT}time> ?time FILTER(?time >= ${sinceOf(period)})`, "changed", `"${period}"`);
  });

  /** By facet and value, how many hits of a query without texts have it. */
  counts(query: SearchQuery): ReadonlyMap<string, number> {
    this.#addFacets();
    const { begins, ends } = query;
    const facts = FACETS.map((facet) => `(<${FACT}${facet}> "${facet}" ${YEARS[facet] ?? 0})`).join(" ");
    const rows =
      this.#store.query(`SELECT ?f ?v (COUNT(DISTINCT ?r) AS ?n) { { SELECT DISTINCT ?r { ${patternOf(query)} } }
VALUES (?p ?f ?years) { ${facts} } ?r ?p ?v
${begins === undefined ? "" : `FILTER(?years = 0 || ?v + ?years - IF(?v = 1, 1, 0) > ${begins})`}
${ends === undefined ? "" : `FILTER(?years = 0 || ?v <= ${ends})`} } GROUP BY ?f ?v`) as Row[];
    const counted = rows.map((row) => [row.get("f")!.value, row.get("v")!.value, Number(row.get("n")!.value)] as const);
    const unlisted = new Set(Object.entries(YEARS).flatMap(([facet, years]) => unlistedOf(facet, years, counted)));
    return new Map(
      counted.filter((each) => !unlisted.has(each)).map(([facet, value, records]) => [`${facet} ${value}`, records]),
    );
  }

  /** The records under an entity. */
  under(under: string): string[] {
    const rows = this.#store.query(`SELECT DISTINCT ?r { ${patternOf({ under })} }`) as Row[];
    return rows.map((row) => row.get("r")!.value).sort();
  }

  #addWhere(pattern: string, fact: string, value: string): void {
    this.#store.update(`INSERT { ?r <${FACT}${fact}> ${value} } WHERE { ${pattern} }`);
  }

  #add(record: string, fact: string, value: oxigraph.NamedNode | oxigraph.Literal): void {
    this.#store.add(oxigraph.quad(oxigraph.namedNode(record), oxigraph.namedNode(FACT + fact), value));
  }

  /** Add what an entity refers to itself, or by its activities if it cannot have the property itself. */
  #addReferences(): void {
    const found = (path: string): Row[] =>
      this.#store.query(
        `SELECT DISTINCT ?r ?e ?p ?v { ?r <${FACT}endpoint> ?e . GRAPH ?r { ?r ${path} ?n . ?n ?p ?v } FILTER isIRI(?v) }`,
      ) as Row[];
    for (const [isOwn, path] of [
      [true, `${PARTS}*`],
      [false, `${PARTS}*/(${ACTIVITIES})/${WALKED}`],
    ] as const) {
      for (const row of found(path)) {
        const fields = endpointNamed(row.get("e")!.value as EndpointName).fields.map(({ property }) =>
          String(property),
        );
        for (const term of TERMS.get(row.get("p")!.value) ?? []) {
          if (!isOwn && fields.includes(term)) continue;
          for (const fact of [term, "any"])
            this.#add(row.get("r")!.value, fact, oxigraph.namedNode(row.get("v")!.value));
        }
      }
    }
  }

  #addYears(): void {
    const bounds = ["begin_of_the_begin", "end_of_the_begin", "begin_of_the_end", "end_of_the_end"].map(iri).join("|");
    const found = (path: string): Row[] =>
      this.#store.query(
        `SELECT ?r (MIN(?y) AS ?b) (MAX(?y) AS ?e) { ?r <${FACT}endpoint> ?any . GRAPH ?r {
?r ${path}/<${propertyIri("timespan", "Activity")!}>/(${bounds}) ?d } FILTER REGEX(STR(?d), "^-?[0-9]{4,6}-[0-9][0-9]")
BIND(<${INTEGER.value}>(REPLACE(STR(?d), "^(-?[0-9]{4,6})-.*$", "$1", "s")) AS ?y) } GROUP BY ?r`,
      ) as Row[];
    const made = found(`${WALKED}/(${iri("produced_by")}|${iri("created_by")})/${WALKED}`);
    const ofMade = new Set(made.map((row) => row.get("r")!.value));
    const others = found(WALKED).filter((row) => !ofMade.has(row.get("r")!.value));
    for (const row of [...made, ...others]) {
      const [begins, ends] = [Number(row.get("b")!.value), Number(row.get("e")!.value)];
      const add = (fact: string, year: number) =>
        this.#add(row.get("r")!.value, fact, oxigraph.literal(String(year), INTEGER));
      add("begins", begins);
      add("ends", ends);
      for (const [facet, years] of Object.entries(YEARS))
        for (const [first, last] of periodsOf(years)) if (begins <= last && ends >= first) add(facet, first);
    }
  }
}

const INTEGER = oxigraph.namedNode("http://www.w3.org/2001/XMLSchema#integer");

/** The first and last year of each period of so many years. There is no year 0 after Christ. */
function periodsOf(years: number): readonly (readonly [first: number, last: number])[] {
  const before = Array.from({ length: 10_000 / years }, (_, at) => [1 - (at + 1) * years, -at * years] as const);
  const after = Array.from({ length: 6_000 / years }, (_, at) => [at * years || 1, at * years + years - 1] as const);
  return [...before, ...after];
}

type Counted = readonly [facet: string, value: string, records: number];

/** The periods that are not listed: of more than 2,000 years with the same number of records, those after the first 2,000. */
function unlistedOf(facet: string, years: number, counted: readonly Counted[]): readonly Counted[] {
  const periods = counted.filter(([of]) => of === facet).sort((a, b) => Number(a[1]) - Number(b[1]));
  let start = Number.NaN;
  return periods.filter(([, value, records], at) => {
    const [, before, as] = periods[at - 1] ?? [];
    const isNext = Number(value) - Number(before) <= years && records === as;
    if (!isNext) start = Number(value);
    return Number(value) - start >= 2_000;
  });
}

/** The graph pattern for the hits of a query. */
function patternOf({ endpoint, relations = [], begins, ends, under, isPictured, changed }: SearchQuery): string {
  const wanted = new Map<string, string[]>();
  for (const { property, target, isNot } of relations)
    if (isNot !== true) wanted.set(property, [...(wanted.get(property) ?? []), `<${target}>`]);
  const unwanted = relations.filter(({ isNot }) => isNot === true);
  return [
    `?r <${FACT}endpoint> ${endpoint === undefined ? "?any" : `"${endpoint}"`} .`,
    ...[...wanted].map(
      ([property, targets]) => `FILTER EXISTS { ?r <${FACT}${property}> ?t FILTER(?t IN (${targets.join()})) }`,
    ),
    ...unwanted.map(({ property, target }) => `FILTER NOT EXISTS { ?r <${FACT}${property}> <${target}> }`),
    ...(begins === undefined ? [] : [`?r <${FACT}ends> ?last FILTER(?last >= ${begins})`]),
    ...(ends === undefined ? [] : [`?r <${FACT}begins> ?first FILTER(?first <= ${ends})`]),
    ...(under === undefined ? [] : [`{ SELECT DISTINCT ?r { ?t (${BELOW})* <${under}> . ?r <${FACT}any> ?t } }`]),
    ...(isPictured === undefined ? [] : [`?r <${FACT}picture> "${isPictured ? "yes" : "no"}" .`]),
    ...(changed === undefined ? [] : [`?r <${FACT}time> ?time FILTER(?time >= ${sinceOf(changed)})`]),
  ].join("\n");
}

function sinceOf(changed: string): number {
  const days = PERIODS[changed];
  return days === undefined ? Date.parse(changed) : Date.now() - days * 86_400_000;
}
