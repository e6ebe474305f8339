/** Documents from Adlib's (Axiell Collections') JSON: node adlib.mjs PAGE... > adlib.jsonl */
import { timeSpan } from "./dates.mjs";
import { imageOf, rightsOf } from "./images.mjs";
import {
  accessionNumber,
  concept,
  idOf,
  label,
  leaveOut,
  own,
  primaryName,
  readText,
  slug,
  statement,
  stop,
  termOf,
  writeLines,
} from "./parts.mjs";

/** Terms of the house's thesaurus that are in the AAT; others get records of their own. */
const TERMS = { schilderij: concept(300033618, "paintings") };
const MATERIALS = {};
const TECHNIQUES = {};
const DIMENSIONS = { hoogte: concept(300055644, "height"), breedte: concept(300055647, "width") };
const UNITS = { cm: concept(300379098, "centimeters", "MeasurementUnit") };

/** Where the museum shows its images on the web, before the name in `reproduction.reference`; and their rights, such as `CC BY 4.0`. */
const IMAGES = "https://images.museum.example/";
const IMAGE_RIGHTS = "";

function recordsOf(path) {
  try {
    const { adlibJSON } = JSON.parse(readText(path));
    return adlibJSON ? (adlibJSON.recordList?.record ?? []) : stop(`${path} has no adlibJSON: ask for output=json`);
  } catch (error) {
    return stop(`${path}: ${error.message}`);
  }
}

/** Take the first value of a field. Adlib writes every field as an array. What nobody takes is left out, and counted. */
function take(group, field) {
  return group[field]?.shift()?.trim();
}

/** Take all values of a field, in all groups of a name. */
function takeAll(record, name, field) {
  return (record[name] ?? []).flatMap((group) => group[field]?.splice(0) ?? []).filter((value) => value.trim() !== "");
}

function makerOf(group) {
  const [name, number] = ["creator", "creator.lref"].map((field) => take(group, field));
  return name || number ? [own("person", number || slug(name), "Person", name)] : [];
}

/** A date, with the words for how exact it is: `circa 1881`. */
function dateOf(id, group) {
  const [from, to, notes] = ["start", "end", "notes"].map((part) => take(group, `production.date.${part}`));
  const exactness = ["start", "end"].map((part) => take(group, `production.date.${part}.prec`));
  const written = [from, to].map((year, at) => [exactness[at], year].filter(Boolean).join(" "));
  const words = exactness.some(Boolean) ? [...new Set(written)].filter(Boolean).join(" – ") : "";
  return timeSpan(id, notes || words, from, to);
}

/** The making of an object. Several dates belong to parts of it. */
function productionOf(id, record) {
  const makers = (record.Production ?? []).flatMap(makerOf);
  const places = takeAll(record, "Production", "production.place");
  const dates = (record.Production_date ?? []).map((group) => dateOf(id, group)).filter(({ timespan }) => timespan);
  const techniques = takeAll(record, "Technique", "technique");
  const made = {
    ...(makers.length > 0 ? { carried_out_by: makers } : {}),
    ...(places.length > 0 ? { took_place_at: places.map((place) => own("place", slug(place), "Place", place)) } : {}),
    ...(techniques.length > 0 ? { technique: techniques.map((word) => termOf({ TECHNIQUES }, word)) } : {}),
    ...(dates.length > 1 ? { part: dates.map((date) => ({ type: "Production", ...date })) } : dates[0]),
  };
  return Object.keys(made).length > 0 ? { produced_by: { type: "Production", ...made } } : {};
}

function sizeOf(group) {
  const [kind, value, unit] = ["type", "value", "unit"].map((part) => take(group, `dimension.${part}`));
  // Decimal commas are none in JSON.
  return { kind, value: value ? Number(value.replace(",", ".")) : undefined, unit, words: `${kind} ${value} ${unit}` };
}

function dimensionOf({ kind, value, unit }) {
  return {
    type: "Dimension",
    classified_as: kind ? [termOf({ DIMENSIONS }, kind)] : [],
    value,
    ...(unit ? { unit: termOf({ UNITS }, unit, "MeasurementUnit") } : {}),
  };
}

function objectOf(record) {
  const { priref } = record["@attributes"];
  const id = idOf("object", priref && `adlib-${priref}`);
  const [title, ...titles] = takeAll(record, "Title", "title");
  const [number, ...numbers] = record.object_number?.splice(0) ?? [];
  const sizes = (record.Dimension ?? []).map(sizeOf).filter(({ value }) => value !== undefined);
  const rights = takeAll(record, "Rights", "rights.type").map(rightsOf);
  const images = takeAll(record, "Reproduction", "reproduction.reference").flatMap(
    (name) => imageOf(id, IMAGES + name, IMAGE_RIGHTS).representation,
  );
  const materials = takeAll(record, "Material", "material");
  const document = {
    id,
    type: "HumanMadeObject",
    ...label(title),
    classified_as: takeAll(record, "Object_name", "object_name").map((word) => termOf({ TERMS }, word)),
    identified_by: [
      ...primaryName(title),
      ...titles.map((content) => ({ type: "Name", content })),
      ...accessionNumber(number),
      ...[...numbers, ...takeAll(record, "Alternative_number", "alternative_number")].map((content) => ({
        type: "Identifier",
        content,
      })),
    ],
    referred_to_by: [
      ...takeAll(record, "Description", "description").flatMap((text) => statement(300435416, "descriptions", text)),
      ...takeAll(record, "Inscription", "inscription.content").flatMap((text) =>
        statement(300435414, "inscriptions", text),
      ),
      ...(record.credit_line?.splice(0) ?? []).flatMap((text) => statement(300435418, "credit line", text)),
      // A size without a number, such as `ca. 45`, can only be words.
      ...sizes.flatMap(({ value, words }) =>
        Number.isNaN(value) ? statement(300435430, "dimension statement", words) : [],
      ),
      ...rights.flatMap(({ referred_to_by = [] }) => referred_to_by),
    ],
    subject_to: rights.flatMap(({ subject_to = [] }) => subject_to),
    representation: images,
    ...(materials.length > 0 ? { made_of: materials.map((word) => termOf({ MATERIALS }, word, "Material")) } : {}),
    ...productionOf(id, record),
    dimension: sizes.filter(({ value }) => !Number.isNaN(value)).map(dimensionOf),
  };
  leaveRest(record);
  return document;
}

/** Count what nobody took of a record. Numbers of links (`.lref`) are not values. */
function leaveRest({ "@attributes": _, ...record }) {
  const isValue = ([field]) => !field.endsWith(".lref");
  for (const [name, values] of Object.entries(record).filter(isValue))
    for (const each of [values].flat()) {
      if (typeof each !== "object") leaveOut(name);
      else for (const [field, rest] of Object.entries(each).filter(isValue)) leaveOut(`${name}/${field}`, rest.length);
    }
}

const [page, ...pages] = process.argv.slice(2);
writeLines([page, ...pages].flatMap(recordsOf).map(objectOf));
