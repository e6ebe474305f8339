/** The writer of docs/publish/records.md: the required and allowed properties of each kind of record, from the field tables. */
import { ENDPOINTS } from "../src/model/tables/endpoints.js";
import type { Field, Range } from "../src/model/tables/fields.js";
import { STRUCTURES } from "../src/model/tables/structures.js";

const INTRODUCTION = `# What records say

There is one table for each of the twelve kinds of record, then one for each structure inside them. \`vitrine validate\` checks these rows as rules \`TABLE.property.*\` ([validation.md](validation.md)).
\`vitrine explain IRI PROPERTY\` shows a row beside the value in a record. \`npm run generate\` writes this page from the field tables.

- A record without a **required** property is invalid. A missing **recommended** property causes a warning.
- \`[ ]\` is an array, even for one value.
- A *reference* is an object of \`id\`, \`type\` and \`_label\`. It names an entity with a record of its own. A structure has no record: write it in place.
- † marks what Linked Art allows, but the specification does not show.
`;

/** The text of docs/publish/records.md. */
export function recordsPage(): string {
  const kinds = ENDPOINTS.map(({ name, title, section, classes, closed, fields }) =>
    [
      `## ${name}`,
      "",
      `${title}, specification ${section}. \`type\`: ${classes.map(code).join(", ")}.${closed ? " No other property is allowed." : ""}`,
      "",
      ...tableOf(fields),
    ].join("\n"),
  );
  const structures = [...STRUCTURES.values()].map(({ name, section, fields }) =>
    [`### ${name}`, "", `Specification ${section}.`, "", ...tableOf(fields)].join("\n"),
  );
  return [INTRODUCTION, ...kinds, "## Structures", ...structures]
    .join("\n\n")
    .replaceAll("\n\n\n", "\n\n")
    .concat("\n");
}

function tableOf(fields: readonly Field[]): string[] {
  return ["| property | | value | meaning |", "| --- | --- | --- | --- |", ...fields.map(rowOf)];
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
