/** The streaming reader of RDF/XML: the grammar of RDF 1.1 XML Syntax, section 7, over the events of saxes, with the place of every error. */
import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from "@rubensworks/saxes";
import { NAME_ONLY, NAME_START } from "../characters.js";
import { MAX_LINE_BYTES } from "../ntriples/line-blocks.js";
import { resolveIri } from "../resolve.js";
import { type ReadingOptions, type StatementReader, type StatementSink, TermStatement } from "../statement.js";
import { SyntaxProblem } from "../syntax-problem.js";
import { blank, iri, iriProblem, isLanguageTag, literal, RDF, RDF_NAMESPACE, type Term } from "../terms.js";
import { SYNTAX, XML, XMLNS, XmlLiteral } from "./xml-literal.js";

/** The longest entity. Entities abbreviate namespaces; a longer one, or one made of others, may be an attack by endless expansion. */
const MAX_ENTITY_LENGTH = 500;
const NAMESPACE_ENTITY = /^<!ENTITY\s+([^\s%&"']+)\s+(?:"([^"&%<>]*)"|'([^'&%<>]*)')\s*>$/;
/** The deepest nesting of elements. */
const MAX_ELEMENT_DEPTH = 1000;

/** Internationalization Tag Set 2.0, which has the base directions of RDF 1.2. */
const ITS = "http://www.w3.org/2005/11/its";
const XML_LITERAL = `${RDF_NAMESPACE}XMLLiteral`;

/** The attributes that are syntax, on node elements and on property elements. */
const NODE_SYNTAX = new Set(["ID", "about", "nodeID"]);
const PROPERTY_SYNTAX = new Set(["ID", "resource", "nodeID", "datatype", "parseType"]);
/** Names in RDF's namespace that cannot be property attributes (6.1.4, 7.2.25), node elements (7.2.5) or property elements (7.2.14). */
const NOT_ATTRIBUTE = new Set(SYNTAX);
const NOT_NODE = new Set(SYNTAX.filter((name) => name !== "Description"));
const NOT_PROPERTY = new Set(SYNTAX.filter((name) => name !== "li"));
/** Attributes of RDF's namespace that may be written without it, as they were before 2004 (6.1.4): `about` for `rdf:about`. */
const UNQUALIFIED = new Set(["ID", "about", "resource", "parseType", "type"]);
const RDF_12 = new Set(["annotation", "annotationNodeID"]);

const NCNAME = new RegExp(`^[A-Z_a-z${NAME_START}][-.\\w${NAME_ONLY}${NAME_START}]*$`, "u");
/** A character that is not white space in XML. `\S` would miss the no-break space and others, which are text in XML. */
const TEXT = /[^ \t\r\n]/;

interface OpenElement {
  /** What the element may contain. A value is text or one node element. */
  readonly content: "nodes" | "properties" | "value" | "list" | "nothing" | "xml";
  readonly base: string;
  readonly language: string;
  /** The node that is described. */
  readonly subject?: Term;
  /** The property whose value the content is. */
  readonly predicate?: Term;
  /** The name of the statement that a property makes (`rdf:ID`). */
  readonly statement?: Term | undefined;
  readonly datatype?: string | undefined;
  text?: string;
  hasNode?: boolean;
  /** The number of `rdf:li` elements. */
  members?: number;
  /** The last cell of a list. */
  cell?: Term;
}

/** The attributes of an element, with its base and its language. */
interface Attributes {
  readonly base: string;
  readonly language: string;
  /** The values of those that are syntax, by local name. */
  readonly syntax: ReadonlyMap<string, string>;
  readonly properties: readonly (readonly [predicate: Term, object: Term])[];
}

/** What to do with the XML of a collection system. */
const TO_DOCUMENTS = "Turn other XML into documents with a script (docs/publish/prepare.md has some)";

/** A push reader of RDF/XML. The line of a statement is the line on which its tag ends. */
export class RdfXmlReader implements StatementReader {
  readonly #statement = new TermStatement();
  readonly #parser = new SaxesParser({ xmlns: true, position: true });
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  readonly #elements: OpenElement[] = [];
  /** The XML literal that is being read. */
  #xml: XmlLiteral | undefined;
  /** All IRIs that `rdf:ID` gave. Each may be given once (7.2.34). */
  readonly #ids = new Set<string>();
  #blanks = 0;
  #depth = 0;
  #hasEntities = false;
  /** The length of the chunks since the one with the last tag, in characters. References to entities count with their maximum length. */
  #textLength = 0;

  constructor(
    private readonly options: ReadingOptions,
    private readonly sink: StatementSink,
  ) {
    const parser = this.#parser;
    // The library's table inherits names such as `toString` from all objects.
    parser.ENTITIES = Object.assign(Object.create(null), { amp: "&", gt: ">", lt: "<", quot: '"', apos: "'" });
    parser.on("opentag", (tag) => this.#open(tag));
    parser.on("closetag", (tag) => this.#close(tag));
    parser.on("text", (text) => this.#text(text));
    parser.on("cdata", (text) => this.#text(text));
    parser.on("comment", (comment) => this.#xml?.markup(`<!--${comment}-->`));
    parser.on("processinginstruction", ({ target, body }) => {
      this.#xml?.markup(`<?${target}${body === "" ? "" : ` ${body}`}?>`);
    });
    parser.on("doctype", (doctype) => this.#doctype(doctype));
    // The library would continue after an error.
    parser.on("error", (error) => this.#fail(error.message.replace(/^\d+:\d+: /, "")));
  }

  push(chunk: Uint8Array): void {
    this.#parser.write(this.#decode(() => this.#decoder.decode(chunk, { stream: true })));
    const limit = `${MAX_LINE_BYTES / 1024 / 1024} MiB`;
    if (this.#textLength > MAX_LINE_BYTES) this.#fail(`text of more than ${limit} without a tag`);
    if ((this.#xml?.value.length ?? 0) > MAX_LINE_BYTES) this.#fail(`an XML literal of more than ${limit}`);
  }

  end(): void {
    this.#parser.write(this.#decode(() => this.#decoder.decode())).close();
  }

  #decode(decode: () => string): string {
    try {
      const text = decode();
      // Each reference to an entity of the document may expand to the maximum length of an entity.
      this.#textLength += text.length + (this.#hasEntities ? text.split("&").length * MAX_ENTITY_LENGTH : 0);
      return text;
    } catch {
      return this.#fail("the text after this place is not valid UTF-8");
    }
  }

  #open(tag: SaxesTagNS): void {
    const { baseIri = "", maxIriLength = Number.POSITIVE_INFINITY } = this.options;
    this.#textLength = 0;
    if (++this.#depth > MAX_ELEMENT_DEPTH) this.#fail(`elements are nested deeper than ${MAX_ELEMENT_DEPTH} levels`);
    for (const { name, uri, local, value } of Object.values(tag.attributes)) {
      const isBase = uri === XMLNS || (uri === XML && local === "base");
      if (isBase && value.length > maxIriLength) this.#fail(`the value of ${name} is longer than an IRI may be`);
    }
    if (this.#xml !== undefined) this.#xml.open(tag);
    else {
      const parent = this.#elements.at(-1) ?? { content: "nodes", base: baseIri, language: "" };
      if (tag.uri === "") {
        const kind = this.#depth === 1 ? `: this is XML, but not RDF/XML. ${TO_DOCUMENTS}` : "";
        this.#fail(`the element ${tag.name} has no namespace${kind}`);
      }
      if (this.#depth === 1 && tag.uri + tag.local === `${RDF_NAMESPACE}RDF`) {
        this.#elements.push({ content: "nodes", ...this.#scope(tag, parent) });
      } else if (parent.content === "properties")
        this.#property(tag, parent, this.#attributes(tag, parent, PROPERTY_SYNTAX));
      else this.#node(tag, parent, this.#attributes(tag, parent, NODE_SYNTAX));
    }
  }

  /** A node element (7.2.11). */
  #node({ name, uri, local }: SaxesTagNS, parent: OpenElement, { base, language, syntax, properties }: Attributes) {
    if (uri === RDF_NAMESPACE && NOT_NODE.has(local)) this.#fail(`the element ${name} cannot be a node`);
    if (syntax.size > 1)
      this.#fail(`only one of ${[...syntax.keys()].map((key) => `rdf:${key}`).join(" and ")} may be there`);
    const { text, hasNode, datatype } = parent;
    if (text !== undefined && TEXT.test(text)) this.#fail(`the element ${name} stands in a property with text`);
    if (hasNode || parent.content === "nothing")
      this.#fail(`the element ${name} stands in a property that has a value: an element, rdf:resource or attributes`);
    if (datatype !== undefined) this.#fail(`the element ${name} stands in a property with rdf:datatype, which is text`);
    const about = syntax.get("about");
    const subject =
      about === undefined ? (this.#named(base, syntax) ?? this.#blankNode(syntax)) : this.#iri(resolveIri(base, about));
    if (parent.content === "value") {
      parent.hasNode = true;
      this.#triple(parent.subject!, parent.predicate!, subject, parent.statement);
    } else if (parent.content === "list") {
      const cell = this.#blankNode();
      this.#link(parent, cell);
      this.#triple(cell, iri(RDF.first), subject);
      parent.cell = cell;
    }
    if (uri + local !== `${RDF_NAMESPACE}Description`) this.#triple(subject, iri(RDF.type), this.#iri(uri + local));
    for (const [predicate, object] of properties) this.#triple(subject, predicate, object);
    this.#elements.push({ content: "properties", base, language, subject });
  }

  /** A property element (7.2.14). */
  #property(tag: SaxesTagNS, parent: OpenElement, attributes: Attributes): void {
    const { base, language, syntax, properties } = attributes;
    const isRdf = tag.uri === RDF_NAMESPACE;
    if (isRdf && NOT_PROPERTY.has(tag.local)) this.#fail(`the element ${tag.name} cannot be a property`);
    if (isRdf && tag.local === "li") parent.members = (parent.members ?? 0) + 1;
    const local = isRdf && tag.local === "li" ? `_${parent.members}` : tag.local;
    const values = [...syntax.keys()].filter((key) => key !== "ID").map((key) => `rdf:${key}`);
    if (properties.length > 0 && (syntax.has("parseType") || syntax.has("datatype")))
      values.push("property attributes");
    if (values.length > 1) this.#fail(`a property cannot have ${values.join(" and ")}`);
    const subject = parent.subject!;
    const predicate = this.#iri(tag.uri + local);
    const statement = this.#named(base, syntax);
    const value = { base, language, subject, predicate, statement };
    const parseType = syntax.get("parseType");
    const resource = syntax.get("resource");
    if (parseType !== undefined) this.#parseType(parseType, value);
    else if (resource !== undefined || syntax.has("nodeID") || properties.length > 0) {
      const object = resource === undefined ? this.#blankNode(syntax) : this.#iri(resolveIri(base, resource));
      this.#triple(subject, predicate, object, statement);
      for (const [each, text] of properties) this.#triple(object, each, text);
      this.#elements.push({ content: "nothing", base, language });
    } else {
      const datatype = syntax.get("datatype");
      this.#elements.push({
        content: "value",
        datatype: datatype === undefined ? undefined : this.#iri(resolveIri(base, datatype)).value,
        ...value,
      });
    }
  }

  /** A property element with `rdf:parseType` (7.2.17 to 7.2.20). */
  #parseType(parseType: string, value: Omit<OpenElement, "content">): void {
    if (parseType === "Triple") this.#fail("a triple term is RDF 1.2; the records are RDF 1.1");
    if (parseType === "Resource") {
      const { base, language } = value;
      const subject = this.#blankNode();
      this.#triple(value.subject!, value.predicate!, subject, value.statement);
      this.#elements.push({ content: "properties", base, language, subject });
    } else if (parseType === "Collection") this.#elements.push({ content: "list", ...value });
    else {
      this.#xml = new XmlLiteral();
      this.#elements.push({ content: "xml", datatype: XML_LITERAL, ...value });
    }
  }

  /** Link a list to its next cell, or to its end. */
  #link({ subject, predicate, statement, cell }: OpenElement, next: Term): void {
    if (cell === undefined) this.#triple(subject!, predicate!, next, statement);
    else this.#triple(cell, iri(RDF.rest), next);
  }

  #close(tag: SaxesTagNS): void {
    this.#textLength = 0;
    this.#depth--;
    if (this.#xml?.isComplete === false) {
      this.#xml.close(tag);
      return;
    }
    const element = this.#elements.pop()!;
    const { content, subject, predicate, statement, language, datatype } = element;
    if (content === "list") this.#link(element, iri(RDF.nil));
    if (content !== "xml" && (content !== "value" || element.hasNode)) return;
    const text = this.#xml?.value ?? element.text ?? "";
    this.#xml = undefined;
    const object = datatype === undefined ? this.#string(text, language) : literal(text, datatype);
    this.#triple(subject!, predicate!, object, statement);
  }

  /** Collect text, which comes in pieces when it contains comments or CDATA sections. */
  #text(text: string): void {
    const element = this.#elements.at(-1);
    if (this.#xml !== undefined) this.#xml.text(text);
    else if (element?.content === "value" && !element.hasNode) element.text = (element.text ?? "") + text;
    else if (element !== undefined && TEXT.test(text)) {
      this.#fail("text where only elements may be: between properties, or in a property that has another value");
    }
  }

  /** The base and the language within an element. */
  #scope({ attributes }: SaxesTagNS, { base, language }: OpenElement): { base: string; language: string } {
    const given = attributes["xml:base"]?.value;
    for (const { uri, local } of Object.values(attributes))
      if (uri === ITS && local === "dir") this.#fail("a base direction is RDF 1.2; the records are RDF 1.1");
    return {
      base: given === undefined ? base : resolveIri(base, given),
      language: attributes["xml:lang"]?.value ?? language,
    };
  }

  #attributes(tag: SaxesTagNS, parent: OpenElement, allowed: ReadonlySet<string>): Attributes {
    const { base, language } = this.#scope(tag, parent);
    const syntax = new Map<string, string>();
    const properties: [Term, Term][] = [];
    for (const attribute of Object.values(tag.attributes)) {
      const name = this.#attributeName(attribute);
      if (name === undefined) continue;
      const { value, local } = attribute;
      const isRdf = name === RDF_NAMESPACE + local;
      if (isRdf && allowed.has(local)) syntax.set(local, value);
      else if (isRdf && NOT_ATTRIBUTE.has(local))
        this.#fail(`the element ${tag.name} cannot have the attribute rdf:${local}`);
      else {
        const object = name === RDF.type ? this.#iri(resolveIri(base, value)) : this.#string(value, language);
        properties.push([this.#iri(name), object]);
      }
    }
    return { base, language, syntax, properties };
  }

  /** The IRI of an attribute (6.1.4), or `undefined` if it says nothing. */
  #attributeName({ name, uri, local }: SaxesAttributeNS): string | undefined {
    if (uri === XML || uri === XMLNS || uri === ITS) return undefined;
    if (uri === RDF_NAMESPACE && RDF_12.has(local)) this.#fail(`${name} is RDF 1.2; the records are RDF 1.1`);
    if (uri === RDF_NAMESPACE && local === "version") return undefined;
    if (uri !== "") return uri + local;
    if (!UNQUALIFIED.has(local)) this.#fail(`the attribute ${name} has no namespace. ${TO_DOCUMENTS}`);
    return RDF_NAMESPACE + local;
  }

  /** The IRI that `rdf:ID` gives. */
  #named(base: string, syntax: ReadonlyMap<string, string>): Term | undefined {
    const id = syntax.get("ID");
    if (id === undefined) return undefined;
    const named = this.#iri(resolveIri(base, `#${this.#ncName("rdf:ID", id)}`));
    if (this.#ids.has(named.value)) this.#fail(`two elements have the rdf:ID <${named.value}>`);
    this.#ids.add(named.value);
    return named;
  }

  /** The blank node of `rdf:nodeID`, or a new one. Labels of the text get an `l` in front, new ones a `b`, so they never clash. No label may end in a dot: `x.` becomes `dx._`. */
  #blankNode(syntax?: ReadonlyMap<string, string>): Term {
    const id = syntax?.get("nodeID");
    if (id === undefined) return blank(`b${this.#blanks++}`);
    return blank(this.#ncName("rdf:nodeID", id).endsWith(".") ? `d${id}_` : `l${id}`);
  }

  #ncName(attribute: string, value: string): string {
    return NCNAME.test(value) ? value : this.#fail(`${attribute}="${value.slice(0, 200)}" is not a name of XML`);
  }

  #string(value: string, language: string): Term {
    if (language !== "" && !isLanguageTag(language)) this.#fail(`xml:lang="${language}" is not a language tag`);
    return literal(value, undefined, language);
  }

  #iri(value: string): Term {
    const problem = iriProblem(value);
    return problem === undefined ? iri(value) : this.#fail(`the IRI <${value.slice(0, 200)}> ${problem}`);
  }

  /** A triple, and the four about it if its statement has a name (7.3). */
  #triple(subject: Term, predicate: Term, object: Term, statement?: Term): void {
    const { line } = this.#parser;
    this.sink(this.#statement.set(line, subject, predicate, object, undefined));
    if (statement === undefined) return;
    const about = { type: iri(`${RDF_NAMESPACE}Statement`), subject, predicate, object };
    for (const [name, value] of Object.entries(about)) this.#triple(statement, iri(RDF_NAMESPACE + name), value);
  }

  #doctype(doctype: string): void {
    // What looks like a comment that does not end takes all the rest, or each such place would be searched to the end.
    for (const [declaration] of doctype.replace(/<!--(?:.*?-->|.*)/gs, "").matchAll(/<!ENTITY[^>]*>?/g)) {
      const [, name, value = "", other = ""] = NAMESPACE_ENTITY.exec(declaration) ?? [];
      if (name === undefined)
        this.#fail("an entity that is external, a parameter entity or made of other entities, which is not supported");
      if (declaration.length > MAX_ENTITY_LENGTH) this.#fail(`an entity of more than ${MAX_ENTITY_LENGTH} characters`);
      // The first declaration counts (XML 1.0, 4.2).
      this.#parser.ENTITIES[name] ??= value || other;
      this.#hasEntities = true;
    }
  }

  #fail(problem: string): never {
    const { line, columnIndex } = this.#parser;
    throw new SyntaxProblem(this.options.source, { line, column: columnIndex + 1 }, problem);
  }
}
