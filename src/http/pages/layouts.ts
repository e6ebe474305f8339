/** Page layouts: the properties in each section of an endpoint's page; all other properties are in the section `further`. */
import type { EndpointName } from "../../model/tables/names.js";
import type { WordsFile } from "./words/words.js";

/** Makes sections of terms, in the order of the page, that show rows of facts, activities in chronological order, or texts. */
const shownAs = (manner: "facts" | "timeline" | "texts") => {
  return (title: keyof WordsFile["section"], terms: string) => ({ title, manner, terms: terms.split(" ") });
};
const [facts, timeline, texts] = [shownAs("facts"), shownAs("timeline"), shownAs("texts")];

export type Section = ReturnType<typeof facts>;

/** The terms of an entity at a glance, shown beside the pictures on every page. */
export const GLANCE: Readonly<Record<EndpointName, string>> = {
  object:
    "classified_as made_of dimension current_location current_permanent_location current_owner current_custodian current_permanent_custodian",
  visual: "classified_as represents represents_instance_of_type about dimension",
  text: "classified_as language about dimension",
  abstract: "classified_as about dimension",
  digital: "classified_as digitally_shows digitally_carries format dimension access_point",
  person: "classified_as residence member_of contact_point",
  group: "classified_as residence member_of contact_point",
  place: "classified_as part_of",
  event: "classified_as timespan took_place_at carried_out_by participant",
  provenance: "classified_as timespan took_place_at carried_out_by participant",
  set: "classified_as about dimension",
  concept: "classified_as broader notation",
};

const ABOUT = texts("about", "referred_to_by");
export const NAMED = facts("names", "_label identified_by notation");
const ORIGIN = timeline("history", "created_by used_for");
const CONTEXT = facts("related", "member_of subject_of representation attributed_by");
const RIGHTS = facts("rights", "subject_to");
const ELSEWHERE = facts("elsewhere", "equivalent");

const WORK: readonly Section[] = [
  ABOUT,
  texts("text", "content"),
  NAMED,
  ORIGIN,
  facts("belongs", "part_of conceptually_part_of part"),
  CONTEXT,
  RIGHTS,
  ELSEWHERE,
];

const EVENT: readonly Section[] = [
  ABOUT,
  timeline("happened", "part"),
  facts("cause", "caused_by influenced_by technique used_specific_object"),
  facts("when", "during before after part_of"),
  NAMED,
  CONTEXT,
  ELSEWHERE,
];

const ACTOR: readonly Section[] = [
  ABOUT,
  timeline("life", "born formed_by carried_out participated_in died dissolved_by"),
  NAMED,
  CONTEXT,
  ELSEWHERE,
];

export const LAYOUTS: Readonly<Record<EndpointName, readonly Section[]>> = {
  object: [
    ABOUT,
    timeline(
      "history",
      "produced_by used_for modified_by encountered_by removed_by changed_ownership_through destroyed_by",
    ),
    NAMED,
    facts("parts", "part_of held_or_supported_by part carries shows"),
    CONTEXT,
    RIGHTS,
    ELSEWHERE,
  ],
  visual: WORK,
  text: WORK,
  abstract: WORK,
  digital: [ABOUT, facts("access", "digitally_available_via conforms_to part_of"), ORIGIN, NAMED, CONTEXT, ELSEWHERE],
  person: ACTOR,
  group: ACTOR,
  place: [ABOUT, NAMED, CONTEXT, ELSEWHERE],
  event: EVENT,
  provenance: EVENT,
  set: [ABOUT, ORIGIN, facts("gathers", "members_exemplified_by members_contained_by"), NAMED, CONTEXT, ELSEWHERE],
  concept: [ABOUT, ORIGIN, NAMED, CONTEXT, ELSEWHERE],
};
