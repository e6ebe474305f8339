/** Sentences for activities and changes of hands: "Ownership of A passed from B to C", "B paid 200 guilders to C". */
import { ACTIVITY_PART } from "../../model/found-by.js";
import { CLASS_NAMES, propertyIri } from "../../model/vocabulary/vocabulary.js";

/** A fixed piece of a phrase, or values with the word before them; without values, the word is left out too. */
export type PhrasePart = string | readonly [word: string, term: string];

/** What stands at the beginning of the sentence about an activity of a class. */
export const PHRASES: Readonly<Record<string, readonly PhrasePart[]>> = {
  Acquisition: [
    "Ownership",
    ["of", "transferred_title_of"],
    "passed",
    ["from", "transferred_title_from"],
    ["to", "transferred_title_to"],
  ],
  Birth: ["Born"],
  Creation: ["Created"],
  Death: ["Died"],
  Destruction: ["Destroyed"],
  Dissolution: ["Dissolved"],
  Encounter: [["", "encountered"], "Found"],
  Formation: ["Founded"],
  Modification: ["Changed"],
  Move: [["", "moved"], "Moved", ["from", "moved_from"], ["to", "moved_to"]],
  PartRemoval: ["Removed", ["from", "diminished"]],
  Payment: [["", "paid_from"], "Paid", ["", "paid_amount"], ["to", "paid_to"]],
  Production: ["Made"],
  Transfer: [["", "transferred"], "Passed", ["from", "transferred_from"], ["to", "transferred_to"]],
  TransferOfCustody: [
    "Custody",
    ["of", "transferred_custody_of"],
    "passed",
    ["from", "transferred_custody_from"],
    ["to", "transferred_custody_to"],
  ],
};

/** What follows of any activity. */
export const CIRCUMSTANCES: readonly PhrasePart[] = [
  ["by", "carried_out_by"],
  ["with", "participant"],
  ["in", "took_place_at"],
  ["in the technique", "technique"],
  ["using", "used_specific_object"],
  ["during", "during"],
  ["because of", "caused_by"],
  ["influenced by", "influenced_by"],
];

/** Classes whose nodes are shown as activities: those whose parts are parts of events, and some that have no parts. */
export const ACTIVITY_TERMS: ReadonlySet<string> = new Set([
  ...Object.keys(PHRASES),
  ...CLASS_NAMES.filter((name) => propertyIri("part", name) === ACTIVITY_PART),
  ...["Addition", "Removal", "CurationActivity", "RightAcquisition", "TypeCreation"],
  ...["Measurement", "ConditionAssessment", "IdentifierAssignment", "TypeAssignment"],
]);
