/** The relations between records that Linked Art names (linked.art/api/rels/1): who refers to an entity, and by which property path. */
import { ENDPOINTS } from "./tables/endpoints.js";
import { leadsTo } from "./tables/fields.js";
import type { EndpointName } from "./tables/names.js";
import { STRUCTURES } from "./tables/structures.js";
import { camelCase } from "./vocabulary/vocabulary.js";

/** A relation between records and an entity that they lead to. */
export type Relation = Readonly<ReturnType<typeof relations>[number]>;

/** The path from a record's entity to what it refers to. */
export interface RelationPath {
  /** The property by which a node of any record refers to the entity; the steps begin at that node. Without steps, the node is the record's own entity. */
  readonly inverse?: string;
  /** The steps, with property terms as in documents. */
  readonly steps: readonly PathStep[];
}

export interface PathStep {
  readonly property: string;
  /** Whether the step may be taken any number of times, including none, like SPARQL's `*`. */
  readonly repeats: boolean;
  /** The identifier, under `{vocab_base}`, of a concept that the next node must be classified with. */
  readonly classified?: string;
}

const OBJECTS = ["object", "digital"] as const;
const WORKS = ["text", "visual", "abstract"] as const;
const AGENTS = ["person", "group"] as const;
const PERIODS = ["event", "provenance"] as const;
const GROUPS = ["group"] as const;
const PERSONS = ["person"] as const;
const PLACES = ["place"] as const;
const CONCEPTS = ["concept"] as const;
const SETS = ["set"] as const;
const ENTITIES = [...PLACES, ...SETS, ...OBJECTS, ...AGENTS, ...WORKS, ...CONCEPTS, ...PERIODS] as const;

const CONCEPT_STRUCTURES = ["Type", "Language", "Currency"] as const;

/** `{vocab_base}/300054686`, "publishing": the classification of an activity that publishes a work. */
const PUBLISHING = "300054686";

const PRODUCED = "produced_by/part*";
const CREATED = "created_by/part*";
const PUBLISHED = `used_for[${PUBLISHING}]/part*`;
const ACTIVE = [
  "carried_out/part*/took_place_at",
  "participated_in/part*/took_place_at",
  "^carried_out_by/took_place_at",
];
const OF_ABOUT = ["about", "^subject_of"];
const OF_REPRESENTS = ["represents", "^representation"];

/** The beginning of a path that continues in the record of a Set. */
const IN_SETS = "member_of//";

/** A relation as the tables write it: property paths over terms, with classifications in brackets. The part after `member_of//` is a path in a Set's record. */
type Row = readonly [name: string, sources: readonly EndpointName[], ...paths: string[]];

/** The relations of works to the entities of one kind that they are about, or depict. */
function subjectsOfWorks(kind: string, ...further: string[]): Row[] {
  return [
    [`workAbout${kind}`, WORKS, ...OF_ABOUT],
    [`workAboutOrRepresents${kind}`, WORKS, ...OF_ABOUT, ...OF_REPRESENTS, ...further],
    [`workRepresents${kind}`, WORKS, ...OF_REPRESENTS, ...further],
  ];
}

/** All relations, in the order in which Linked Art lists the kinds of entities that are referred to. */
export const RELATIONS: readonly Relation[] = [
  ...relations(OBJECTS, [
    ["activityUsedObject", PERIODS, "part*/used_specific_object"],
    ["conceptInfluencedByObject", CONCEPTS, `${CREATED}/influenced_by`],
    ["objectPartOfObject", OBJECTS, "part_of"],
    ["objectProductionInfluencedByObject", OBJECTS, `${PRODUCED}/influenced_by`],
    ...subjectsOfWorks("Object"),
  ]),
  ...relations(WORKS, [
    ["activityUsedWork", PERIODS, "part*/used_specific_object"],
    ["conceptInfluencedByWork", CONCEPTS, `${CREATED}/influenced_by`],
    ["objectCarriesWork", OBJECTS, "carries", "digitally_carries"],
    ["objectProductionInfluencedByWork", OBJECTS, `${PRODUCED}/influenced_by`],
    ["objectShowsWork", OBJECTS, "shows", "digitally_shows"],
    ...subjectsOfWorks("Work"),
    ["workPartOfWork", WORKS, "part_of", "conceptually_part_of"],
  ]),
  ...relations(AGENTS, [
    ["activityCarriedOutByAgent", PERIODS, "part*/carried_out_by"],
    ["activityParticipantAgent", PERIODS, "part*/participant"],
    ["conceptInfluencedByAgent", CONCEPTS, `${CREATED}/influenced_by`],
    ["groupFoundedByAgent", GROUPS, "formed_by/part*/carried_out_by"],
    ["objectCuratedByAgent", OBJECTS, "current_custodian", "member_of//used_for/carried_out_by"],
    ["objectEncounteredByAgent", OBJECTS, "encountered_by/part*/carried_out_by", "^encountered/carried_out_by"],
    ["objectOwnedByAgent", OBJECTS, "current_owner"],
    ["objectProducedByAgent", OBJECTS, `${PRODUCED}/carried_out_by`, `${CREATED}/carried_out_by`],
    ["objectProductionInfluencedByAgent", OBJECTS, `${PRODUCED}/influenced_by`],
    ["setCreatedByAgent", SETS, `${CREATED}/carried_out_by`],
    ...subjectsOfWorks("Agent"),
    ["workCreatedByAgent", WORKS, `${CREATED}/carried_out_by`],
    ["workPublishedByAgent", WORKS, `${PUBLISHED}/carried_out_by`],
  ]),
  ...relations(GROUPS, [["agentMemberOfGroup", AGENTS, "member_of"]]),
  ...relations(PLACES, [
    ["activityTookPlaceAtPlace", PERIODS, "part*/took_place_at"],
    ["agentActiveAtPlace", AGENTS, ...ACTIVE],
    ["agentBornOrFormedAtPlace", AGENTS, "born/part*/took_place_at", "formed_by/part*/took_place_at"],
    ["agentDiedOrDissolvedAtPlace", AGENTS, "died/part*/took_place_at", "dissolved_by/part*/took_place_at"],
    ["agentResidentAtPlace", AGENTS, "residence"],
    ["conceptInfluencedByPlace", CONCEPTS, `${CREATED}/influenced_by`],
    ["groupActiveAtPlace", GROUPS, ...ACTIVE],
    ["groupDissolvedAtPlace", GROUPS, "dissolved_by/part*/took_place_at"],
    ["groupFormedAtPlace", GROUPS, "formed_by/part*/took_place_at"],
    ["objectCurrentPlace", OBJECTS, "current_location"],
    ["objectEncounteredAtPlace", OBJECTS, "encountered_by/part*/took_place_at", "^encountered/took_place_at"],
    ["objectProducedAtPlace", OBJECTS, `${PRODUCED}/took_place_at`, `${CREATED}/took_place_at`],
    ["objectProductionInfluencedByPlace", OBJECTS, `${PRODUCED}/influenced_by`],
    ["personActiveAtPlace", PERSONS, ...ACTIVE],
    ["personBornAtPlace", PERSONS, "born/part*/took_place_at"],
    ["personDiedAtPlace", PERSONS, "died/part*/took_place_at"],
    ["placePartOfPlace", PLACES, "part_of"],
    ["setCreatedAtPlace", SETS, `${CREATED}/took_place_at`],
    ...subjectsOfWorks("Place"),
    ["workCreatedAtPlace", WORKS, `${CREATED}/took_place_at`],
    ["workPublishedAtPlace", WORKS, `${PUBLISHED}/took_place_at`],
  ]),
  ...relations(CONCEPTS, [
    ["activityClassifiedAsConcept", PERIODS, "classified_as"],
    ["agentClassifiedAsConcept", AGENTS, "classified_as"],
    ["conceptBroaderConcept", CONCEPTS, "broader"],
    ["conceptClassifiedAsConcept", CONCEPTS, "classified_as"],
    ["conceptInfluencedByConcept", CONCEPTS, `${CREATED}/influenced_by`],
    ["objectClassifiedAsConcept", OBJECTS, "classified_as"],
    ["objectMadeOfMaterial", OBJECTS, "made_of"],
    ["objectProductionTechniqueConcept", OBJECTS, `${PRODUCED}/technique`, `${CREATED}/technique`],
    ["placeClassifiedAsConcept", PLACES, "classified_as"],
    ["setClassifiedAsConcept", SETS, "classified_as"],
    ...subjectsOfWorks("Concept", "represents_instance_of_type"),
    ["workClassifiedAsConcept", WORKS, "classified_as"],
    ["workCreationTechniqueConcept", WORKS, `${CREATED}/technique`],
    ["workLanguageLanguage", WORKS, "language"],
  ]),
  ...relations(PERIODS, [
    ["activityCausedByActivity", PERIODS, "part*/caused_by"],
    ["activityPartOfActivity", PERIODS, "part_of"],
    ["conceptCreationCausedByActivity", CONCEPTS, `${CREATED}/caused_by`],
    ["conceptInfluencedByActivity", CONCEPTS, `${CREATED}/influenced_by`],
    ["objectDestructionCausedByActivity", OBJECTS, "destroyed_by/part*/caused_by"],
    ["objectProductionCausedByActivity", OBJECTS, `${PRODUCED}/caused_by`, `${CREATED}/caused_by`],
    ["personDeathCausedByActivity", PERSONS, "died/part*/caused_by"],
    ["setCreationCausedByActivity", SETS, `${CREATED}/caused_by`],
    ...subjectsOfWorks("Activity"),
    ["workCreationCausedByActivity", WORKS, `${CREATED}/caused_by`],
  ]),
  ...relations(SETS, [
    ["activityUsedSet", PERIODS, "part*/used_specific_object"],
    ["conceptInfluencedBySet", CONCEPTS, `${CREATED}/influenced_by`],
    ["conceptMemberOfSet", CONCEPTS, "member_of"],
    ["entityMemberOfSet", ENTITIES, "member_of"],
    ["objectMemberOfSet", OBJECTS, "member_of"],
    ["placeMemberOfSet", PLACES, "member_of"],
    ["setMemberOfSet", SETS, "member_of"],
    ["temporalMemberOfSet", PERIODS, "member_of"],
    ...subjectsOfWorks("Set"),
    ["workMemberOfSet", WORKS, "member_of"],
  ]),
];

/** @param targets the endpoints of the entities that are referred to */
function relations(targets: readonly EndpointName[], rows: readonly Row[]) {
  return rows.map(([name, sources, ...paths]) => ({
    name,
    targets,
    /** The endpoints of the records that refer to them. */
    sources,
    paths: paths.filter((path) => !path.startsWith(IN_SETS)).map(relationPath),
    /** The paths in a Set's record by which its members are related to the entity. */
    setPaths: paths.filter((path) => path.startsWith(IN_SETS)).map((path) => relationPath(path.slice(IN_SETS.length))),
  }));
}

function relationPath(text: string): RelationPath {
  const [first = "", ...others] = text.split("/");
  const inverse = first.startsWith("^") ? first.slice(1) : undefined;
  const steps = (inverse === undefined ? [first, ...others] : others).map((step) => {
    const [, property, classified, star] = /^(\w+)(?:\[(\d+)\])?(\*?)$/.exec(step)!;
    return { property: property!, repeats: star === "*", ...(classified === undefined ? {} : { classified }) };
  });
  return inverse === undefined ? { steps } : { inverse, steps };
}

/** The terms by which records may refer to entities, by their parameter names: `carriedOutBy` is `carried_out_by`. */
export const REFERRING_PROPERTIES: ReadonlyMap<string, string> = new Map(
  [...ENDPOINTS, ...STRUCTURES.values()].flatMap(({ fields }) =>
    fields.flatMap(({ property, range }) => {
      const isReference = range.kind === "reference" || range.kind === "concept" || range.kind === "entity";
      if (!isReference && !leadsTo(range, CONCEPT_STRUCTURES)) return [];
      // `before` and `after` are taken by paging, so these two terms get other names.
      const isTaken = property === "before" || property === "after";
      return [[isTaken ? `${property}Event` : camelCase(property), property] as const];
    }),
  ),
);
