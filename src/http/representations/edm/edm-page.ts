/** Writes docs/use/edm.md: what becomes what, as the mapping has it. */
import { DUMBED_DOWN, EDM_MAPPING, type EdmForm, type EdmRow, type PathRow, RESOURCE_TYPES } from "./mapping.js";
import { NOT_EVALUATED } from "./rights.js";

const INTRODUCTION = `# EDM and Dublin Core

Every object is also a document of the [Europeana Data Model](https://pro.europeana.eu/page/edm-documentation), one \`edm:ProvidedCHO\` with its \`ore:Aggregation\`, for Europeana, national portals and other aggregators:

    curl http://localhost:3000/object/mona-lisa.edm.rdf

\`Accept: application/rdf+xml;profile="http://www.europeana.eu/schemas/edm/"\` asks for the same, and \`vitrine get object/mona-lisa --format edm\`. Records of other kinds have none: they are described in the
documents of the objects that name them. [OAI-PMH](harvest.md#oai-pmh) gives these documents one after the other.

This page is written from the mapping by \`npm run generate\`.

## What to decide

| in the settings file | says |
| --- | --- |
| \`publisher\` | who has the objects: \`edm:dataProvider\`. Without it, \`title\` |
| \`edm-provider\` | who gives the data to Europeana: \`edm:provider\`, the portal that collects for it. Without it, the same |
| \`edm-rights\` | \`edm:rights\` of objects whose records say none that Europeana takes. Without it, <${NOT_EVALUATED}>: nobody evaluated their copyright. \`serve\` says so when it starts |

Europeana takes the licences and marks of Creative Commons, and \`NoC-NC\`, \`NoC-OKLR\`, \`InC\`, \`InC-EDU\`, \`InC-OW-EU\` and \`CNE\` of RightsStatements.org. Others are passed over; \`https\`, \`/page/\`, \`/deed\` and the like are written as Europeana wants them.

## What is described

What an object names by an IRI (makers, places, concepts, periods) is an element of its own, as its record here describes it; without one, by the label in the object's record. What has neither is left out. What has a name alone is that name.
`;

const DUBLIN_CORE = `## Dublin Core

\`oai_dc\`, which OAI-PMH gives of every record, is the same mapping of the entity itself, with words in the place of IRIs. Elements that simple Dublin Core lacks become those that it has:
`;

/** The whole page. */
export function edmPage(): string {
  const classes = Object.entries(EDM_MAPPING).flatMap(([name, rows]) => [
    `### ${name}`,
    "",
    "| element | comes from | is |",
    "| --- | --- | --- |",
    ...rows.map(rowOf),
    "",
  ]);
  const dumbed = Object.entries(DUMBED_DOWN).map(([from, to]) => `| ${code(from)} | ${code(to)} |`);
  const types = Object.entries(RESOURCE_TYPES).map(([kind, type]) => `${kind} ${code(type)}`);
  return [
    INTRODUCTION,
    `Of a record without a classification, \`dc:type\` is the type that DCMI has: ${types.join(", ")}.`,
    "",
    ...classes,
    DUBLIN_CORE,
    "| element | becomes |",
    "| --- | --- |",
    ...dumbed,
    "",
  ].join("\n");
}

function rowOf(row: EdmRow): string {
  if ("says" in row) return `| ${code(row.to)} | | ${row.says} |`;
  return `| ${code(row.to)} | ${fromOf(row)} | ${formOf(row.as)} |`;
}

function fromOf({ from, ofWork, only, classes, except, most, otherwise }: PathRow): string {
  const conditions = [
    ...(ofWork === undefined ? [] : ["of what it shows or carries, and of its pictures' records"]),
    ...(only === undefined ? [] : [`classified as ${only.map(code).join(" or ")}`]),
    ...(classes === undefined ? [] : [`each ${classes.join(" or ")}`]),
    ...(except === undefined ? [] : [`no ${except.join(", no ")}`]),
    ...(most === undefined ? [] : ["the first"]),
    ...(otherwise === undefined ? [] : ["where nothing else gave it"]),
  ];
  const path = from.length === 0 ? "itself" : code(from.join(" / "));
  return conditions.length === 0 ? path : `${path}: ${conditions.join(", ")}`;
}

const FORMS: Readonly<Record<Exclude<EdmForm, `${string}:${string}`>, string>> = {
  reference: "the IRI",
  text: "text with its language",
  plain: "text",
  language: "the code of the language",
  date: "a date",
  begin: "the first day, month or year",
  end: "the last day, month or year",
  size: "what is measured, the number and the unit",
  latitude: "the latitude of a point",
  longitude: "its longitude",
};

function formOf(form: EdmForm): string {
  return form in FORMS ? FORMS[form as keyof typeof FORMS] : code(form);
}

function code(text: string): string {
  return `\`${text}\``;
}
