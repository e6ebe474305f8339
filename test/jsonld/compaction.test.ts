/** Contexts that fast-check makes up: documents are those that jsonld.js compacts, and their triples those that it reads. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { ActiveContext } from "../../src/jsonld/active-context.js";
import { type CompactedValueKind, Compaction, ConfusedIriError } from "../../src/jsonld/compaction.js";
import { ContextRegistry } from "../../src/jsonld/contexts.js";
import { Expander } from "../../src/jsonld/expand.js";
import { frame } from "../../src/jsonld/frame.js";
import { LossCollector } from "../../src/jsonld/loss.js";
import { compactPlan, expandedPlan } from "../../src/jsonld/plan.js";
import type { Json, RecordGraph } from "../../src/rdf/record-graph.js";
import { blank, iri, literal, RDF, type Term, XSD } from "../../src/rdf/terms.js";
import { canonical, plainQuads } from "../canonical.js";
import { runsOf } from "../extent.js";
import { ENTITY, graphOf } from "../rdf/record-graphs.js";
import type { JsonObject } from "./documents.js";
import { reference } from "./reference.js";

const NS = "https://ns.example/";
const VOCAB = "https://vocab.example/";
const LAYOUT = { order: () => [], form: () => undefined, isNumber: () => false, standsAlone: () => false };
const environment = { registry: new ContextRegistry(), base: undefined };

/** Properties of literals, of references, of nodes within, and of lists: terms for them are as their values need. */
const [TEXT, NUMBER, REFERENCE, NODE, LIST] = ["text", "number", "reference", "node", "list"].map((name) => NS + name);

function definitions(property: string, entries: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc
    .array(entries, { maxLength: 3 })
    .map((all) => Object.fromEntries(all.map((each, at) => [`${property.slice(NS.length)}${at}`, each])));
}

const container = fc.constantFrom({}, { "@container": "@set" });
const strings = fc.constantFrom<JsonObject>(
  ...[{}, { "@language": "en" }, { "@language": null }, { "@type": XSD.date }, { "@type": XSD.string }],
  ...[{ "@direction": "rtl" }, { "@language": "nl", "@direction": null }],
);
const merged = (...parts: readonly fc.Arbitrary<JsonObject>[]): fc.Arbitrary<JsonObject> =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all) as JsonObject);

const nodeTerms = definitions(
  NODE!,
  merged(fc.constantFrom({}, { "@type": "@id" }), fc.constant({ "@id": NODE! }), container),
);
const terms = merged(
  // Of two maps of languages either may be taken.
  fc.constantFrom<Json>("@language", ["@language", "@set"]).chain((map) => {
    const json = fc.constant<JsonObject>({ "@id": TEXT!, "@type": "@json" });
    const inMap = fc.constant<JsonObject>({ "@id": TEXT!, "@container": map });
    return definitions(TEXT!, fc.oneof(merged(strings, container, fc.constant({ "@id": TEXT! })), inMap, json));
  }),
  definitions(
    REFERENCE!,
    merged(
      fc.constantFrom({}, { "@type": "@id" }, { "@type": "@vocab" }, { "@type": XSD.date }, { "@nest": "@nest" }),
      fc.constant({ "@id": REFERENCE! }),
      container,
    ),
  ),
  nodeTerms,
  definitions(
    NUMBER!,
    merged(
      fc.constantFrom({}, { "@language": "en" }, { "@language": null }),
      container,
      fc.constant({ "@id": NUMBER! }),
    ),
  ),
  fc.constantFrom<JsonObject>({}, { list: { "@id": LIST!, "@container": "@list" } }, { list: { "@id": LIST! } }),
);
/** Contexts with other names for keywords, prefixes, and contexts of a class or within a property. */
const contexts = merged(
  terms,
  fc.constantFrom({}, { "@vocab": VOCAB }),
  fc.constantFrom({}, { "@language": "en" }),
  fc.constantFrom(
    {},
    { id: "@id", type: "@type" },
    { tag: "@language", many: "@list", "@type": { "@container": "@set" } },
  ),
  fc.constantFrom({}, { ns: NS }, { n: "https://ns.", ns: { "@id": NS, "@prefix": true } }),
  fc.oneof(
    fc.constant({}),
    terms.map((inner): JsonObject => ({ C: { "@id": "urn:C", "@context": inner } })),
  ),
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: terms.map((inner): JsonObject => ({ within: { "@id": NODE!, "@context": inner } })) },
  ),
);

const literals = fc.oneof(
  fc.constantFrom("", "x", "1889-01-01").map((value) => literal(value)),
  fc
    .tuple(fc.constantFrom("x", "y"), fc.constantFrom("en", "nl", "de-at"))
    .map(([value, tag]) => literal(value, undefined, tag)),
  fc.constantFrom(
    literal("1889-01-01", XSD.date),
    literal("x", "urn:d"),
    literal("1.50", XSD.decimal),
    literal("007", XSD.integer),
  ),
  fc.constantFrom(literal('{"a":[1]}', RDF.JSON), literal("[1 ]", RDF.JSON), literal("x", RDF.JSON)),
);
const numbers = fc.constantFrom(literal("7", XSD.integer), literal("true", XSD.boolean), literal("1.5E0", XSD.double));
const iris = fc.constantFrom("https://id.example/1", "urn:x", `${VOCAB}word`).map(iri);
type Statement = readonly [property: string, object: Term];
const statements: fc.Arbitrary<Statement> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom(TEXT!, `${NS}other`, `${VOCAB}own`), literals) },
  fc.tuple(fc.constantFrom(`${NS}other`, NUMBER!), numbers),
  fc.tuple(fc.constant(REFERENCE!), iris),
  fc.tuple(fc.constant(REFERENCE!), literals),
  fc.tuple(fc.constant(RDF.type), fc.constantFrom("urn:C", `${VOCAB}Class`, `${NS}Class`).map(iri)),
);
const graphs = fc
  .record({
    own: fc.array(statements, { maxLength: 5 }),
    inside: fc.array(fc.array(statements, { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
    list: fc.option(fc.array(fc.oneof(literals, iris), { maxLength: 3 }), { nil: undefined }),
  })
  .map(({ own, inside, list }) => {
    const about = (subject: Term, all: readonly Statement[]) =>
      all.map(([property, object]): [Term, Term, Term] => [subject, iri(property), object]);
    const [first, rest, root] = [iri(RDF.first), iri(RDF.rest), iri(ENTITY)];
    const cell = (at: number): Term => (at === list!.length ? iri(RDF.nil) : blank(`cell${at}`));
    return graphOf(ENTITY, [
      ...about(root, own),
      ...inside.flatMap((all, at) => [...about(root, [[NODE!, blank(`n${at}`)]]), ...about(blank(`n${at}`), all)]),
      ...(list === undefined ? [] : about(root, [[LIST!, cell(0)]])),
      ...(list ?? []).flatMap((item, at): [Term, Term, Term][] => [
        [cell(at), first, item],
        [cell(at), rest, cell(at + 1)],
      ]),
    ]);
  });

/** The document under a context; `undefined` where that has no way to write it. */
function written(graph: RecordGraph, context: Json): JsonObject | undefined {
  try {
    return frame(graph, compactPlan(context, environment, { layout: LAYOUT, exactNumbers: true }), context);
  } catch (error) {
    if (error instanceof ConfusedIriError) return undefined;
    throw error;
  }
}

it("is jsonld.js's, and what it says is read again", async () => {
  await fc.assert(
    fc.asyncProperty(graphs, contexts, async (graph, context) => {
      const document = written(graph, context);
      fc.pre(document !== undefined && graph.triples.length > 0);
      const expanded = frame(graph, expandedPlan());
      // jsonld.js leaves an empty context out.
      const compacted = await reference.compact([expanded], context, { base: "" });
      expect(document).toEqual({ "@context": context, ...compacted });
      const read = new Expander(context, environment).record(document!, new LossCollector(true));
      expect(await canonical(plainQuads(read))).toBe(await canonical(plainQuads(graph)));
    }),
    runsOf(2_000),
  );
});

/** Few IRIs, with one another's beginnings, and few names, some of them compact IRIs: they meet. */
const words = [NS, `${NS}a`, `${NS}ab`, `${NS}a:b`, `${NS}a/b`, "urn:a", "urn:a:b", "n:ab", "n:x", "ab", "_:ab"];
const names = ["a", "b", "ab", "n", "ns", "n:a", "n:ab", "ns:a", "ns:ab"];
const named = (iri: string): fc.Arbitrary<JsonObject> => {
  const word = fc.oneof(fc.constant(iri), fc.constantFrom(...words));
  const as = (key: string): fc.Arbitrary<JsonObject> => word.map((each) => ({ [key]: each }));
  const prefix = fc.constantFrom<JsonObject>({}, { "@prefix": true }, { "@prefix": false });
  const type = fc.constantFrom("@id", "@vocab", "@none", "@json").map((each): JsonObject => ({ "@type": each }));
  const containers = ["@set", "@list", "@language"].map((each): JsonObject => ({ "@container": each }));
  const definition = merged(
    fc.oneof({ weight: 5, arbitrary: merged(as("@id"), prefix) }, as("@reverse")),
    fc.oneof(strings, type, fc.constant({ "@language": "en", "@direction": "rtl" })),
    fc.constantFrom({}, ...containers),
  );
  return merged(
    fc.constantFrom({}, { "@vocab": NS }, { "@vocab": `${NS}a` }, { "@vocab": "urn:" }),
    fc.constantFrom({}, { "@language": "en" }, { "@direction": "rtl" }, { "@language": "en", "@direction": "rtl" }),
    fc.dictionary(fc.constantFrom(...names), fc.oneof(word, definition), { maxKeys: 5 }),
  );
};
const namings = fc.constantFrom(...words).chain((iri) => fc.tuple(fc.constant(iri), named(iri)));

/** What is named, as jsonld.js has it in a document, and as the kind that a term is chosen for. */
const NAMED: readonly (readonly [value: Json, kind: CompactedValueKind])[] = [
  [{ "@value": "x" }, { kind: "plain" }],
  [
    { "@value": "x", "@language": "en" },
    { kind: "language", language: "en" },
  ],
  [
    { "@value": "x", "@type": XSD.date },
    { kind: "typed", datatype: XSD.date },
  ],
  [{ "@value": [1], "@type": "@json" }, { kind: "json" }],
  [{ "@id": "https://id.example/1" }, { kind: "node" }],
];

async function outcome<Result>(name: () => Result | Promise<Result>): Promise<Result | undefined> {
  try {
    return await name();
  } catch {
    return undefined;
  }
}

it("gives classes and properties the names that jsonld.js gives them, or others where those would be read as another IRI", async () => {
  await fc.assert(
    fc.asyncProperty(namings, async ([iri, context]) => {
      const active = await outcome(() => ActiveContext.of(context, environment));
      fc.pre(active !== undefined);
      const compaction = new Compaction(active!);
      const compacted = (node: JsonObject) => outcome(() => reference.compact([node], context, { base: "" }));
      const compare = (own: string | undefined, theirs: string | undefined): void => {
        const read = (name: string) => active!.expandIri(name, { vocab: true, base: false });
        if (theirs !== undefined && read(theirs) === iri) expect(own).toBe(theirs);
        else if (own !== undefined) expect(read(own)).toBe(iri);
      };
      const classes = (await compacted({ "@type": [iri] }))?.["@type"];
      compare(await outcome(() => compaction.vocab(iri)), classes as string | undefined);
      for (const [value, kind] of NAMED) {
        const own = await outcome(() => compaction.term(iri, kind, new Set())?.term ?? compaction.key(iri));
        const document = await compacted({ [iri]: [value] });
        compare(own, document && Object.keys(document).find((key) => key !== "@context"));
      }
    }),
    runsOf(2_000),
  );
});

it("has no name for an IRI that its context takes for nothing, or for another", () => {
  const compaction = new Compaction(ActiveContext.of({ [TEXT!]: null, n: "urn:n:" }, environment));
  expect(() => compaction.key(TEXT!)).toThrow(ConfusedIriError);
  expect(() => compaction.vocab(TEXT!)).toThrow(ConfusedIriError);
  expect(compaction.iri(TEXT!)).toBe(TEXT);
  expect(() => compaction.iri("n:x")).toThrow(
    'the IRI "n:x" is confused with a term or with the prefix "n" of its @context',
  );
});
