/** Documents from three tables of TMS: node tms.mjs OBJECTS CONSTITUENTS CONXREFS > tms.jsonl */
import {
  accessionNumber,
  concept,
  idOf,
  label,
  primaryName,
  readCsv,
  report,
  statement,
  timeSpan,
  writeLines,
} from "./parts.mjs";

const [objects, constituents, xrefs] = [2, 3, 4].map((at) => readCsv(process.argv[at]));

/** What the house calls its classifications, and what they are in the AAT. */
const CLASSIFICATIONS = { Paintings: concept(300033618, "paintings"), Drawings: concept(300033973, "drawings") };

const actors = new Map(
  constituents.map(({ ConstituentID, ConstituentType, DisplayName, BeginDate, EndDate }) => {
    const isPerson = ConstituentType === "Individual";
    const id = idOf(isPerson ? "person" : "group", ConstituentID);
    const reference = {
      id,
      type: isPerson ? "Person" : "Group",
      ...label(DisplayName),
    };
    // TMS writes 0 for a year that is not known.
    const born = timeSpan(id, "", BeginDate, BeginDate);
    const died = timeSpan(id, "", EndDate, EndDate);
    const life = isPerson && {
      ...("timespan" in born ? { born: { type: "Birth", ...born } } : {}),
      ...("timespan" in died ? { died: { type: "Death", ...died } } : {}),
    };
    return [ConstituentID, { reference, document: { ...reference, identified_by: primaryName(DisplayName), ...life } }];
  }),
);

function referenceTo({ ConstituentID, ObjectID }) {
  const actor = actors.get(ConstituentID);
  if (actor === undefined) report(`object ${ObjectID} has the constituent ${ConstituentID}, which no row describes`);
  return actor?.reference;
}

function objectOf(row) {
  const id = idOf("object", row.ObjectID);
  const makers = xrefs.filter(({ ObjectID, Role }) => ObjectID === row.ObjectID && Role === "Artist");
  const production = {
    ...(makers.length > 0 ? { carried_out_by: makers.map(referenceTo) } : {}),
    ...timeSpan(id, row.Dated, row.DateBegin, row.DateEnd),
  };
  const kind = CLASSIFICATIONS[row.Classification];
  return {
    id,
    type: "HumanMadeObject",
    ...label(row.Title),
    ...(kind ? { classified_as: [kind, concept(300133025, "works of art")] } : {}),
    identified_by: [...primaryName(row.Title), ...accessionNumber(row.ObjectNumber)],
    referred_to_by: [
      ...statement(300435429, "material statement", row.Medium),
      ...statement(300435430, "dimension statement", row.Dimensions),
      ...statement(300435418, "credit line", row.CreditLine),
    ],
    produced_by: { type: "Production", ...production },
  };
}

writeLines([...[...actors.values()].map(({ document }) => document), ...objects.map(objectOf)]);
