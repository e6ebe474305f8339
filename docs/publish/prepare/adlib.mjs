/** Documents from Adlib's (Axiell Collections') JSON: node adlib.mjs EXPORT > adlib.jsonl */
import {
  accessionNumber,
  concept,
  idOf,
  label,
  primaryName,
  readText,
  report,
  slug,
  statement,
  timeSpan,
  writeLines,
} from "./parts.mjs";

const { adlibJSON } = JSON.parse(readText(process.argv[2]));

/** Terms of the house's thesaurus that are in the AAT; others get records of their own. */
const TERMS = { schilderij: concept(300033618, "paintings") };
const DIMENSIONS = { hoogte: concept(300055644, "height"), breedte: concept(300055647, "width") };
const UNITS = { cm: concept(300379098, "centimeters", "MeasurementUnit") };

/** Adlib writes every field as an array, and none where there is nothing. */
const first = (group, field) => group?.[field]?.[0];

function objectOf(record) {
  const { priref } = record["@attributes"];
  const id = idOf("object", priref && `adlib-${priref}`);
  const title = first(record.Title?.[0], "title");
  const term = first(record.Object_name?.[0], "object_name");
  const [production, date] = [record.Production?.[0], record.Production_date?.[0]];
  const dates = timeSpan(id, "", first(date, "production.date.start"), first(date, "production.date.end"));
  const creator = first(production, "creator.lref");
  const made = {
    ...(creator
      ? { carried_out_by: [{ id: `person/${creator}`, type: "Person", ...label(first(production, "creator")) }] }
      : {}),
    ...dates,
  };
  return {
    id,
    type: "HumanMadeObject",
    ...label(title),
    classified_as: term ? [TERMS[term] ?? { id: idOf("concept", slug(term)), type: "Type", _label: term }] : [],
    identified_by: [...primaryName(title), ...accessionNumber(first(record, "object_number"))],
    referred_to_by: statement(300435416, "descriptions", first(record.Description?.[0], "description")),
    ...(Object.keys(made).length > 0 ? { produced_by: { type: "Production", ...made } } : {}),
    dimension: (record.Dimension ?? []).map(dimensionOf),
  };
}

/** What the AAT calls a word of the export. A word that the table lacks is a problem. */
function known(table, word) {
  if (!(word in table)) report(`${word} is in none of the tables at the beginning of adlib.mjs: add it there`);
  return table[word];
}

function dimensionOf(group) {
  return {
    type: "Dimension",
    classified_as: [known(DIMENSIONS, first(group, "dimension.type"))],
    // Decimal commas are none in JSON.
    value: Number(first(group, "dimension.value").replace(",", ".")),
    unit: known(UNITS, first(group, "dimension.unit")),
  };
}

/** Terms and people that objects refer to, so that no reference leads nowhere. */
function othersOf(objects) {
  const references = objects.flatMap(({ classified_as, produced_by }) => [
    ...classified_as,
    ...(produced_by?.carried_out_by ?? []),
  ]);
  const own = references.filter(({ id }) => !id.includes("://"));
  return [...new Map(own.map((each) => [each.id, { ...each, identified_by: primaryName(each._label) }])).values()];
}

const objects = adlibJSON.recordList.record.map(objectOf);
writeLines([...objects, ...othersOf(objects)]);
