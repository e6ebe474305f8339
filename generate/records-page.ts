/** The writer of docs/publish/records.md: the required and allowed properties of each kind of record, from the field tables. */
import { ENDPOINTS } from "../src/model/tables/endpoints.js";
import type { Field, Range } from "../src/model/tables/fields.js";
import { STRUCTURES } from "../src/model/tables/structures.js";

const INTRODUCTION = `# What records say

For data teams: the properties of each kind of record, and of the structures inside them. First come the properties that [every record](#every-record) has, then those of each kind.

    vitrine explain place/delft part_of

This shows a row beside the value in a record. \`vitrine validate\` checks the rows as rules \`TABLE.property.*\` ([validation.md](validation.md)). \`npm run generate\` writes this page from the field tables.

- A record without a **required** property is invalid. A missing **recommended** property causes a warning.
- \`[ ]\` is an array, even for one value.
- A *reference* is an object of \`id\`, \`type\` and \`_label\`. It names an entity with a record of its own. A structure has no record: write it in place.
- [Images and rights](#images-and-rights) has an example of both.
- [Triples without a graph](#triples-without-a-graph) says which entities of a Turtle file have records.
- † marks what Linked Art allows, but the specification does not show.
`;

const IMAGES = `## Images and rights

A picture of an entity is a Visual Work in \`representation\`. The files that show it are Digital Objects in \`digitally_shown_by\`, each with its address in \`access_point\`. Rights are in \`subject_to\`: those in the object itself beside its \`representation\`, those in the image at its file. What classifies a right is its licence. This is harbour.json:

\`\`\`json file=harbour.json
{
  "@context": "https://linked.art/ns/v1/linked-art.json",
  "id": "https://data.museum.example/object/harbour",
  "type": "HumanMadeObject",
  "_label": "View of a Harbour",
  "classified_as": [{ "id": "http://vocab.getty.edu/aat/300033618", "type": "Type", "_label": "paintings" }],
  "identified_by": [{ "type": "Name", "content": "View of a Harbour" }],
  "subject_to": [
    {
      "type": "Right",
      "_label": "Public Domain Mark",
      "identified_by": [{ "type": "Name", "content": "Public Domain Mark" }],
      "classified_as": [{ "id": "https://creativecommons.org/publicdomain/mark/1.0/", "type": "Type", "_label": "Public Domain Mark" }]
    }
  ],
  "representation": [
    {
      "type": "VisualItem",
      "digitally_shown_by": [
        {
          "type": "DigitalObject",
          "format": "image/jpeg",
          "access_point": [{ "id": "https://images.museum.example/harbour.jpg", "type": "DigitalObject" }],
          "subject_to": [
            {
              "type": "Right",
              "_label": "CC BY 4.0",
              "identified_by": [{ "type": "Name", "content": "CC BY 4.0" }],
              "classified_as": [{ "id": "https://creativecommons.org/licenses/by/4.0/", "type": "Type", "_label": "CC BY 4.0" }]
            }
          ]
        }
      ]
    }
  ]
}
\`\`\`

    vitrine validate harbour.json

- The tables of object and digital have no \`subject_to\`, because the specification does not show it there. Vitrine accepts it. Pages show both rights, and a search by licence finds both. schema.org and [EDM](../use/edm.md) have the licence of the image, [IIIF](../use/manifests.md) that of the object.
- Portals and viewers know the licences of Creative Commons and RightsStatements.org. What you say of rights in your own words is a statement in \`referred_to_by\`, classified as \`300435434\`.
- A picture or a file that several objects share has a record of its own: refer to it by \`id\`, \`type\` and \`_label\`.
`;

const DIVISION = `## Triples without a graph

A document is a record, and so is a named graph. Turtle, N-Triples and RDF/XML have no graphs, so \`load\` and \`validate\` divide their triples among records:

- An IRI whose class belongs to a kind of record has a record if the input says more of it than a reference does. A reference has the class, \`rdfs:label\`, \`equivalent\` and \`notation\`; that of a Type also \`classified_as\`.
- If the input says no more, the IRI has a record only if no other record mentions it.
- An IRI has no record if a property whose value is a structure leads to it. It belongs to the record that refers to it. A concept does have one.
- A record takes its own triples, those of its blank nodes and structures, and of each entity that it refers to what a reference has.

This is parts.ttl:

\`\`\`turtle file=parts.ttl
@prefix crm: <http://www.cidoc-crm.org/cidoc-crm/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix museum: <https://data.museum.example/> .

museum:album a crm:E22_Human-Made_Object ; rdfs:label "Album" .
museum:leaf a crm:E22_Human-Made_Object ; rdfs:label "Leaf 7" ; crm:P46i_forms_part_of museum:album .
\`\`\`

    vitrine validate parts.ttl

It has one record, that of the leaf. The album has only a class and a label, and the leaf mentions it: so these triples are part of the leaf's record, as a reference. Without the last triple, the album would have a record. So a reference that is added to a file can take a record away, and a load with \`--sync\` then deletes it. To prevent this, say one thing more of each entity that shall have a record, such as a name in \`identified_by\`. Or write N-Quads or TriG, with a named graph for each record: then a graph with class and label is a record, too.
`;

/** Tables that have rows in common, which are shown once, before the tables. */
interface Family {
  readonly title: string;
  readonly tables: readonly { readonly name: string; readonly fields: readonly Field[] }[];
}

const STRUCTURE_TABLES = [...STRUCTURES.values()];
const having = (name: string): typeof STRUCTURE_TABLES =>
  STRUCTURE_TABLES.filter(({ fields }) => fields.some(({ property }) => property === name));

const RECORDS: Family = { title: "Every record", tables: ENDPOINTS };
const FAMILIES: readonly Family[] = [
  { title: "Every activity", tables: having("technique") },
  {
    title: "Every part of a provenance activity",
    tables: having("took_place_at").filter(({ name }) => name.endsWith("Part")),
  },
];

/** The text of docs/publish/records.md. */
export function recordsPage(): string {
  const kinds = ENDPOINTS.map(({ name, title, section, classes, closed, fields }) =>
    [
      `## ${name}`,
      "",
      `${title}, specification ${section}. \`type\`: ${classes.map(code).join(", ")}.${closed ? " No other property is allowed." : ""}`,
      "",
      ...ownTable(fields, RECORDS),
    ].join("\n"),
  );
  const structures = STRUCTURE_TABLES.map((table) => {
    const family = FAMILIES.find(({ tables }) => tables.includes(table));
    const rows = family === undefined ? tableOf(table.fields.map(rowOf)) : ownTable(table.fields, family);
    return [`### ${table.name}`, "", `Specification ${table.section}.`, "", ...rows].join("\n");
  });
  const shared = FAMILIES.map((family) => [`### ${family.title}`, "", ...tableOf(commonRows(family))].join("\n"));
  return [
    INTRODUCTION,
    [`## ${RECORDS.title}`, "", ...tableOf(commonRows(RECORDS))].join("\n"),
    IMAGES,
    DIVISION,
    ...kinds,
    "## Structures",
    ...shared,
    ...structures,
  ]
    .join("\n\n")
    .replaceAll("\n\n\n", "\n\n")
    .concat("\n");
}

/** The rows that all tables of a family have. */
function commonRows({ tables }: Family): readonly string[] {
  const [first, ...others] = tables.map(({ fields }) => fields.map(rowOf));
  return first!.filter((row) => others.every((rows) => rows.includes(row)));
}

/** The rows that a table does not share with its family, and the names of those that it does. */
function ownTable(fields: readonly Field[], family: Family): string[] {
  const common = commonRows(family);
  const isCommon = (field: Field): boolean => common.includes(rowOf(field));
  const names = fields.filter(isCommon).map(({ property }) => code(property));
  const title = family.title.toLowerCase();
  return [
    ...tableOf(fields.filter((field) => !isCommon(field)).map(rowOf)),
    "",
    `Also, as in [${title}](#${title.replaceAll(" ", "-")}): ${names.join(", ")}.`,
  ];
}

function tableOf(rows: readonly string[]): string[] {
  return ["| property | | value | meaning |", "| --- | --- | --- | --- |", ...rows];
}

function rowOf(field: Field): string {
  const { property, requirement, datatype, range, meaning, when, includes, unnamedWith } = field;
  const conditions = [
    ...(when === undefined ? [] : [`Only for ${when.map(code).join(", ")}.`]),
    ...(unnamedWith === undefined ? [] : [`The id may be missing beside ${code(unnamedWith)}.`]),
    ...(includes === undefined ? [] : [`Must include the concept ${code(includes)}.`]),
    ...(field.specified ? [] : field.own ? ["An institution's own property."] : ["†"]),
  ];
  const value = wordsOf(range);
  const form = datatype === "array" ? `[ ${value} ]` : datatype === "string or array" ? `${value}, or [ ]` : value;
  const must = requirement === "optional" ? "" : requirement === "required" ? "**required**" : "recommended";
  return `| ${code(property)} | ${must} | ${form} | ${[meaning, ...conditions].join(" ")} |`;
}

function wordsOf(range: Range): string {
  switch (range.kind) {
    case "context":
      return "the context's URI";
    case "iri":
      return "IRI";
    case "class":
      return range.classes.length === 0 ? "a class" : range.classes.map(code).join(", ");
    case "literal":
      return LITERALS[range.literal];
    case "term":
      return "a word of the vocabulary";
    case "structure":
      return range.structures.map((name) => `[${name}](#${name.toLowerCase()})`).join(", ");
    case "concept":
      return `${range.classes.map(code).join(", ")} concept`;
    case "reference":
      return range.classes === "any" ? "reference" : `reference to ${range.classes.map(code).join(", ")}`;
    case "entity":
      return "reference, or an embedded description";
  }
}

const LITERALS: { readonly [kind in Extract<Range, { kind: "literal" }>["literal"]]: string } = {
  text: "text",
  number: "number",
  timestamp: "`YYYY-MM-DDThh:mm:ssZ`",
  "media type": "media type",
  geometry: "WKT or GeoJSON",
};

/** A text as code in Markdown. */
export function code(text: string): string {
  return `\`${text}\``;
}
