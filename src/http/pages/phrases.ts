/** The classes of activities, of which pages have sentences. */
import { ACTIVITY_PART } from "../../model/search-paths.js";
import { CLASS_NAMES, propertyIri } from "../../model/vocabulary/vocabulary.js";
import { ENGLISH_WORDS } from "./words/words.js";

/** Classes whose nodes are shown as activities: those whose parts are parts of events, and some that have no parts. */
export const ACTIVITY_TERMS: ReadonlySet<string> = new Set([
  ...Object.keys(ENGLISH_WORDS.file.sentence),
  ...CLASS_NAMES.filter((name) => propertyIri("part", name) === ACTIVITY_PART),
  ...["Addition", "Removal", "CurationActivity", "RightAcquisition", "TypeCreation"],
  ...["Measurement", "ConditionAssessment", "IdentifierAssignment", "TypeAssignment"],
]);
