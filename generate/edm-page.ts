/** The writer of the tables in docs/use/edm.md, which show the mapping to EDM. */

import {
  DUMBED_DOWN,
  EDM_MAPPING,
  type EdmRow,
  type PathRow,
  RESOURCE_TYPES,
} from "../src/http/representations/edm/mapping.js";
import { code } from "./records-page.js";

/** The page with its tables, between `<!-- NAME -->` and `<!-- end -->`, written anew from the mapping. */
export function edmPage(page: string): string {
  const classes = Object.entries(EDM_MAPPING).map(([name, rows]) =>
    [`### ${name}\n`, "| element | comes from | is |", "| --- | --- | --- |", ...rows.map(rowOf), ""].join("\n"),
  );
  const dumbed = Object.entries(DUMBED_DOWN).map(([from, to]) => `| ${code(from)} | ${code(to)} |`);
  const types = Object.entries(RESOURCE_TYPES).map(([kind, type]) => `${kind} ${code(type)}`);
  const parts: Readonly<Record<string, string>> = {
    classes: `For a record without a classification, \`dc:type\` is a type of DCMI: ${types.join(", ")}.\n\n${classes.join("\n")}`,
    "dublin-core": ["| element | becomes |", "| --- | --- |", ...dumbed, ""].join("\n"),
  };
  return page.replace(
    /(<!-- ([\w-]+) -->\n).*?(<!-- end -->)/gs,
    (_, begin, name, end) => `${begin}\n${parts[name]}\n${end}`,
  );
}

function rowOf(row: EdmRow): string {
  if ("says" in row) return `| ${code(row.to)} | | ${row.says} |`;
  return `| ${code(row.to)} | ${fromOf(row)} | ${formOf(row.as)} |`;
}

function fromOf({ from, ofWork, only, classes, except, most, otherwise }: PathRow): string {
  const conditions = [
    ...(ofWork === undefined ? [] : ["of the works that it shows or carries, and of its pictures' records"]),
    ...(only === undefined ? [] : [`classified as ${only.map(code).join(" or ")}`]),
    ...(classes === undefined ? [] : [`each ${classes.join(" or ")}`]),
    ...(except === undefined ? [] : [`no ${except.join(", no ")}`]),
    ...(most === undefined ? [] : ["the first"]),
    ...(otherwise === undefined ? [] : ["if nothing else gives it"]),
  ];
  const path = from.length === 0 ? "itself" : code(from.join(" / "));
  return conditions.length === 0 ? path : `${path}: ${conditions.join(", ")}`;
}

const FORMS: Readonly<Record<Exclude<PathRow["as"], `${string}:${string}`>, string>> = {
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

function formOf(form: PathRow["as"]): string {
  return form in FORMS ? FORMS[form as keyof typeof FORMS] : code(form);
}
