/** The writer of schemas/settings.json: the schema of a settings file, from the table that also defines the command line. */
import type { Option } from "../src/cli/settings/options.js";
import type { settingsTable } from "../src/cli/settings/settings-file.js";
import type { Json } from "../src/rdf/record-graph.js";

/** The schema of a settings file (JSON Schema 2020-12). */
export function settingsSchema({ shared, sections }: ReturnType<typeof settingsTable>): Json {
  const settings = properties(shared);
  const commands = sections.map(({ command, options }): [string, Json] => {
    const section = {
      description: `Settings of vitrine ${command} alone; they win over those at the top.`,
      type: ["object", "null"],
      properties: properties(options),
      additionalProperties: false,
    };
    const setting = settings[command];
    return [command, setting === undefined ? section : { anyOf: [setting, section] }];
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "The settings of Vitrine: vitrine.yaml or vitrine.json",
    type: ["object", "null"],
    properties: { ...settings, ...Object.fromEntries(commands) },
    additionalProperties: false,
  };
}

function properties(options: readonly Option[]): { [name: string]: Json } {
  return Object.fromEntries(
    options.flatMap((option): [string, Json][] => {
      const { name, help, secret } = option;
      const described: [string, Json] = [name, { description: help, ...typeOf(option) }];
      const inFile: Json = { description: `The file that has ${name}.`, type: ["string", "null"] };
      return secret === true ? [described, [`${name}-file`, inFile]] : [described];
    }),
  );
}

/** The JSON Schema of an option's values; `null` means that it is not set. */
function typeOf(option: Option): { [keyword: string]: Json } {
  const { value, many, choices, number, form, default: byDefault } = option;
  const standard: { [keyword: string]: Json } =
    byDefault === undefined ? {} : { default: number ? Number(byDefault) : byDefault };
  if (value === undefined) return { type: ["boolean", "null"] };
  const text = { type: ["string", "number", "null"], ...(form && { pattern: form.matches.source }) };
  const one = choices === undefined ? text : { enum: [...choices, null] };
  const item = choices === undefined ? { type: ["string", "number"] } : { enum: [...choices] };
  if (many === true) return { anyOf: [one, { type: "array", items: item }] };
  if (choices !== undefined) return { ...one, ...standard };
  if (number === undefined) return { ...text, ...standard };
  const { least, most, hasFraction } = number;
  const range = { minimum: least, ...(most === undefined ? {} : { maximum: most }) };
  return { type: [hasFraction ? "number" : "integer", "string", "null"], ...range, ...standard };
}
