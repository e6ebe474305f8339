/** Odd values: literals, IRIs, graphs, contexts and documents at every edge of what the readers accept. */
import fc from "fast-check";
import type { Json } from "../../src/rdf/record-graph.js";
import { blank, iri, literal, RDF, RDFS_LABEL, type Term, XSD } from "../../src/rdf/terms.js";
import { ANY_CODE_POINT, webUrl } from "../generated-texts.js";

type JsonObject = { [key: string]: Json };

export const CONTEXT = "https://linked.art/ns/v1/linked-art.json";
const CRM = "http://www.cidoc-crm.org/cidoc-crm/";
const RDF_NS = RDF.type.slice(0, -"type".length);

const LETTERS = ["a", "é", "e\u0301", "名", "ש", "ب", "क", "ไ", "😀", "👩‍👩‍👧", "\u{10FFFF}", "𐎀"];
const MARKS = ['"', "'", "\\", "\n", "\r", "\t", "\b", "\f", " ", "<", ">", "{", "}", "@", "^^", "_:", ".", "#", "%zz"];
const INVISIBLE = [
  "\0",
  "\u000B",
  "\u001F",
  "\u007F",
  "\u0085",
  "\uFEFF",
  "\u2028",
  "\u202E",
  "\uFFFE",
  "\uFFFF",
  "\uFDD0",
];

const texts: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: fc.constantFrom(...LETTERS, ...MARKS, ...INVISIBLE), maxLength: 8 }) },
  { weight: 2, arbitrary: fc.string({ unit: ANY_CODE_POINT, maxLength: 6 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "",
      "true",
      "1889",
      "crm:P2_has_type",
      "@id",
      "@none",
      "https://x.example/",
      "__proto__",
    ),
  },
);

const NUMERALS = [
  ...[
    "0",
    "-0",
    "+1",
    "007",
    "1.",
    ".5",
    "1.50",
    "-0.0",
    "2.15",
    "10.0",
    "1e-7",
    "1E400",
    "5e-324",
    "0.30000000000000004",
  ],
  ...["INF", "-INF", "+INF", "NaN", "9007199254740991", "9007199254740993", "-170141183460469231731687303715884105729"],
  ...["0.000000000000000000000000001", "123456789012345678901234567890.5", "1.7976931348623157E308", "1.0E21", "2.5E0"],
];
const DATES = [
  ...["1889", "-0500", "0000", "99999999999999999999", "1889-06", "1889-06-01", "2020-02-30", "-99999999999-01-01"],
  ...[
    "1889-06-01T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "1889-06-01T24:00:00Z",
    "1889-06-01T00:00:00.000Z",
    "1889-06-01T00:00:00+00:00",
    "2020-01-01T00:00:00.000+14:00",
    "12:00:60",
  ],
  ...["P1Y2M", "-P99999999999999999999D", "PT0.0000000000000000000001S", "--02-30", "---31", "--13"],
];

const DATATYPES = [
  ...Object.values(XSD),
  ...["float", "date", "time", "gYear", "gYearMonth", "gMonthDay", "gDay", "gMonth", "duration", "dayTimeDuration"].map(
    xsd,
  ),
  ...["yearMonthDuration", "dateTimeStamp", "long", "byte", "unsignedInt", "hexBinary", "base64Binary", "anyURI"].map(
    xsd,
  ),
  ...["normalizedString", "token", "language", "NOTATION"].map(xsd),
  ...["langString", "dirLangString", "JSON", "HTML", "XMLLiteral", "PlainLiteral"].map((name) => RDF_NS + name),
  ...[
    "http://www.opengis.net/ont/geosparql#wktLiteral",
    "xsd:gYear",
    "urn:x:y",
    "x:",
    "http://x.example/a%20b",
    "tag:é",
  ],
];

function xsd(name: string): string {
  return XSD.string.slice(0, -"string".length) + name;
}

const LANGUAGES = [
  "en",
  "en-GB",
  "EN-gb",
  "zh-Hant-TW",
  "x-private-use",
  "i-klingon",
  "de-1901",
  "a-b-c",
  "ar-Arab",
].concat("longlonglonglong-subtaglonglonglong", "en-a-bbb-x-a-ccc");

export const literals: fc.Arbitrary<Term> = fc.oneof(
  texts.map((value) => literal(value)),
  fc.tuple(texts, fc.constantFrom(...LANGUAGES)).map(([value, language]) => literal(value, undefined, language)),
  fc
    .tuple(fc.oneof(fc.constantFrom(...NUMERALS, ...DATES), texts), fc.constantFrom(...DATATYPES))
    .map(([value, datatype]) => literal(value, datatype)),
  fc.json({ maxDepth: 2 }).map((value) => literal(value, `${RDF_NS}JSON`)),
);

/** IRIs of every form that the readers take. */
const IRIS = [
  ...["https://x.example/a", "https://x.example/b#c", "http://x.example:8080/a?b=c&d", "http://[2001:db8::1]/x"],
  ...[
    "https://x.example/é/名/😀",
    "https://x.example/%zz",
    "https://x.example/a/../b",
    "https://x.example//",
    "http:x",
  ],
  ...[
    "https://user:pass@x.example/",
    "https://x.example/a(b)c'd",
    "urn:x:1",
    "urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66",
  ],
  ...[
    "mailto:a@x.example",
    "tag:x.example,2020:a",
    "data:,x",
    "a:b",
    "x-y.z+1:",
    "crm:x",
    "xsd:y",
    "id:z",
    "_x:y",
  ].slice(0, 8),
  ...[
    "https://x.example/\u00A0",
    "https://x.example/\uFFFF",
    "https://x.example/\u202E",
    "HTTP://X.EXAMPLE/",
    "https:///x",
  ],
  `https://x.example/${"long/".repeat(400)}`,
];
const PREDICATES = [
  ...["P2_has_type", "P67_refers_to", "P190_has_symbolic_content", "P90_has_value", "P43_has_dimension"].map(
    (name) => CRM + name,
  ),
  ...["P1_is_identified_by", "P108i_was_produced_by", "P999_invented", "P82a_begin_of_the_begin"].map(
    (name) => CRM + name,
  ),
  ...[
    RDFS_LABEL,
    RDF.type,
    RDF.first,
    RDF.rest,
    `${RDF_NS}value`,
    "https://x.example/p#",
    "urn:p",
    "https://x.example/p/1",
  ],
  ...["http://www.w3.org/2004/02/skos/core#broader", "https://x.example/t1", "https://x.example/%p"],
];
const CLASSES = ["E22_Human-Made_Object", "E54_Dimension", "E55_Type", "E33_E41_Linguistic_Appellation", "E53_Place"];

const iris = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...IRIS) }, { weight: 1, arbitrary: webUrl }).map(iri);
const blanks = fc.integer({ min: 0, max: 4 }).map((number) => blank(`n${number}`));

export type Triple = readonly [Term, Term, Term];

/** Triples of every shape around an entity: trees, circles, shared nodes and lists, strays, damaged lists. */
export function triplesOf(entity: string): fc.Arbitrary<readonly Triple[]> {
  const root = iri(entity);
  const triple = fc.tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(root) },
      { weight: 3, arbitrary: blanks },
      { weight: 1, arbitrary: iris },
    ),
    fc.constantFrom(...PREDICATES).map(iri),
    fc.oneof(
      { weight: 5, arbitrary: literals },
      { weight: 3, arbitrary: blanks },
      { weight: 2, arbitrary: iris },
      { weight: 1, arbitrary: fc.constantFrom(root, iri(RDF.nil), ...CLASSES.map((name) => iri(CRM + name))) },
    ),
  );
  const list = fc
    .tuple(fc.array(fc.oneof(literals, blanks, iris), { maxLength: 3 }), fc.boolean())
    .map(([items, isShared]): Triple[] => {
      const cell = (at: number): Term => (at < items.length ? blank(`l${at}`) : iri(RDF.nil));
      return [
        [root, iri(`${CRM}P67_refers_to`), cell(0)],
        ...(isShared ? [[iri("https://x.example/a"), iri("urn:p"), cell(0)] as Triple] : []),
        ...items.flatMap((item, at): Triple[] => [
          [cell(at), iri(RDF.first), item],
          [cell(at), iri(RDF.rest), cell(at + 1)],
        ]),
      ];
    });
  const typed: Triple = [root, iri(RDF.type), iri(`${CRM}E22_Human-Made_Object`)];
  return fc
    .tuple(fc.array(triple, { minLength: 1, maxLength: 6 }), fc.option(list, { nil: [], freq: 4 }))
    .map(([triples, more]) => [typed, ...triples, ...more]);
}

/** Numbers as JSON writes them, which JavaScript's own writer would not. */
export const RAW = "@@raw ";
const rawNumbers = fc
  .constantFrom(
    ...[
      "9007199254740993",
      "-12345678901234567890123",
      "1e-7",
      "5e-324",
      "1E400",
      "-0.0",
      "0.30000000000000004",
      "1.50",
    ],
    ...["1e21", "123456789012345678901234567890", "2.15", "1.0", "-0"],
  )
  .map((number) => RAW + number);

const scalars: fc.Arbitrary<Json> = fc.oneof(
  texts,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  rawNumbers,
  fc.constant(null),
);

const containers = fc.constantFrom<Json>(
  ...["@set", "@list", "@language", "@index", "@id", "@set", "@list", "@language"],
  ["@set", "@language"],
  ["@id", "@set"],
);
const definitions: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>("https://x.example/t0", "crm:P999_invented", "@nest", "@value", "@type", null),
  fc
    .record(
      {
        "@id": fc.constantFrom<Json>(
          "https://x.example/t1",
          "crm:P67_refers_to",
          "rdfs:label",
          "https://x.example/t#",
          "skos:note",
        ),
        "@type": fc.constantFrom<Json>(
          "@id",
          "@vocab",
          "@json",
          "@none",
          "xsd:decimal",
          "xsd:double",
          "xsd:integer",
          "xsd:dateTime",
        ),
        "@container": containers,
        "@language": fc.constantFrom<Json>("nl", "en-GB", null),
        "@direction": fc.constantFrom<Json>("ltr", null, null, null),
        "@nest": fc.constantFrom<Json>("@nest", "nested"),
        "@context": fc.constantFrom<Json>(
          { t1: "https://x.example/other" },
          { "@language": "de" },
          { t0: { "@type": "@id", "@id": "urn:t0" } },
        ),
        "@protected": fc.boolean() as fc.Arbitrary<Json>,
        "@prefix": fc.boolean() as fc.Arbitrary<Json>,
      },
      { requiredKeys: ["@id"] },
    )
    .map((definition) => definition as JsonObject),
  fc.constantFrom<Json>(
    { "@reverse": "https://x.example/r" },
    { "@reverse": "crm:P67_refers_to", "@container": "@set" },
  ),
);

const TERMS = ["t0", "t1", "t2", "nested", "value", "https://x.example/t1", "constructor", "__proto__"];
/** What every context of its own defines, so that most keys mean something. */
const DEFINED = { nested: "@nest", t0: "urn:t0", t1: "urn:t1", t2: "urn:t2#", constructor: "urn:constructor" };

const localContexts: fc.Arbitrary<Json> = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...TERMS), definitions, { maxKeys: 4, noNullPrototype: true }),
    fc.record(
      {
        "@language": fc.constantFrom<Json>("nl", null),
        "@vocab": fc.constantFrom<Json>("https://x.example/", "crm:", "https://x.example/p#", null),
        "@base": fc.constantFrom<Json>("https://base.example/", null),
        "@direction": fc.constantFrom<Json>("rtl", null, null, null),
        "@protected": fc.boolean() as fc.Arbitrary<Json>,
        "@propagate": fc.boolean() as fc.Arbitrary<Json>,
        "@version": fc.constant<Json>(1.1),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([terms, keywords]) => ({ ...keywords, ...DEFINED, ...terms }) as JsonObject);

const KEYS = [
  "_label",
  "content",
  "value",
  "about",
  "refers_to",
  "part_of",
  "produced_by",
  "dimension",
  "begin_of_the_begin",
].concat(
  ...[
    "classified_as",
    "crm:P999_invented",
    "https://x.example/t1",
    "rdfs:seeAlso",
    "unknown",
    "_links",
    "id:x",
    "constructor",
  ],
);

const { value: values } = fc.letrec<{ value: Json; node: JsonObject; item: Json }>((tie) => ({
  item: fc.oneof({ maxDepth: 3, withCrossShrink: true }, scalars, tie("node")),
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalars,
    tie("item"),
    fc.array(tie("item"), { maxLength: 3 }) as fc.Arbitrary<Json>,
    tie("node"),
    fc.array(tie("item"), { maxLength: 3 }).map((items): Json => ({ "@list": items })),
    fc.array(tie("item"), { maxLength: 3 }).map((items): Json => ({ "@set": items })),
    fc
      .tuple(
        scalars,
        fc.constantFrom<JsonObject>(
          {},
          { "@type": "xsd:decimal" },
          { "@type": "xsd:date" },
          { "@language": "en-GB" },
          { "@type": "@json" },
          { "@index": null },
          { "@direction": null },
        ),
      )
      .map(([value, rest]): Json => ({ "@value": value, ...rest })),
    fc.dictionary(fc.constantFrom("en", "nl-BE", "@none", "https://x.example/k", "Type", "a b"), tie("item"), {
      maxKeys: 2,
      noNullPrototype: true,
    }) as fc.Arbitrary<Json>,
  ),
  node: fc
    .tuple(
      fc.option(fc.constantFrom("HumanMadeObject", "Type", "Name", "Dimension", "TimeSpan", "Unknown"), {
        nil: undefined,
      }),
      fc.option(fc.constantFrom(...IRIS, "_:x", "aat:1", "relative", ""), { nil: undefined, freq: 3 }),
      fc.dictionary(fc.constantFrom(...KEYS, ...TERMS), tie("value"), { maxKeys: 3, noNullPrototype: true }),
      fc.oneof(
        { weight: 40, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constantFrom("@reverse", "@included", "@nest", "@graph", "@index") },
      ),
      tie("value"),
    )
    .map(([type, id, rest, keyword, under]) => ({
      ...(type === undefined ? {} : { type }),
      ...(id === undefined ? {} : { id }),
      ...rest,
      ...(keyword === undefined ? {} : { [keyword]: keyword === "@reverse" ? { about: under } : under }),
    })),
}));

/** Contexts of documents, most of them with definitions of their own. */
export const contexts: fc.Arbitrary<Json> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Json>(CONTEXT) },
  { weight: 6, arbitrary: localContexts.map((local): Json => [local, CONTEXT]) },
  { weight: 6, arbitrary: localContexts.map((local): Json => [CONTEXT, local]) },
  { weight: 1, arbitrary: fc.constantFrom<Json>("", "https://unknown.example/", 5, [[CONTEXT]]) },
);

/** Documents of an entity under one of these contexts. */
export function documentOf(entity: string, known: readonly Json[]): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(
      fc.constantFrom(...known),
      fc.dictionary(fc.constantFrom(...KEYS, ...TERMS), values, { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
    )
    .map(([context, rest]) => ({ "@context": context, id: entity, type: "HumanMadeObject", ...rest }));
}

/** A document as JSON text, with the numbers that JavaScript's writer does not write. */
export function jsonText(document: JsonObject): string {
  return JSON.stringify(document).replace(new RegExp(`"${RAW}([^"]*)"`, "g"), "$1");
}
