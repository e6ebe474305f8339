/** The writer of docs/use/edm.md: what becomes what, as the mapping has it. */
import { DUMBED_DOWN, EDM_MAPPING, type EdmForm, type EdmRow, type PathRow, RESOURCE_TYPES } from "./mapping.js";
import { NOT_EVALUATED } from "./rights.js";

const INTRODUCTION = `# EDM and Dublin Core

Every object is also available in the [Europeana Data Model](https://pro.europeana.eu/page/edm-documentation), as one \`edm:ProvidedCHO\` with its \`ore:Aggregation\`, for Europeana, national portals and other aggregators:

    curl http://localhost:3000/object/mona-lisa.edm.rdf

\`Accept: application/rdf+xml;profile="http://www.europeana.eu/schemas/edm/"\` asks for the same. So does \`vitrine get object/mona-lisa --format edm\`. Records of other kinds have no such document: they are described in the
documents of the objects that name them. [OAI-PMH](harvest.md#oai-pmh) lists all of these documents.

\`npm run generate\` writes this page from the mapping.

## What to decide

| in the settings file | is | default |
| --- | --- | --- |
| \`publisher\` | \`edm:dataProvider\`: the institution that has the objects | \`title\` |
| \`edm-provider\` | \`edm:provider\`: the portal that delivers the data to Europeana | the same as \`publisher\` |
| \`edm-rights\` | \`edm:rights\` of objects whose records have no rights that Europeana accepts | <${NOT_EVALUATED}>: copyright not evaluated. \`serve\` says so when it starts |

Europeana accepts the licences and marks of Creative Commons, and \`NoC-NC\`, \`NoC-OKLR\`, \`InC\`, \`InC-EDU\`, \`InC-OW-EU\` and \`CNE\` of RightsStatements.org. Others are ignored. Variants with \`https\`, \`/page/\`, \`/deed\` and the like are corrected.

## What is described

A maker, place, concept or period with an IRI is an element of its own. It is described from its record here, or else by the label in the object's record. Without either it is left out. Without an IRI, only its name is given.
`;

const DUBLIN_CORE = `## Dublin Core

OAI-PMH gives every record as \`oai_dc\`. This is the same mapping of the entity itself, with words instead of IRIs. Some elements become simpler ones:
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
    `For a record without a classification, \`dc:type\` is a type of DCMI: ${types.join(", ")}.`,
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
  if ("made" in row) return `| ${code(row.to)} | | ${row.says} |`;
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
