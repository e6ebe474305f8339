/** The reader of RDF/XML: text of the writer and of others, the place of every error, and bounded expansion. */
import fc from "fast-check";
import { parse } from "oxigraph";
import { describe, expect, it } from "vitest";
import { InexpressibleError } from "../../../src/rdf/inexpressible.js";
import { isIsomorphic } from "../../../src/rdf/isomorphism.js";
import { tripleLine } from "../../../src/rdf/ntriples/writer.js";
import { RdfXmlReader } from "../../../src/rdf/rdfxml/reader.js";
import { writeRdfXml } from "../../../src/rdf/rdfxml/writer.js";
import { RecordGraphBuilder } from "../../../src/rdf/record-graph.js";
import type { ReadingOptions } from "../../../src/rdf/statement.js";
import { SyntaxProblem } from "../../../src/rdf/syntax-problem.js";
import { forAll, runsOf } from "../../properties.js";
import { ENTITY, graphOfQuads, recordGraph } from "../record-graphs.js";

/** The triples of a text read in chunks of `chunk` bytes, each with its line. */
function read(text: string, options: Partial<ReadingOptions> = {}, chunk = 65_536): string[] {
  const lines: string[] = [];
  const reader = new RdfXmlReader({ source: "x.rdf", ...options }, (statement) => {
    expect(statement.graph()).toBeUndefined();
    const triple = tripleLine(statement.subject(), statement.predicate(), statement.object());
    lines.push(`${statement.line}: ${triple.trimEnd()}`);
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunk) reader.push(bytes.subarray(at, at + chunk));
  reader.end();
  return lines;
}

const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const rdf = (content: string, attributes = ""): string =>
  `<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="${RDF}" xmlns:e="http://e/"${attributes}>\n${content}\n</rdf:RDF>\n`;

/** Expect the triples that Oxigraph reads. */
function expectOxigraphs(text: string): void {
  const parts: [format: string, text: string][] = [
    [
      "application/n-triples",
      read(text)
        .map((line) => line.replace(/^\d+: /, ""))
        .join("\n"),
    ],
    ["application/rdf+xml", text],
  ];
  const [ours, theirs] = parts.map(([format, part]) => graphOfQuads(parse(part, { format })));
  expect(ours !== undefined && theirs !== undefined && isIsomorphic(ours, theirs)).toBe(true);
}

/** Documents of all productions of the grammar, except those that Oxigraph reads otherwise: XML literals, `xml:lang=""`, an `rdf:type` attribute alone. */
function rdfXml(): fc.Arbitrary<string> {
  const element = (name: string, attributes: readonly string[], content = ""): string =>
    `<${[name, ...attributes].join(" ")}>${content}</${name}>`;
  const some = (...attributes: readonly string[]): fc.Arbitrary<string[]> => fc.shuffledSubarray([...attributes]);
  const scope = ['xml:lang="nl"', 'xml:base="http://f/g"'];
  const valued = some('e:q="v"', 'rdf:_1="w"', ...scope);
  const property = fc.constantFrom("e:p", "rdf:li", "rdf:_2");
  const { node } = fc.letrec<{ node: string; property: string }>((tie) => {
    const nodes = fc.array(tie("node"), { maxLength: 2 }).map((all) => all.join("\n"));
    const properties = fc.array(tie("property"), { maxLength: 3 }).map((all) => all.join("\n"));
    const parsed = (type: string, content: fc.Arbitrary<string>): fc.Arbitrary<string> =>
      fc.tuple(property, some("ID", ...scope, `rdf:parseType="${type}"`), content).map(([name, attributes, inner]) => {
        const parseType = `rdf:parseType="${type}"`;
        return element(name, attributes.includes(parseType) ? attributes : [...attributes, parseType], inner);
      });
    return {
      node: fc
        .tuple(
          fc.constantFrom("e:C", "rdf:Description", "rdf:Bag"),
          fc.constantFrom([], ['rdf:about="../x#y"'], ['rdf:nodeID="n"'], ["ID"]),
          valued,
          properties,
        )
        .map(([name, subject, attributes, content]) => element(name, [...attributes, ...subject], content)),
      property: fc.oneof(
        { maxDepth: 4 },
        fc.tuple(property, some("ID", 'rdf:datatype="t"', ...scope)).map(([name, all]) => element(name, all, "&lt;x")),
        fc
          .tuple(property, fc.constantFrom('rdf:resource="r"', 'rdf:nodeID="m"', 'e:r="u"'), some("ID"), valued)
          .map(([name, value, id, attributes]) => element(name, [...attributes, value, ...id])),
        fc.tuple(property, some("ID", ...scope), tie("node")).map(([name, all, inner]) => element(name, all, inner)),
        parsed("Resource", properties),
        parsed("Collection", nodes),
      ),
    };
  });
  return fc.array(node, { minLength: 1, maxLength: 2 }).map((nodes) => {
    let ids = 0;
    return rdf(nodes.join("\n"), ' xml:base="http://b/c/"').replace(/ ID\b/g, () => ` rdf:ID="i${ids++}"`);
  });
}

describe("RDF/XML", () => {
  it("is read back from the writer's text, in chunks of any size", () => {
    forAll([recordGraph, fc.integer({ min: 1, max: 50 })], runsOf(1_000), (graph, chunk) => {
      let text: string;
      try {
        text = writeRdfXml(graph, {});
      } catch (error) {
        if (error instanceof InexpressibleError) return;
        throw error;
      }
      const builder = new RecordGraphBuilder(ENTITY);
      const reader = new RdfXmlReader({ source: "x.rdf" }, (statement) => {
        const [s, p, o] = [statement.subject(), statement.predicate(), statement.object()];
        builder.add(builder.term(s), builder.term(p), builder.term(o));
      });
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += chunk) reader.push(bytes.subarray(at, at + chunk));
      reader.end();
      expect(isIsomorphic(builder.build(), graph)).toBe(true);
    });
  });

  it("is read with its nodes, literals, languages as written, lists and entities", () => {
    const text = `<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [ <!ENTITY e "http://e/"> <!ENTITY   long
  'http://long/'  > <!ENTITY none ""> <!ENTITY nil ''> <!ENTITY xsd 'http://www.w3.org/2001/XMLSchema#'> ]>
<rdf:RDF xmlns:rdf="${RDF}" xmlns:e="&e;" xml:base="http://b/">
  <e:C rdf:about="a" e:p="v &amp; &quot;w&quot;" e:lang="EN"/>
  <rdf:Description rdf:about="&e;s">
    <e:p xml:lang="en-GB">x &amp; <!-- no --> y<![CDATA[<z>]]></e:p>
    <e:p rdf:datatype="&xsd;integer">01</e:p>
    <e:q rdf:parseType="Resource"><e:r rdf:resource="#f"/></e:q>
    <e:q rdf:nodeID="n"/>
    <e:l rdf:parseType="Collection"><e:C/></e:l>
    <e:x rdf:parseType="Literal"><i a="&quot;&lt;">1 &lt; 2 &amp; 3 &gt; 2</i></e:x>
    <e:y xml:lang="EN" rdf:parseType="Resource"><e:r xml:lang="">z</e:r><e:r>z</e:r></e:y>
  </rdf:Description>
</rdf:RDF>`;
    expect(read(text)).toEqual([
      `5: <http://b/a> <${RDF}type> <http://e/C> .`,
      '5: <http://b/a> <http://e/p> "v & \\"w\\"" .',
      '5: <http://b/a> <http://e/lang> "EN" .',
      '7: <http://e/s> <http://e/p> "x &  y<z>"@en-GB .',
      '8: <http://e/s> <http://e/p> "01"^^<http://www.w3.org/2001/XMLSchema#integer> .',
      "9: <http://e/s> <http://e/q> _:b0 .",
      "9: _:b0 <http://e/r> <http://b/#f> .",
      "10: <http://e/s> <http://e/q> _:ln .",
      "11: <http://e/s> <http://e/l> _:b2 .",
      `11: _:b2 <${RDF}first> _:b1 .`,
      `11: _:b1 <${RDF}type> <http://e/C> .`,
      `11: _:b2 <${RDF}rest> <${RDF}nil> .`,
      `12: <http://e/s> <http://e/x> "<i a=\\"&quot;&lt;\\">1 &lt; 2 &amp; 3 &gt; 2</i>"^^<${RDF}XMLLiteral> .`,
      "13: <http://e/s> <http://e/y> _:b3 .",
      '13: _:b3 <http://e/r> "z" .',
      '13: _:b3 <http://e/r> "z"@EN .',
    ]);
  });

  it("has one statement about a list's property that has an ID", () => {
    const list = '<e:C><e:l rdf:ID="r" rdf:parseType="Collection"><rdf:Description/><rdf:Description/></e:l></e:C>';
    const triples = read(rdf(list), { baseIri: "http://b/" });
    expect(triples.filter((triple) => triple.includes(`${RDF}predicate`))).toEqual([
      `3: <http://b/#r> <${RDF}predicate> <http://e/l> .`,
    ]);
  });

  it("with two equal IDs is refused, unless they have different bases", () => {
    const base = { baseIri: "http://b/" };
    expect(() => read(rdf('<e:C rdf:ID="x"/><e:C><e:p rdf:ID="x">v</e:p></e:C>'), base)).toThrow("two elements have");
    expect(read(rdf('<e:C rdf:ID="x"/><e:C rdf:ID="x" xml:base="http://c/"/>'), base)).toHaveLength(2);
  });

  it("has XML literals with the namespaces that they use, in canonical form", () => {
    const literalOf = (content: string): string => {
      const [triple = ""] = read(
        rdf(`<e:C><e:p rdf:parseType="Literal" xmlns:f="http://f/">${content}</e:p></e:C>`),
      ).slice(-1);
      return JSON.parse(/"(?:\\.|[^"])*"/.exec(triple)![0]) as string;
    };
    expect(
      literalOf(
        '<f:b e:z="1" a="&lt;&#9;>" xml:lang="en"><f:i/>&lt;&#13;"</f:b><g xmlns="http://g/"><h xmlns=""/></g>',
      ),
    ).toBe(
      '<f:b xmlns:e="http://e/" xmlns:f="http://f/" a="&lt;&#x9;>" e:z="1" xml:lang="en"><f:i></f:i>&lt;&#xD;"</f:b>' +
        '<g xmlns="http://g/"><h xmlns=""></h></g>',
    );
    expect(literalOf("a<!-- b --><![CDATA[<c>]]><?d e?>")).toBe("a<!-- b -->&lt;c&gt;<?d e?>");
    expect(read(rdf('<e:C><e:p rdf:parseType="other"> <b/></e:p></e:C>')).at(-1)).toContain('" <b></b>"^^');
  });

  it.each([
    [
      "an XML literal",
      ' rdf:parseType="Literal"',
      `<b>${"&x;".repeat(20_000)}</b>`,
      /an XML literal of more than 64 MiB/,
    ],
    ["a text", "", "&x;".repeat(20_000), /text of more than 64 MiB without a tag/],
  ])("with %s that entities make endless is refused", (_what, attribute, content, message) => {
    const reader = new RdfXmlReader({ source: "x.rdf" }, () => {});
    const start = rdf(`<e:C><e:p${attribute}>`).split("\n</rdf:RDF>")[0]!;
    reader.push(Buffer.from(`<!DOCTYPE rdf:RDF [<!ENTITY x "${"x".repeat(480)}">]>${start.replace(/^.*\n/, "")}`));
    const piece = Buffer.from(content);
    expect(() => {
      for (let pieces = 0; pieces < 20; pieces++) reader.push(piece);
    }).toThrow(message);
  });

  it("keeps the dots of absolute IRIs, as Turtle does", () => {
    const text = rdf(
      '<rdf:Description rdf:about="http://e/a/../b"><e:p rdf:resource="http://e/./c"/><e:p rdf:resource="../d"/></rdf:Description>',
    );
    expect(read(text, { baseIri: "http://b/c/" })).toEqual([
      "3: <http://e/a/../b> <http://e/p> <http://e/./c> .",
      "3: <http://e/a/../b> <http://e/p> <http://b/d> .",
    ]);
    expectOxigraphs(text.replace("../d", "http://e/d"));
  });

  it("may have the attributes of RDF without a namespace, as in old documents", () => {
    const text = rdf(
      '<rdf:Description about="http://e/s" type="http://e/T"><e:p resource="http://e/o"/></rdf:Description>',
    );
    expect(read(text)).toEqual([
      `3: <http://e/s> <${RDF}type> <http://e/T> .`,
      "3: <http://e/s> <http://e/p> <http://e/o> .",
    ]);
  });

  it("has the statement about a property whose value is a node, not about the node's type", () => {
    const triples = read(rdf('<e:C><e:p rdf:ID="r"><e:D e:q="v"/></e:p></e:C>'), { baseIri: "http://b/" });
    expect(triples.filter((triple) => triple.includes("<http://b/#r>"))).toEqual([
      `3: <http://b/#r> <${RDF}type> <${RDF}Statement> .`,
      `3: <http://b/#r> <${RDF}subject> _:b0 .`,
      `3: <http://b/#r> <${RDF}predicate> <http://e/p> .`,
      `3: <http://b/#r> <${RDF}object> _:b1 .`,
    ]);
  });

  it("is read as Oxigraph reads it, in whatever order its attributes are", () => {
    forAll([rdfXml()], runsOf(500), (text) => expectOxigraphs(text));
  });

  it.each<[what: string, text: string, message: RegExp]>([
    ["a tag that is not closed", rdf("<e:C>"), /^x\.rdf:4:\d+: unexpected close tag/],
    ["an unclosed root", rdf("").replace("</rdf:RDF>", ""), /^x\.rdf:\d+:\d+: unclosed tag: rdf:RDF/],
    ["text that is not XML", "hello", /^x\.rdf:1:\d+: /],
    ["an unknown prefix", rdf("<u:C/>"), /^x\.rdf:3:\d+: unbound namespace prefix: "u"/],
    ["a relative IRI without a base", rdf('<e:C rdf:about="a"/>'), /^x\.rdf:3:\d+: the IRI <a> is not absolute/],
    ["an IRI with a space", rdf('<e:C rdf:about="http://e/a b"/>'), /^x\.rdf:3:\d+: /],
    [
      "two identifiers",
      rdf('<e:C rdf:about="http://e/a" rdf:nodeID="b"/>'),
      /^x\.rdf:3:\d+: only one of rdf:about and rdf:nodeID/,
    ],
    ["an undeclared entity", rdf("<e:C e:p='&x;'/>"), /^x\.rdf:3:\d+: undefined entity/],
    [
      "an IRI with two #",
      rdf('<e:C rdf:about="http://e/a#b#c"/>'),
      /^x\.rdf:3:\d+: the IRI <http:\/\/e\/a#b#c> has two #/,
    ],
    ["a long IRI", rdf(`<e:C rdf:about="http://e/##${"a".repeat(300)}"/>`), /<http:\/\/e\/##a{189}> has two #/],
    [
      "a triple term",
      rdf('<e:C><e:p rdf:parseType="Triple"><rdf:Description e:q="x"/></e:p></e:C>', ' rdf:version="1.2"'),
      /a triple term is RDF 1\.2/,
    ],
    [
      "a direction",
      rdf(
        "<e:C><e:p its:dir='ltr' xml:lang='en'>x</e:p></e:C>",
        ' xmlns:its="http://www.w3.org/2005/11/its" rdf:version="1.2"',
      ),
      /RDF 1\.2/,
    ],
    ["an annotation", rdf('<e:C><e:p rdf:annotation="http://e/a">x</e:p></e:C>'), /rdf:annotation is RDF 1\.2/],
    ["a direction without a version", rdf("<e:C d:dir='ltr' xmlns:d='http://www.w3.org/2005/11/its'/>"), /RDF 1\.2/],
    [
      "rdf:about on a property",
      rdf('<e:C><e:p rdf:about="http://e/x"/></e:C>'),
      /^x\.rdf:3:\d+: the element e:p cannot have the attribute rdf:about/,
    ],
    ["rdf:resource on a node", rdf('<e:C rdf:resource="http://e/x"/>'), /cannot have the attribute rdf:resource/],
    [
      "two values of a property",
      rdf('<e:C><e:p rdf:resource="http://e/x" rdf:nodeID="n"/></e:C>'),
      /a property cannot have rdf:resource and rdf:nodeID/,
    ],
    [
      "a parseType and an attribute",
      rdf('<e:C><e:p e:q="v" rdf:parseType="Literal">x</e:p></e:C>'),
      /a property cannot have rdf:parseType and property attributes/,
    ],
    ["a property as a node", rdf("<rdf:li/>"), /the element rdf:li cannot be a node/],
    ["a node as a property", rdf("<e:C><rdf:Description/></e:C>"), /the element rdf:Description cannot be a property/],
    ["an ID that is no name", rdf('<e:C rdf:ID="1"/>'), /rdf:ID="1" is not a name of XML/],
    [
      "an attribute without a namespace",
      rdf('<e:C><e:p order="1">x</e:p></e:C>'),
      /the attribute order has no namespace/,
    ],
    ["an element without a namespace", rdf("<e:C><p>x</p></e:C>"), /the element p has no namespace/],
    ["an entity that is a name of JavaScript", rdf("<e:C e:p='&toString;'/>"), /^x\.rdf:3:\d+: undefined entity/],
    ["too much depth", rdf("<e:C><e:p>".repeat(600)), /^x\.rdf:3:\d+: elements are nested deeper than 1000 levels/],
    [
      "no namespace",
      "<html><body>Log in</body></html>",
      /^x\.rdf:1:\d+: the element html has no namespace: this is XML/,
    ],
  ])("with %s is refused with the place", (_what, text, message) => {
    expect(() => read(text)).toThrow(SyntaxProblem);
    expect(() => read(text)).toThrow(message);
  });

  it.each<[what: string, content: string]>([
    ["text and a property attribute", '<e:p e:q="x">\nA long note</e:p>'],
    ["text and rdf:resource", '<e:p rdf:resource="http://e/x">\nA long note</e:p>'],
    ["text and rdf:nodeID", '<e:p rdf:nodeID="x">\n<![CDATA[A long note]]></e:p>'],
    ["text before an element", "<e:p>Lost\n<e:C/></e:p>"],
    ["text after an element", "<e:p><e:C/>\nLost</e:p>"],
    ["a space that is not XML's before an element", "<e:p>\u00a0\n<e:C/></e:p>"],
    ["an element and a property attribute", '<e:p e:q="x">\n<e:C/></e:p>'],
    ["an element and rdf:resource", '<e:p rdf:resource="http://e/x">\n<e:C/></e:p>'],
    ["an element and rdf:nodeID", '<e:p rdf:nodeID="x">\n<e:C/></e:p>'],
    ["two elements", "<e:p><e:C/>\n<e:C/></e:p>"],
    ["text in a node element", "<e:p>x</e:p>\nLost"],
    ["text in a list", '<e:p rdf:parseType="Collection"><e:C/>\nLost</e:p>'],
    ["text in a resource", '<e:p rdf:parseType="Resource">\nLost</e:p>'],
  ])("with %s is refused, where it would be lost or make false triples", (_what, content) => {
    const text = rdf(`<e:C rdf:about="http://e/s">${content}</e:C>`);
    expect(() => parse(text, { format: "application/rdf+xml" })).toThrow();
    expect(() => read(text)).toThrow(SyntaxProblem);
    expect(() => read(text)).toThrow(/^x\.rdf:4:\d+: (?:text where only elements may be|the element e:C stands in)/);
    expect(() => read(text, {}, 1)).toThrow(SyntaxProblem);
  });

  it("has a node for each nodeID, also one that ends in a dot, as no label of N-Triples does", () => {
    const names = ["a", "a.", "a..", "a._", "da._", "a.b", "·".padStart(2, "a")];
    const lines = read(rdf(names.map((name) => `<e:C rdf:nodeID="${name}"/>`).join("")));
    const triples = lines.map((line) => line.replace(/^\d+: /, ""));
    expect(new Set(triples).size).toBe(names.length);
    expect(parse(triples.join("\n"), { format: "application/n-triples" })).toHaveLength(names.length);
  });

  it("with an element in a property with a datatype is refused, where the datatype would be lost", () => {
    const text = rdf('<e:C rdf:about="http://e/s"><e:p rdf:datatype="http://e/d">\n<e:C/></e:p></e:C>');
    expect(() => read(text)).toThrow(/^x\.rdf:4:\d+: the element e:C stands in a property with rdf:datatype/);
  });

  it.each(["en_US", "en ", "a b", "-", "é"])("with a text in the language %j is refused with its line", (language) => {
    const refused = `xml:lang="${language}" is not a language tag`;
    const at = `xml:lang="${language}"`;
    expect(() => read(rdf(`<e:C ${at}>\n<e:p>x</e:p></e:C>`))).toThrow(refused);
    expect(() => read(rdf(`<e:C e:p="x" ${at}/>`))).toThrow(/^x\.rdf:3:\d+: xml:lang/);
    expect(read(rdf(`<e:C ${at}><e:p xml:lang="en-US">x</e:p></e:C>`)).at(-1)).toBe('3: _:b0 <http://e/p> "x"@en-US .');
  });

  it("with text between node elements is refused", () => {
    expect(() => read(rdf("<e:C/>\nLost"))).toThrow(/^x\.rdf:\d:\d+: text where only elements may be/);
  });

  it("may have white space and comments around the elements of a property", () => {
    const text = rdf(`<e:C rdf:about="http://e/s">
      <e:p rdf:resource="http://e/x">\r\n\t<!-- no --> </e:p> <e:p e:q="x"> </e:p>
      <e:p> <!-- no --> <rdf:Description rdf:about="http://e/y"/> <!-- no --> </e:p>
      <e:p rdf:parseType="Literal">a <b/> c <d>e</d> f</e:p>
    </e:C>`);
    expect(read(text)).toHaveLength(6);
    expect(parse(text, { format: "application/rdf+xml" })).toHaveLength(6);
  });

  it("has a base on any element, for it and its children", () => {
    const text = rdf(
      `<e:C rdf:about="s" xml:base="http://b/c/"><e:p xml:base="http://b/d/" rdf:resource="x"/><e:p rdf:resource="x" xml:base="http://b/y/#z"/>
      <e:p xml:base="http://o/"><e:C rdf:about="x" xml:base="http://b/in/"><e:p rdf:resource=""/></e:C></e:p>
      <e:p xml:base="http://b/r/" rdf:parseType="Resource"><e:q rdf:resource="x"/></e:p>
      <e:p xml:base="http://b/l/" rdf:parseType="Collection"><e:C rdf:about="x"/><e:C rdf:about="y"/></e:p>
      <e:p xml:base="http://b/t/" rdf:datatype="t" rdf:ID="i">v</e:p>
      <e:p xml:base="http://b/no/" rdf:parseType="Literal"><e:b xml:base="x">v</e:b></e:p><e:p rdf:resource="x"/></e:C>`,
      ' xml:base="http://b/"',
    );
    // Oxigraph writes namespaces into XML literals.
    expectOxigraphs(text.replace(/<e:p[^>]*"Literal">.*?<\/e:p>/, ""));
    expect(read(text).at(-1)).toBe("8: <http://b/c/s> <http://e/p> <http://b/c/x> .");
    // Oxigraph refuses a relative base, which XML Base allows.
    const relative = rdf('<e:C rdf:about="" xml:base="c/"><e:p xml:base="../d/" rdf:resource="x"/></e:C>');
    expect(read(relative, { baseIri: "http://b/" }).at(-1)).toBe("3: <http://b/c/> <http://e/p> <http://b/d/x> .");
    expect(() => read(rdf('<e:C><e:p xml:base="d/" rdf:resource="x"/></e:C>'))).toThrow(SyntaxProblem);
  });

  it("has the types that are attributes as IRIs, resolved against the base", () => {
    const text = rdf(
      `<rdf:Description rdf:about="s" rdf:type="#T" xml:base="http://n/"/><e:C rdf:about="s" rdf:type="http://e/T">
      <e:p rdf:resource="x" rdf:type="http://e/T" xml:lang="en"/><e:p rdf:type="T" xml:base="http://p/" e:q="v"/>
      <e:p rdf:parseType="Literal"><e:C rdf:type="#T"/></e:p></e:C>`,
      ' xml:base="http://b/"',
    );
    // Oxigraph writes namespaces into XML literals.
    expectOxigraphs(text.replace(/<e:p [^>]*"Literal">.*?<\/e:p>/, ""));
    expect(read(text)[0]).toBe(`3: <http://n/s> <${RDF}type> <http://n/#T> .`);
    expect(read(text).at(-1)).toContain('rdf:type=\\"#T\\"');
    // Oxigraph makes this an empty literal.
    expect(read(rdf('<e:C><e:p rdf:type="#T"/></e:C>'), { baseIri: "http://b/" }).slice(1)).toEqual([
      "3: _:b0 <http://e/p> _:b1 .",
      `3: _:b1 <${RDF}type> <http://b/#T> .`,
    ]);
    for (const type of ["#T", "http://e/a b"]) {
      expect(() => read(rdf(`<e:C rdf:type="${type}"/>`))).toThrow(/^x\.rdf:3:\d+: /);
      expect(() => read(rdf(`<e:C><e:p rdf:type="${type}"/></e:C>`))).toThrow(/^x\.rdf:3:\d+: /);
    }
  });

  it.each([
    'rdf:about="http://e/s"',
    'rdf:about="s" xml:base="http://b/"',
    'rdf:ID="s" xml:base="http://b/"',
    'rdf:nodeID="s"',
    'rdf:about="http://e/s" e:q="v" rdf:type="http://e/T" xml:lang="en"',
  ])("may be one node element, with its attributes: %s", (attributes) => {
    const text = `<!-- no -->\n<e:C xmlns:rdf="${RDF}" xmlns:e="http://e/" ${attributes}>\n<e:p>x</e:p><e:p><e:C/></e:p></e:C>\n`;
    expectOxigraphs(text);
    const base = { baseIri: "http://f/" };
    expect(read(text.replace(/"s" xml:base="[^"]*"/, '"s"'), base)[0]).toMatch(/^2: (?:<http:\/\/[ef]\/#?s>|_:ls) /);
    expect(() => read(`${text}x`)).toThrow(SyntaxProblem);
    expect(() => read(`${text}<e:C/>`)).toThrow(SyntaxProblem);
  });

  it("that is not UTF-8 is refused", () => {
    const reader = new RdfXmlReader({ source: "x.rdf" }, () => {});
    expect(() => reader.push(Buffer.from([0x3c, 0xff]))).toThrow(
      "x.rdf:1:1: the text after this place is not valid UTF-8",
    );
  });

  it.each([
    ["entities made of entities", `<!ENTITY a "xxxxx"><!ENTITY b "&a;&a;&a;">`],
    ["external entities", `<!ENTITY a SYSTEM "file:///etc/passwd">`],
    ["parameter entities", `<!ENTITY % a "x">`],
    ["long entities", `<!ENTITY a "${"x".repeat(600)}">`],
  ])("with %s is refused", (_what, entities) => {
    const text = `<!DOCTYPE rdf:RDF [${entities}]>\n${rdf("<e:C e:p='&a;'/>").replace(/^.*\n/, "")}`;
    expect(() => read(text)).toThrow(/^x\.rdf:1:\d+: an entity/);
  });

  it("with a text in its DOCTYPE that looks like half a million comments is refused in linear time", () => {
    const text = `<!DOCTYPE rdf:RDF [<!ENTITY a "${"<!--".repeat(500_000)}">]>\n${rdf("").replace(/^.*\n/, "")}`;
    expect(() => read(text)).toThrow(/^x\.rdf:1:\d+: an entity/);
  });

  it("may have many elements, nested a thousand deep", () => {
    const deep = `${"<e:C><e:p>".repeat(499)}<e:C/>${"</e:p></e:C>".repeat(499)}`;
    expect(read(rdf(deep))).toHaveLength(999);
    expect(read(rdf("<e:C/>".repeat(1_100)))).toHaveLength(1_100);
  });

  it.each<[attribute: string, name: string]>([
    ["xml:base", "xml:base"],
    ["xmlns", "xmlns"],
  ])("is read with the longest IRI allowed as %s, and refused with a longer one", (attribute, name) => {
    const text = rdf(
      "<rdf:Description rdf:about='urn:x' rdf:type='urn:y'/>",
      ` ${attribute}="http://f/${"x".repeat(91)}"`,
    );
    expect(read(text, { maxIriLength: 100 })).toHaveLength(1);
    expect(() => read(text, { maxIriLength: 99 })).toThrow(`the value of ${name} is longer than an IRI may be`);
  });

  it("with a namespace that is too long is refused", () => {
    const text = rdf("<e:C/>", ` xmlns:f="http://f/${"x".repeat(100)}"`);
    expect(read(text)).toHaveLength(1);
    expect(() => read(text, { maxIriLength: 99 })).toThrow("the value of xmlns:f is longer than an IRI may be");
  });

  it("passes on an error of the sink", () => {
    const reader = new RdfXmlReader({ source: "x.rdf" }, () => {
      throw new RangeError("enough");
    });
    expect(() => reader.push(Buffer.from(rdf("<e:C/>")))).toThrow(new RangeError("enough"));
  });
});
