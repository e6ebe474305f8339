/** All class terms of the data model with their IRIs, and the family whose type-scoped terms each has. */

export const SCOPED_TERMS = ["part", "part_of", "member", "member_of"] as const;

export type ScopedTerm = (typeof SCOPED_TERMS)[number];

/**
 * `part`, `part_of`, `member` and `member_of` stand for different properties on different classes. A family is a set of
 * classes on which they mean the same; in the JSON-LD context each class of a family has the family's scoped context.
 * The value of each term is a set of references.
 */
export const FAMILIES = {
  event: { part: "crm:P9_consists_of", part_of: "crm:P9i_forms_part_of", member_of: "la:member_of" },
  physical: { part: "crm:P46_is_composed_of", part_of: "crm:P46i_forms_part_of", member_of: "la:member_of" },
  actor: { member: "crm:P107_has_current_or_former_member", member_of: "crm:P107i_is_current_or_former_member_of" },
  conceptual: { part: "crm:P148_has_component", part_of: "crm:P148i_is_component_of", member_of: "la:member_of" },
  symbolic: { part: "crm:P106_is_composed_of", part_of: "crm:P106i_forms_part_of", member_of: "la:member_of" },
  timespan: { part: "crm:P86i_contains", part_of: "crm:P86_falls_within", member_of: "la:member_of" },
  place: { part: "crm:P89i_contains", part_of: "crm:P89_falls_within", member_of: "la:member_of" },
  concept: { part: "skos:narrower", part_of: "skos:broader", member_of: "la:member_of" },
  set: { member: "la:has_member", member_of: "la:member_of" },
} as const satisfies Readonly<Record<string, Readonly<Partial<Record<ScopedTerm, string>>>>>;

export type FamilyName = keyof typeof FAMILIES;

/** A class term, its compact IRI, and its family if it has one. */
type ClassRow = readonly [term: string, iri: string, family?: FamilyName];

export const CLASSES = [
  ["CRMEntity", "crm:E1_CRM_Entity"],
  ["TemporalEntity", "crm:E2_Temporal_Entity"],
  ["ConditionState", "crm:E3_Condition_State"],
  ["Period", "crm:E4_Period", "event"],
  ["Event", "crm:E5_Event", "event"],
  ["Destruction", "crm:E6_Destruction", "event"],
  ["Activity", "crm:E7_Activity", "event"],
  ["Acquisition", "crm:E8_Acquisition", "event"],
  ["Move", "crm:E9_Move", "event"],
  ["TransferOfCustody", "crm:E10_Transfer_of_Custody", "event"],
  ["Modification", "crm:E11_Modification", "event"],
  ["Production", "crm:E12_Production", "event"],
  ["AttributeAssignment", "crm:E13_Attribute_Assignment", "event"],
  ["ConditionAssessment", "crm:E14_Condition_Assessment"],
  ["IdentifierAssignment", "crm:E15_Identifier_Assignment"],
  ["Measurement", "crm:E16_Measurement"],
  ["TypeAssignment", "crm:E17_Type_Assignment"],
  ["PhysicalThing", "crm:E18_Physical_Thing", "physical"],
  ["PhysicalObject", "crm:E19_Physical_Object", "physical"],
  ["BiologicalObject", "crm:E20_Biological_Object", "physical"],
  ["Person", "crm:E21_Person", "actor"],
  ["HumanMadeObject", "crm:E22_Human-Made_Object", "physical"],
  ["PhysicalHumanMadeThing", "crm:E24_Physical_Human-Made_Thing", "physical"],
  ["HumanMadeFeature", "crm:E25_Human-Made_Feature", "physical"],
  ["PhysicalFeature", "crm:E26_Physical_Feature", "physical"],
  ["Site", "crm:E27_Site", "physical"],
  ["ConceptualObject", "crm:E28_Conceptual_Object"],
  ["DesignOrProcedure", "crm:E29_Design_or_Procedure"],
  ["Right", "crm:E30_Right", "conceptual"],
  ["Document", "crm:E31_Document"],
  ["AuthorityDocument", "crm:E32_Authority_Document"],
  ["LinguisticObject", "crm:E33_Linguistic_Object", "symbolic"],
  ["Inscription", "crm:E34_Inscription", "symbolic"],
  ["Title", "crm:E35_Title", "symbolic"],
  ["VisualItem", "crm:E36_Visual_Item", "symbolic"],
  ["Mark", "crm:E37_Mark", "symbolic"],
  ["Actor", "crm:E39_Actor"],
  ["Appellation", "crm:E41_Appellation", "symbolic"],
  ["Identifier", "crm:E42_Identifier", "symbolic"],
  ["TimeSpan", "crm:E52_Time-Span", "timespan"],
  ["Place", "crm:E53_Place", "place"],
  ["Dimension", "crm:E54_Dimension"],
  ["Type", "crm:E55_Type", "concept"],
  ["Language", "crm:E56_Language", "concept"],
  ["Material", "crm:E57_Material", "concept"],
  ["MeasurementUnit", "crm:E58_Measurement_Unit", "concept"],
  ["BeginningOfExistence", "crm:E63_Beginning_of_Existence", "event"],
  ["EndOfExistence", "crm:E64_End_of_Existence", "event"],
  ["Creation", "crm:E65_Creation", "event"],
  ["Formation", "crm:E66_Formation", "event"],
  ["Birth", "crm:E67_Birth", "event"],
  ["Dissolution", "crm:E68_Dissolution", "event"],
  ["Death", "crm:E69_Death", "event"],
  ["Thing", "crm:E70_Thing"],
  ["HumanMadeThing", "crm:E71_Human-Made_Thing"],
  ["LegalObject", "crm:E72_Legal_Object"],
  ["InformationObject", "crm:E73_Information_Object", "symbolic"],
  ["Group", "crm:E74_Group", "actor"],
  ["PersistentItem", "crm:E77_Persistent_Item"],
  ["CuratedHolding", "crm:E78_Curated_Holding"],
  ["PartAddition", "crm:E79_Part_Addition", "event"],
  ["PartRemoval", "crm:E80_Part_Removal", "event"],
  ["Transformation", "crm:E81_Transformation", "event"],
  ["TypeCreation", "crm:E83_Type_Creation"],
  ["Joining", "crm:E85_Joining", "event"],
  ["Leaving", "crm:E86_Leaving", "event"],
  ["CurationActivity", "crm:E87_Curation_Activity"],
  ["PropositionalObject", "crm:E89_Propositional_Object", "conceptual"],
  ["SymbolicObject", "crm:E90_Symbolic_Object", "symbolic"],
  ["SpacetimeVolume", "crm:E92_Spacetime_Volume"],
  ["Presence", "crm:E93_Presence"],
  ["Purchase", "crm:E96_Purchase", "event"],
  ["MonetaryAmount", "crm:E97_Monetary_Amount"],
  ["Currency", "crm:E98_Currency", "concept"],
  ["ProductType", "crm:E99_Product_Type"],
  ["Name", "crm:E33_E41_Linguistic_Appellation", "symbolic"],
  ["DigitalObject", "dig:D1_Digital_Object", "symbolic"],
  ["Encounter", "sci:S19_Encounter_Event"],
  ["Transfer", "la:Transfer"],
  ["Payment", "la:Payment", "event"],
  ["Set", "la:Set", "set"],
  ["Addition", "la:Addition"],
  ["Removal", "la:Removal"],
  ["DigitalService", "la:DigitalService"],
  ["RightAcquisition", "la:RightAcquisition"],
] as const satisfies readonly ClassRow[];

export type ClassName = (typeof CLASSES)[number][0];
