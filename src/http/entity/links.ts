/** The links of an entity: its URL, its representations, and what it is (RFC 8288, FAIR Signposting). */
import { entryOf } from "../../base/entries.js";
import { ENDPOINT_NAMES } from "../../model/tables/names.js";
import { expandIri, propertyIri } from "../../model/vocabulary/vocabulary.js";
import type { Nodes } from "../../rdf/record-graph.js";
import { RDF } from "../../rdf/terms.js";
import type { RecordMeta } from "../../store/record.js";
import { type Link, linkText } from "../message/headers/link.js";
import { type Addressed, addressed, type Representation } from "../representations/representation.js";
import { SCHEMA, SCHEMA_MAPPING } from "../representations/schema-org-mapping.js";

/** The steps from a node, by predicate: the relation of its objects to the entity, and the steps that follow from them. */
type Steps = ReadonlyMap<string, Step>;

interface Step {
  readonly relation?: string;
  /** The property whose value is linked in place of the object, if the object has one. */
  readonly betterBy?: string;
  /** The property of the node where the step starts that gives the media type of the object. */
  readonly typeBy?: string;
  readonly steps?: Steps;
}

/** The IRI of a property, by its term or, if the term depends on the class, by its compact IRI. */
function property(name: string): string {
  return name.includes(":") ? expandIri(name) : propertyIri(name)!;
}

const authors: Steps = new Map([[property("carried_out_by"), { relation: "author" }]]);
/** The making of a thing, or the parts of the making: a workshop's production often consists of each person's share. */
const making = { steps: new Map([...authors, [property("crm:P9_consists_of"), { steps: authors }]]) };
const FILE: Step = { relation: "item", typeBy: property("format") };
const content: Steps = new Map([[property("access_point"), FILE]]);
/** A licence. One from the institution's own vocabulary is unknown elsewhere, so its `equivalent` is preferred. */
const LICENSE: Step = { relation: "license", betterBy: property("equivalent") };

/** The statements of a record that are link relations of Signposting and RFC 6573. */
const STATED: Steps = new Map<string, Step>([
  [RDF.type, { relation: "type" }],
  [property("la:member_of"), { relation: "collection" }],
  [property("produced_by"), making],
  [property("created_by"), making],
  [property("subject_to"), { steps: new Map([[property("classified_as"), LICENSE]]) }],
  [property("access_point"), FILE],
  [property("representation"), { steps: new Map([[property("digitally_shown_by"), { steps: content }]]) }],
]);

/** The same without the classes, in whose place the head has types of schema.org. */
const STATED_IN_HEAD: Steps = new Map([...STATED].filter(([, { relation }]) => relation !== "type"));

/** A media type without its parameters (RFC 9110, 8.3.1); `format` has other texts, too, in some records. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?=\s*(?:;|$))/;

/** The maximum length of a `Link` header, without the links of versions. Heads stay near 1.3 KB, since some clients refuse 8 KB. The linkset has all links. */
export const MAX_LINK = 720;

/** Joins as many whole links as fit into `MAX_LINK`, in their order. */
export function boundedLinks(links: readonly string[]): string {
  let kept = "";
  for (const link of links) {
    const longer = kept === "" ? link : `${kept}, ${link}`;
    if (longer.length <= MAX_LINK) kept = longer;
  }
  return kept;
}

/** The links to an entity's linkset and first description, each without `<` and the entity's URL at its beginning (FAIR Signposting, `describedby`). */
export function pointers(representations: readonly Representation[]): readonly string[] {
  const linked = addressed(representations);
  const linkset = linked.find(({ relation }) => relation === "linkset");
  const description = linked.find(({ relation }) => relation === undefined);
  return [linkset, description].flatMap((each) =>
    each === undefined ? [] : `${each.suffix}>; rel="${each.relation ?? "describedby"}"; type="${each.mediaType}"`,
  );
}

/** The links between an entity and its representations. Data are `alternate` and, for harvesters, also `describedby`. */
export function representationLinks(iri: string, url: string, representations: readonly Addressed[], license?: string) {
  const identity = ["canonical", "cite-as"].map((relation) => ({ relation, href: iri, anchor: iri }));
  const forms = representations.filter(({ relation }) => relation !== "linkset");
  const there = forms.flatMap(({ mediaType, contentType, suffix, relation }) => {
    const profile = /;\s*profile="([^"]*)"/.exec(contentType)?.[1];
    const link = { href: url + suffix, type: mediaType, profile, anchor: iri };
    const relations = relation === undefined ? ["alternate", "describedby"] : ["alternate"];
    return relations.map((each) => ({ ...link, relation: each }));
  });
  const back = forms.flatMap(({ suffix, profiles }) => {
    const anchor = url + suffix;
    return [
      { relation: "describes", href: iri, anchor },
      ...profiles.map((href) => ({ relation: "profile", href, anchor })),
      ...(license === undefined ? [] : [{ relation: "license", href: license, anchor }]),
    ];
  });
  return [...identity, ...there, ...back];
}

/** The `type` links of an entity by endpoint: a landing page, and the most specific type of schema.org. */
const TYPES = new Map(
  [null, ...ENDPOINT_NAMES].map((endpoint) => {
    const types = ["AboutPage", ...(endpoint === null ? [] : SCHEMA_MAPPING[endpoint].types.slice(-1))];
    return [endpoint, types.map((type): Link => ({ relation: "type", href: SCHEMA + type }))] as const;
  }),
);
const TYPES_IN_HEAD = new Map([...TYPES].map(([name, links]) => [name, links.map(linkText)]));

interface Described {
  readonly nodes: Nodes;
  readonly meta: Pick<RecordMeta, "endpoint">;
}

/** The links of an entity for the `Link` header. @param license the licence of all records; if the record states rights itself, this licence is only for the description at `location` */
export function headLinks(
  { nodes, meta }: Described,
  vocabBase: string,
  license: string | undefined,
  location: string,
) {
  const stated = statedLinks(nodes, STATED_IN_HEAD, vocabBase);
  const texts = [...TYPES_IN_HEAD.get(meta.endpoint)!];
  // Signposting allows one collection.
  const collection = stated.find(({ relation }) => relation === "collection");
  for (const link of stated) if (link.relation !== "collection" || link === collection) texts.push(linkText(link));
  const anchor = hasRights(stated) ? location : undefined;
  if (license !== undefined) texts.push(linkText({ relation: "license", href: license, anchor }));
  return texts;
}

/** The links of an entity for the linkset. */
export function entityLinks({ nodes, meta }: Described, vocabBase: string, license: string | undefined): Link[] {
  const stated = statedLinks(nodes, STATED, vocabBase);
  const own = license === undefined || hasRights(stated) ? [] : [{ relation: "license", href: license }];
  return [...TYPES.get(meta.endpoint)!, ...stated, ...own];
}

function hasRights(links: readonly Link[]): boolean {
  return links.some(({ relation }) => relation === "license");
}

/** The links that the record states. A class of the vocabulary says only that something is a right, so it is not a licence. */
function statedLinks(nodes: Nodes, steps: Steps, vocabBase: string): readonly Link[] {
  const links = new Map<string, Link>();
  collect(nodes, nodes.root, steps, links, new Map());
  return [...links.values()].filter(({ relation, href }) => relation !== "license" || !href.startsWith(vocabBase));
}

/** Collects the links of a node and of the nodes after it; each node is visited once per set of steps. */
function collect(nodes: Nodes, node: number, steps: Steps, links: Map<string, Link>, walked: Map<Steps, Set<number>>) {
  const { triples, first, next } = nodes;
  const seen = entryOf(walked, steps, () => new Set());
  if (seen.has(node)) return;
  seen.add(node);
  for (let triple = first[node] ?? -1; triple !== -1; triple = next[triple]!) {
    const step = steps.get(nodes.name(triples[triple * 3 + 1]!));
    if (step === undefined) continue;
    const object = triples[triple * 3 + 2]!;
    if (step.relation !== undefined && nodes.isIri(object)) addLink(nodes, node, object, step, links);
    if (step.steps !== undefined) collect(nodes, object, step.steps, links, walked);
  }
}

function addLink(nodes: Nodes, node: number, object: number, step: Step, links: Map<string, Link>): void {
  const { relation, betterBy, typeBy } = step;
  const href = (betterBy && firstValue(nodes, object, betterBy)) ?? nodes.value(object);
  const format = typeBy && firstValue(nodes, node, typeBy);
  const type = format === undefined ? undefined : MEDIA_TYPE.exec(format)?.[0];
  links.set(`${relation} ${href}`, { relation: relation!, href, type });
}

function firstValue(nodes: Nodes, node: number, predicate: string): string | undefined {
  const { triples, first, next } = nodes;
  for (let triple = first[node]!; triple !== -1; triple = next[triple]!)
    if (nodes.name(triples[triple * 3 + 1]!) === predicate) return nodes.value(triples[triple * 3 + 2]!);
  return undefined;
}
