/** An institution's own shapes: their focus nodes, their results, and the errors for malformed shapes. */
import { describe, expect, it } from "vitest";
import { classIri, propertyIri } from "../../../src/model/vocabulary/vocabulary.js";
import { formatTerm } from "../../../src/rdf/ntriples/writer.js";
import { SyntaxProblem } from "../../../src/rdf/syntax-problem.js";
import { iri, literal, RDF, RDFS_LABEL, type Term, XSD } from "../../../src/rdf/terms.js";
import type { Result } from "../../../src/validate/results.js";
import { Severities, SeverityError } from "../../../src/validate/severities.js";
import { ShapesError } from "../../../src/validate/shapes/check-shapes.js";
import { ShapesValidator } from "../../../src/validate/shapes/shapes-validator.js";
import { add, graphOf, type Node, RECORD, reference, soundRecord } from "../nodes.js";

const PREFIXES = `
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix crm: <http://www.cidoc-crm.org/cidoc-crm/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix our: <https://museum.example/shapes#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
`;

const INVENTORY_NUMBER = `
our:InventoryNumber a sh:NodeShape ;
    sh:targetClass crm:E22_Human-Made_Object ;
    sh:property [
        sh:path crm:P1_is_identified_by ;
        sh:qualifiedValueShape [ sh:class crm:E42_Identifier ] ;
        sh:qualifiedMinCount 1 ;
        sh:message "an object needs an inventory number"@en , "ein Objekt braucht eine Inventarnummer"@de
    ] .`;

function validatorOf(...shapes: readonly string[]): ShapesValidator {
  return new ShapesValidator(shapes.map((text, at) => ({ name: `ours${at}.ttl`, text: PREFIXES + text })));
}

function results(shapes: string, record: Node, decisions: readonly string[] = []): readonly Result[] {
  const validator = validatorOf(shapes);
  return validator.validate(graphOf(record), new Severities(decisions, validator.rules));
}

const OUR = "https://museum.example/shapes#";
const IDENTIFIED_BY = propertyIri("identified_by")!;
const CONTENT = propertyIri("content")!;

describe("an institution's shapes", () => {
  it("apply to described records, and not to the entities that these refer to", () => {
    const object = soundRecord("object");
    add(object, propertyIri("part_of", "HumanMadeObject")!, reference("HumanMadeObject", "https://museum.example/2"));
    expect(results(INVENTORY_NUMBER, object)).toEqual([
      {
        severity: "Violation",
        path: "identified_by",
        focus: `<${RECORD}>`,
        value: null,
        message: "an object needs an inventory number",
        rule: "https://museum.example/shapes#InventoryNumber.identified_by",
        property: IDENTIFIED_BY,
        component: "http://www.w3.org/ns/shacl#QualifiedMinCountConstraintComponent",
      },
    ]);
    add(object, IDENTIFIED_BY, { statements: [[RDF.type, iri(classIri("Identifier")!)]] });
    expect(results(INVENTORY_NUMBER, object)).toEqual([]);
    expect(results(INVENTORY_NUMBER, soundRecord("person"))).toEqual([]);
  });

  it("apply to structures, too, and say where they are", () => {
    const shapes = `our:Short a sh:PropertyShape ; sh:targetObjectsOf crm:P1_is_identified_by ;
      sh:path crm:P190_has_symbolic_content ; sh:maxLength 3 ; sh:severity sh:Info ; sh:message "too long" .`;
    const object = soundRecord("object");
    add(object, IDENTIFIED_BY, { statements: [[CONTENT, literal("long")]] });
    expect(results(shapes, object)).toMatchObject([
      {
        path: expect.stringMatching(/^identified_by\[\d+\]\/content$/),
        value: '"long"',
        severity: "Warning",
        message: "too long",
        rule: "https://museum.example/shapes#Short",
      },
    ]);
  });

  it("say by default what they demand, except for lists and shapes", () => {
    const messages = (constraint: string) =>
      results(`our:S sh:targetNode <${RECORD}> ; sh:path our:p ; ${constraint} .`, object).map(
        ({ message }) => message,
      );
    const object = soundRecord("object");
    add(object, `${OUR}p`, literal("x"));
    expect(messages("sh:minLength 3")).toEqual(["breaks sh:minLength 3 of its shape"]);
    expect(messages("sh:datatype xsd:sting")).toEqual([
      "breaks sh:datatype http://www.w3.org/2001/XMLSchema#sting of its shape",
    ]);
    expect(messages('sh:in ( "y" )')).toEqual(["breaks sh:in of its shape"]);
  });

  it("say which property a closed shape forbids, and where", () => {
    const shapes = `our:Closed a sh:NodeShape ; sh:targetClass crm:E42_Identifier ; sh:closed true ;
      sh:ignoredProperties ( rdf:type ) .`;
    const object = soundRecord("object");
    add(object, IDENTIFIED_BY, {
      statements: [
        [RDF.type, iri(classIri("Identifier")!)],
        [CONTENT, literal("1")],
        ["urn:p", literal("2")],
      ],
    });
    expect(results(shapes, object)).toMatchObject([
      { path: expect.stringMatching(/^identified_by\[\d+\]\/content$/), value: '"1"', property: CONTENT },
      { path: expect.stringMatching(/^identified_by\[\d+\]\/urn:p$/), value: '"2"', property: "urn:p" },
    ]);
  });

  it("apply to nodes with a property if that is their target", () => {
    const shapes = `our:S a sh:NodeShape ; sh:targetSubjectsOf crm:P1_is_identified_by ;
      sh:property [ sh:path rdfs:comment ; sh:minCount 1 ] .`;
    const object = soundRecord("object");
    add(object, IDENTIFIED_BY, { statements: [[RDF.type, iri(classIri("Identifier")!)]] });
    expect(results(shapes, object).map(({ focus }) => focus)).toContain(`<${RECORD}>`);
  });

  it("ignore a record's statements about subclasses", () => {
    const shapes = `our:S a sh:NodeShape ; sh:targetClass crm:E22_Human-Made_Object ;
      sh:property [ sh:path crm:P1_is_identified_by ; sh:class crm:E42_Identifier ] .`;
    const object = soundRecord("object");
    const type = iri("https://museum.example/ns/Number");
    add(object, IDENTIFIED_BY, { iri: type.value, statements: [[RDF.type, type]] });
    const before = results(shapes, object);
    add(object, IDENTIFIED_BY, {
      iri: type.value,
      statements: [["http://www.w3.org/2000/01/rdf-schema#subClassOf", iri(classIri("Identifier")!)]],
    });
    expect(results(shapes, object)).toEqual(before);
  });

  it("follow decisions about severity, by the shape's IRI", () => {
    const object = soundRecord("object");
    const decided = (decision: string): unknown =>
      results(INVENTORY_NUMBER, object, [decision]).map((each) => each.severity);
    expect(decided("https://museum.example/shapes#*=warning")).toEqual(["Warning"]);
    expect(decided("https://museum.example/shapes#InventoryNumber.identified_by=off")).toEqual([]);
    expect(() => decided("https://museum.example/shapes#Inventory=off")).toThrow(SeverityError);
  });

  it("get names if they are anonymous", () => {
    const { rules } = validatorOf(
      `[] sh:targetClass crm:E21_Person ; sh:property [ sh:path rdfs:label ; sh:minCount 1 ] , [ sh:path rdfs:label ; sh:maxCount 1 ] ;
        sh:or ( [ sh:path ( crm:P1_is_identified_by [ sh:inversePath crm:P2_has_type ] ) ; sh:minCount 1 ] ) .
      <urn:vitrine:shape:institution.shape._label.2> sh:targetClass crm:E74_Group ; sh:nodeKind sh:IRI .`,
    );
    expect(rules.map(({ name }) => name).sort()).toEqual([
      "urn:vitrine:shape:institution.shape",
      "urn:vitrine:shape:institution.shape._label",
      "urn:vitrine:shape:institution.shape._label.3",
      "urn:vitrine:shape:institution.shape.identified_by/%5Eclassified_as",
    ]);
  });

  it("get names even if they refer to each other", () => {
    const { rules } = validatorOf(`_:a sh:targetClass crm:E21_Person ; sh:node _:b .
      _:b sh:node _:a ; sh:property [ sh:path rdfs:label ; sh:minCount 1 ] .`);
    expect(rules.map(({ name }) => name).sort()).toEqual([
      "urn:vitrine:shape:institution.shape",
      "urn:vitrine:shape:institution.shape._label",
      "urn:vitrine:shape:institution.shape.shape",
    ]);
  });

  it("are named after the first shape that leads to them, even through lists or other statements", () => {
    const { rules } = validatorOf(`
      our:C rdfs:seeAlso _:list , _:inner .
      our:A sh:targetClass crm:E21_Person ; sh:property _:shared ; sh:and _:list .
      our:B sh:targetClass crm:E21_Person ; sh:property _:shared ; sh:not [ sh:property _:inner ] .
      our:O sh:targetClass crm:E22_Human-Made_Object ; sh:property [ sh:path crm:P46i_forms_part_of ; sh:minCount 1 ] .
      _:list rdf:first [ sh:path rdfs:label ; sh:minCount 1 ] ; rdf:rest ( [ sh:path rdfs:comment ; sh:minCount 1 ] ) .
      _:inner sh:path rdfs:label ; sh:maxCount 1 .
      _:shared sh:path rdfs:label ; sh:minCount 1 .`);
    expect(rules.map(({ name }) => name.slice(name.indexOf("#") + 1)).sort()).toEqual([
      "A._label",
      "A._label.2",
      "A.http://www.w3.org/2000/01/rdf-schema%23comment",
      "B.shape",
      "B.shape._label",
      "O.part_of",
    ]);
  });

  it("may refer to themselves", () => {
    const shapes = `our:Name sh:targetObjectsOf crm:P1_is_identified_by ;
      sh:property [ sh:path crm:P106_is_composed_of ; sh:node our:Name ] , [ sh:path rdf:type ; sh:minCount 1 ] .`;
    const object = soundRecord("object");
    const name: Node = { iri: "https://museum.example/name", statements: [] };
    add(name, propertyIri("part", "Name")!, iri(name.iri!));
    add(object, IDENTIFIED_BY, name);
    const rules = results(shapes, object).map(({ rule }) => rule);
    expect(rules).toContain("https://museum.example/shapes#Name.type");
  });

  it("apply to a node as often as it is reached, and name each fault once", () => {
    const shapes = `our:S sh:targetSubjectsOf our:p ; sh:property [ sh:path our:p ; sh:property our:Q ] .
      our:Q sh:path our:q ; sh:node our:T ; sh:property our:L .
      our:T sh:property [ sh:path rdfs:comment ; sh:minCount 1 ] .
      our:L sh:path rdfs:label ; sh:maxCount 0 .`;
    const object = soundRecord("object");
    const shared: Node = { iri: `${OUR}shared`, statements: [[RDFS_LABEL, literal("Delft")]] };
    for (let number = 0; number < 60; number++)
      add(object, `${OUR}p`, { iri: `${OUR}${number}`, statements: [[`${OUR}q`, shared]] });
    const rules = results(shapes, object).map(({ rule }) => rule.slice(OUR.length));
    expect(rules.filter((rule) => rule === "Q")).toHaveLength(60);
    expect(rules.filter((rule) => rule === "L")).toHaveLength(1);
  });

  it.each(["sh:not our:S", "sh:and ( our:S )", "sh:qualifiedValueShape our:S ; sh:qualifiedMinCount 0"])(
    "may lead back to themselves through %s",
    (way) => {
      const shapes = `our:S sh:targetSubjectsOf our:p ; sh:property [ sh:path our:p ; ${way} ] .`;
      const object = soundRecord("object");
      add(object, `${OUR}p`, { iri: `${OUR}1`, statements: [[`${OUR}p`, iri(RECORD)]] });
      expect(() => results(shapes, object)).not.toThrow();
    },
  );

  const DATE_TIME = (value: string) => literal(value, XSD.dateTime);
  it.each<[constraint: string, values: readonly Term[], broken: readonly Term[], other?: Term]>([
    // Each value by itself, not the node that has it.
    ["sh:and ( [ sh:minLength 2 ] [ sh:datatype xsd:string ] )", [literal("ab"), literal("c")], [literal("c")]],
    ["sh:lessThan our:q", [DATE_TIME("-0500-01-01T00:00:00Z")], [], DATE_TIME("-0400-01-01T00:00:00Z")],
    ...["-0300-01-01T00:00:00Z", "12000-01-01T00:00:00Z", "-0400-01-01T00:00:00Z"].map(
      (text): [string, Term[], Term[], Term] => {
        return ["sh:lessThan our:q", [DATE_TIME(text)], [DATE_TIME(text)], DATE_TIME("-0400-01-01T00:00:00Z")];
      },
    ),
    [
      "sh:lessThanOrEquals our:q",
      [literal("five", XSD.integer)],
      [literal("five", XSD.integer)],
      literal("5", XSD.integer),
    ],
    ['sh:maxInclusive "2000-01-01T00:00:00+02:00"^^xsd:dateTime', [DATE_TIME("-66000000-01-01T00:00:00Z")], []],
    ['sh:maxExclusive "0400-01-01"^^xsd:date', [literal("-0500-06-01", XSD.date)], []],
    ['sh:minInclusive "-0500"^^xsd:gYear', [literal("-0600", XSD.gYear)], [literal("-0600", XSD.gYear)]],
    ["sh:minExclusive 5", [literal("INF", XSD.double), literal("5.0", XSD.decimal)], [literal("5.0", XSD.decimal)]],
    [
      'sh:languageIn ( "en" )',
      ["en", "EN-GB", "enm"].map((tag) => literal("x", undefined, tag)),
      [literal("x", undefined, "enm")],
    ],
    ['sh:languageIn ( "*" )', ["en", ""].map((tag) => literal("x", undefined, tag)), [literal("x")]],
    [
      "sh:datatype xsd:date",
      ["1889-02-28", "1889-02-30"].map((day) => literal(day, XSD.date)),
      [literal("1889-02-30", XSD.date)],
    ],
    [
      "sh:datatype xsd:boolean",
      [literal("true", XSD.boolean), literal("ja", XSD.boolean)],
      [literal("ja", XSD.boolean)],
    ],
    [String.raw`sh:pattern "^\\p{Lu}.$"`, [literal("É𓀀"), literal("éa")], [literal("éa")]],
    ["sh:maxLength 1", [literal("𓀀"), literal("ab")], [literal("ab")]],
  ])("%s applies to %j as SHACL says", (constraint, values, broken, other) => {
    const object = soundRecord("object");
    for (const value of values) add(object, `${OUR}p`, value);
    if (other !== undefined) add(object, `${OUR}q`, other);
    const shapes = `our:S sh:targetSubjectsOf our:p ; sh:property [ sh:path our:p ; ${constraint} ] .`;
    expect(results(shapes, object).map(({ value }) => value)).toEqual(broken.map(formatTerm));
  });

  it.each<[string, string, RegExp]>([
    [
      "a misspelt term",
      "our:A sh:targetClass our:B ; sh:mincount 1 .",
      /^ours0\.ttl:8: sh:mincount is not in SHACL Core: did you mean minCount\?$/,
    ],
    [
      "a class of an earlier CIDOC-CRM",
      "our:A sh:targetClass crm:E22_Man-Made_Object .",
      /:8: the data model has no <.*E22_Man-Made_Object>: write <.*E22_Human-Made_Object>$/,
    ],
    [
      "a misspelt property in a path",
      "our:A sh:targetClass our:B ; sh:property [ sh:path ( crm:P1_is_identifed_by our:p ) ] .",
      /no <.*P1_is_identifed_by>: write <.*P1_is_identified_by>$/,
    ],
    [
      "a shape that is not there",
      "our:A sh:targetClass our:B ; sh:node our:C .",
      /sh:node names the shape <.*#C>, which these files lack$/,
    ],
    [
      "a shape in a list that is not there",
      "our:A sh:targetClass our:B ; sh:or ( [] our:C ) .",
      /sh:or names the shape <.*#C>, which these files lack$/,
    ],
    ["SHACL-SPARQL", "our:A sh:targetClass our:B ; sh:sparql [] .", /sh:sparql .* SHACL-SPARQL/],
    [
      "a number in words",
      'our:A sh:targetClass our:B ; sh:path our:p ; sh:minCount "one" .',
      /takes a number such as 1, not "one"/,
    ],
    ["a number as text", 'our:A sh:targetClass our:B ; sh:path our:p ; sh:minCount "1" .', /takes a number such as 1/],
    [
      "a property shape without a path",
      "our:A sh:targetClass our:B ; sh:property [ sh:in ( 1 ) ] .",
      /needs one sh:path/,
    ],
    ["a count of nothing", "our:A sh:targetClass our:B ; sh:minCount 1 .", /sh:minCount counts or compares values/],
    ["a list that is not one", "our:A sh:targetClass our:B ; sh:in our:C .", /takes a list in parentheses/],
    ["a broken pattern", 'our:A sh:targetClass our:B ; sh:pattern "(" .', /not a regular expression/],
    ["an unknown kind of nodes", "our:A sh:targetClass our:B ; sh:nodeKind sh:Iri .", /takes one of sh:BlankNode/],
    [
      "an unknown severity",
      "our:A sh:targetClass our:B ; sh:severity sh:Error .",
      /takes one of sh:Violation, sh:Warning, sh:Info/,
    ],
    ["a text for a class", 'our:A sh:targetClass "B" .', /sh:targetClass takes an IRI/],
    ["a path that is not one", "our:A sh:targetClass our:B ; sh:path [ our:p our:q ] .", /takes a property path/],
    [
      "a number in letters",
      'our:A sh:targetClass our:B ; sh:minLength "x1"^^xsd:integer .',
      /takes a number such as 1/,
    ],
    ["a number and more", 'our:A sh:targetClass our:B ; sh:minLength "1x"^^xsd:integer .', /takes a number such as 1/],
    ["a word for a boolean", 'our:A sh:targetClass our:B ; sh:closed "yes" .', /sh:closed takes true or false/],
    ["a text for a shape", 'our:A sh:targetClass our:B ; sh:node "x" .', /sh:node takes a shape/],
    ["a number for a pattern", "our:A sh:targetClass our:B ; sh:pattern 5 .", /sh:pattern takes a plain text/],
    ["a name for a bound", "our:A sh:targetClass our:B ; sh:minInclusive our:x .", /takes a literal/],
    [
      "flags that do not exist",
      'our:A sh:targetClass our:B ; sh:pattern "a" ; sh:flags "q" .',
      /not a regular expression/,
    ],
    [
      "a boolean in words",
      'our:A sh:targetClass our:B ; sh:closed "yes"^^xsd:boolean .',
      /sh:closed takes true or false, not/,
    ],
    ...["sh:in ( 1 ) , ( 2 )", 'sh:pattern "a" ; sh:flags "i" , "s"', "sh:severity sh:Info , sh:Warning"].map(
      (two): [string, string, RegExp] => [two, `our:A sh:targetClass our:B ; ${two} .`, /has only one sh:/],
    ),
    ...["zeroOrMorePath _:loop", "alternativePath ( our:p _:loop )"].map((inner): [string, string, RegExp] => [
      `a path that is part of itself by ${inner}`,
      `our:A sh:targetClass our:B ; sh:path ( our:p _:loop ) . _:loop sh:${inner} .`,
      /sh:path takes a property path/,
    ]),
    ...[
      '[ sh:alternativePath ( our:p "x" ) ]',
      "()",
      "( our:p )",
      '( our:p "x" )',
      '"x"',
      "[ sh:inversePath our:p ; sh:zeroOrMorePath our:q ]",
    ].map((path): [string, string, RegExp] => [
      `the path ${path}`,
      `our:A sh:targetClass our:B ; sh:path ${path} .`,
      /takes a property path/,
    ]),
    [
      "the inverse of a path",
      "our:A sh:targetClass our:B ; sh:path [ sh:inversePath ( our:p our:q ) ] .",
      /sh:inversePath takes a property alone/,
    ],
    ["no target", "our:A sh:path our:p ; sh:minCount 1 .", /ours0\.ttl: no shape has a target/],
  ])("are refused for %s", (_name, shapes, message) => {
    expect(() => validatorOf(shapes)).toThrow(ShapesError);
    expect(() => validatorOf(shapes)).toThrow(message);
  });

  it("that the library cannot apply are named, with the record", () => {
    const object = soundRecord("object");
    for (let at = 0; at < 4_000; at++)
      add(object, `${OUR}list`, { iri: `${OUR}cell${at}`, statements: [[RDF.rest, iri(`${OUR}cell${at + 1}`)]] });
    const path = `[ sh:zeroOrMorePath <${RDF.rest}> ]`;
    const shapes = `our:S sh:targetSubjectsOf our:list ; sh:property [ sh:path ( our:list ${path} ) ; sh:maxCount 9 ] .`;
    const message = `ours0.ttl:${PREFIXES.split("\n").length}: the shape cannot be applied to <${RECORD}>: `;
    const validator = validatorOf(shapes);
    const graph = graphOf(object);
    let error: unknown;
    try {
      validator.validate(graph, new Severities());
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ShapesError);
    expect((error as Error).message.slice(0, message.length)).toBe(message);
  });

  it("may state a triple more than once, in one file or in several", () => {
    const shared = "our:Path sh:path our:p ; sh:minCount 1 ; sh:severity sh:Warning .";
    const shape = `our:A sh:targetClass crm:E22_Human-Made_Object ; sh:property our:Path . ${shared} our:Path sh:path our:p .`;
    const other = `our:B sh:targetClass crm:E21_Person ; sh:property our:Path . ${shared}`;
    const found = validatorOf(shape, other).validate(graphOf(soundRecord("object")), new Severities());
    expect(found.map(({ severity, rule }) => [severity, rule])).toEqual([["Warning", `${OUR}Path`]]);
  });

  it("are refused with the place if they are not Turtle", () => {
    expect(() => validatorOf("our:A sh:targetClass")).toThrow(SyntaxProblem);
  });

  it("may have what only looks like a mistake", () => {
    const shapes = `our:A sh:targetClass our:B ; sh:message "(" ; sh:minLength 12 ; sh:closed false ;
      sh:property [ sh:path ( our:p [ sh:inversePath our:q ] ) ; sh:pattern "A" ; sh:flags "i" ] .`;
    expect(validatorOf(shapes).rules).toHaveLength(1);
  });
});
