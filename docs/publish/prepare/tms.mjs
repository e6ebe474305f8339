/** Documents from three tables of TMS: node tms.mjs OBJECTS CONSTITUENTS CONXREFS > tms.jsonl */
import { timeSpan } from "./dates.mjs";
import { imageOf, rightsOf } from "./images.mjs";
import {
  accessionNumber,
  concept,
  idOf,
  label,
  leaveOut,
  optional,
  primaryName,
  readCsv,
  report,
  statement,
  termOf,
  writeLines,
} from "./parts.mjs";

const [objects, constituents, xrefs] = [2, 3, 4].map((at) => readCsv(process.argv[at]));

/** What the house calls its classifications, and what they are in the AAT; others get records of their own. */
const CLASSIFICATIONS = { Paintings: concept(300033618, "paintings"), Drawings: concept(300033973, "drawings") };

/** The roles of makers. Constituents with other roles are left out. */
const MAKERS = ["Artist"];

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
    const [begin, end] = [BeginDate, EndDate].map((year) => timeSpan(id, "", year, year));
    const [first, last] = isPerson ? ["born", "died"] : ["formed_by", "dissolved_by"];
    const life = {
      ...("timespan" in begin ? { [first]: { type: isPerson ? "Birth" : "Formation", ...begin } } : {}),
      ...("timespan" in end ? { [last]: { type: isPerson ? "Death" : "Dissolution", ...end } } : {}),
    };
    return [ConstituentID, { reference, document: { ...reference, identified_by: primaryName(DisplayName), ...life } }];
  }),
);

/** The rows of makers, by object. */
const makersOf = new Map();
for (const row of xrefs) {
  if (!MAKERS.includes(row.Role)) leaveOut(`constituents with the role ${row.Role}`);
  else makersOf.set(row.ObjectID, [...(makersOf.get(row.ObjectID) ?? []), row]);
}

function referenceTo({ ConstituentID, ObjectID }) {
  const actor = actors.get(ConstituentID);
  if (actor === undefined) report(`object ${ObjectID} has the constituent ${ConstituentID}, which no row describes`);
  return actor?.reference;
}

function objectOf(row) {
  const id = idOf("object", row.ObjectID);
  const makers = makersOf.get(row.ObjectID) ?? [];
  const production = {
    ...(makers.length > 0 ? { carried_out_by: makers.map(referenceTo) } : {}),
    ...timeSpan(id, row.Dated, row.DateBegin, row.DateEnd),
  };
  const kind = row.Classification;
  const rights = rightsOf(optional(row, "Rights"));
  const isArt = Object.hasOwn(CLASSIFICATIONS, kind);
  return {
    id,
    type: "HumanMadeObject",
    ...label(row.Title),
    ...rights,
    classified_as: [
      ...(kind ? [termOf({ CLASSIFICATIONS }, kind)] : []),
      ...(isArt ? [concept(300133025, "works of art")] : []),
    ],
    identified_by: [...primaryName(row.Title), ...accessionNumber(row.ObjectNumber)],
    referred_to_by: [
      ...statement(300435429, "material statement", row.Medium),
      ...statement(300435430, "dimension statement", row.Dimensions),
      ...statement(300435418, "credit line", row.CreditLine),
      ...(rights.referred_to_by ?? []),
    ],
    ...imageOf(id, optional(row, "Image"), optional(row, "ImageRights")),
    produced_by: { type: "Production", ...production },
  };
}

const ids = new Set(objects.map(({ ObjectID }) => ObjectID));
for (const [id, makers] of makersOf)
  if (!ids.has(id)) leaveOut("makers of objects that no row describes", makers.length);
writeLines([...[...actors.values()].map(({ document }) => document), ...objects.map(objectOf)]);
