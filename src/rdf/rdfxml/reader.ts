/** The streaming reader of RDF/XML (RDF 1.1 XML Syntax): the rdfxml-streaming-parser library, with the place of every error. */
import { RdfXmlParser } from "rdfxml-streaming-parser";
import { MAX_LINE_BYTES } from "../ntriples/line-blocks.js";
import { resolveIri } from "../resolve.js";
import { type ReadingOptions, type StatementReader, type StatementSink, TermStatement } from "../statement.js";
import { SyntaxProblem } from "../syntax-problem.js";
import { blank, iri, iriProblem, literal, RDF, type Term } from "../terms.js";

/** The longest entity. Entities abbreviate namespaces; a longer one, or one made of others, may be an attack by endless expansion. */
const MAX_ENTITY_LENGTH = 500;
const NAMESPACE_ENTITY = /^<!ENTITY\s+[^\s%&"']+\s+(?:"[^"&%<>]*"|'[^'&%<>]*')\s*>$/;
/** The deepest nesting of elements. */
const MAX_ELEMENT_DEPTH = 1000;

interface Attribute {
  readonly prefix: string;
  readonly local: string;
  readonly uri: string;
  value: string;
}

interface Tag {
  readonly name: string;
  readonly local: string;
  /** The IRI of its namespace. */
  readonly uri: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
}

interface OpenElement {
  baseIRI?: string;
  readonly childrenParseType?: number;
  readonly predicate?: unknown;
  /** The pieces of an XML literal. */
  readonly childrenStringTags?: string[];
  /** The list of a property element with parseType Collection. */
  readonly childrenCollectionSubject?: unknown;
  /** Whether a property element has a value that is no text: a child, rdf:resource, rdf:nodeID or property attributes. */
  readonly hadChildren?: boolean;
  text?: string;
}

/** The parts of the library's parser that are used. It is fed with text and calls its listeners synchronously. Its type declarations hide these members. */
interface TagParser {
  readonly saxParser: {
    readonly line: number;
    readonly columnIndex: number;
    readonly ENTITIES: Record<string, string>;
    write(text: string | null): void;
    on(event: "opentag", listener: (tag: Tag) => void): void;
    on(event: "text" | "cdata" | "doctype", listener: (text: string) => void): void;
    on(event: "closetag", listener: () => void): void;
    on(event: "error", listener: (error: Error) => void): void;
  };
  readonly activeTagStack: OpenElement[];
  push(quad: TermStatement): boolean;
  onTag(tag: Tag): void;
  onCloseTag(): void;
  onDoctype(doctype: string): void;
}

const RDF_ROOT = "http://www.w3.org/1999/02/22-rdf-syntax-ns#RDF";
/** The library's names for what the children of an element are. */
const [NODE, PROPERTY] = [0, 1];
/** What is not XML's white space; `\S` leaves out spaces that are text in XML. */
const TEXT = /[^ \t\r\n]/;
const XML = "http://www.w3.org/XML/1998/namespace";

/** A push reader of RDF/XML. The line of a statement is the line on which its tag ends. */
export class RdfXmlReader implements StatementReader {
  readonly #source: string;
  readonly #statement = new TermStatement();
  readonly #parser: TagParser;
  readonly #baseIri: string;
  readonly #maxIriLength: number;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #blanks = 0;
  #depth = 0;
  /** The number of characters read since the last tag. */
  #textLength = 0;

  constructor(
    { source, baseIri, maxIriLength = Number.POSITIVE_INFINITY }: ReadingOptions,
    private readonly sink: StatementSink,
  ) {
    this.#source = source;
    this.#baseIri = baseIri ?? "";
    this.#maxIriLength = maxIriLength;
    const parser = new RdfXmlParser({
      dataFactory: this.#factory(),
      trackPosition: true,
      baseIRI: this.#baseIri,
    } as unknown as ConstructorParameters<typeof RdfXmlParser>[0]) as unknown as TagParser;
    parser.push = (statement) => {
      this.sink(statement);
      return true;
    };
    this.#parser = parser;
    const { saxParser } = parser;
    saxParser.on("opentag", (tag) => this.#open(tag));
    saxParser.on("closetag", () => this.#close());
    saxParser.on("text", (text) => this.#text(text));
    saxParser.on("cdata", (text) => this.#text(text));
    saxParser.on("doctype", (doctype) => this.#doctype(doctype));
    // The library would continue after an error.
    saxParser.on("error", (error) => this.#fail(error.message.replace(/^\d+:\d+: /, "")));
  }

  push(chunk: Uint8Array): void {
    this.#write(() => this.#decoder.decode(chunk, { stream: true }));
  }

  end(): void {
    this.#write(() => this.#decoder.decode());
    this.#write(() => null);
  }

  #write(decode: () => string | null): void {
    let text: string | null;
    try {
      text = decode();
    } catch {
      this.#fail("the text after this place is not valid UTF-8");
    }
    this.#textLength += text?.length ?? 0;
    try {
      this.#parser.saxParser.write(text);
    } catch (error) {
      // The library's own errors are plain `Error`s with these messages; all others are the sink's.
      if (!(error instanceof Error) || !/^Line \d+ column \d+: |^Found invalid /.test(error.message)) throw error;
      this.#fail(error.message.replace(/^Line \d+ column \d+: /, ""));
    }
    if (this.#textLength > MAX_LINE_BYTES)
      this.#fail(`text of more than ${MAX_LINE_BYTES / 1024 / 1024} MiB without a tag`);
  }

  #open(tag: Tag): void {
    this.#textLength = 0;
    if (++this.#depth > MAX_ELEMENT_DEPTH) this.#fail(`elements are nested deeper than ${MAX_ELEMENT_DEPTH} levels`);
    if (this.#depth === 1 && tag.uri === "")
      this.#fail(`the element ${tag.name} has no namespace: this is XML, but not RDF/XML`);
    // Of a document that is one node element the library would ignore the attributes, its IRI too.
    if (this.#depth === 1 && tag.uri + tag.local !== RDF_ROOT) {
      this.#parser.activeTagStack.push({ baseIRI: this.#baseIri, childrenParseType: NODE });
    }
    const parent = this.#parser.activeTagStack.at(-1);
    const isWithinLiteral = parent?.childrenStringTags !== undefined;
    if (parent?.predicate && !isWithinLiteral) this.#checkChild(tag, parent);
    for (const attribute of Object.values(tag.attributes)) {
      const { prefix, local, uri, value } = attribute;
      const isBase = prefix === "xmlns" || local === "xmlns" || (uri === XML && local === "base");
      if (isBase && value.length > this.#maxIriLength) {
        this.#fail(`the value of ${prefix === "" ? local : `${prefix}:${local}`} is longer than an IRI may be`);
      }
      if (isWithinLiteral) attribute.value = escaped(value).replaceAll('"', "&quot;");
      // The library lowercases language tags, so a record would not be published as it was loaded.
      if (uri === XML && local === "lang" && value !== "") attribute.value = caseKept(value);
    }
    if (parent === undefined || isWithinLiteral) this.#parser.onTag(tag);
    else this.#openWithBase(tag, parent);
  }

  /** Open an element with its own base and its rdf:type, as the library reads both only on node elements, and leaves the type relative. */
  #openWithBase(tag: Tag, parent: OpenElement): void {
    const outer = parent.baseIRI ?? "";
    const given = tag.attributes["xml:base"]?.value;
    const base = given === undefined ? outer : resolveIri(outer, given);
    const isProperty = parent.childrenParseType === PROPERTY;
    for (const attribute of Object.values(tag.attributes)) {
      if (attribute.uri + attribute.local !== RDF.type) continue;
      const type = resolveIri(base, attribute.value);
      attribute.value = isProperty ? notLiteral(type) : type;
    }
    // A property element takes the base of its parent; a node element resolves its own.
    if (isProperty) parent.baseIRI = base;
    this.#parser.onTag(tag);
    parent.baseIRI = outer;
  }

  /** Refuse an element in a property element that has another value, of which the library would lose one or make two triples. */
  #checkChild({ name }: Tag, { childrenCollectionSubject, hadChildren, text }: OpenElement): void {
    if (text !== undefined && TEXT.test(text)) this.#fail(`the element ${name} stands in a property with text`);
    if (hadChildren && childrenCollectionSubject === undefined) {
      this.#fail(`the element ${name} stands in a property that has a value: an element, rdf:resource or attributes`);
    }
  }

  #close(): void {
    this.#textLength = 0;
    this.#depth--;
    this.#parser.onCloseTag();
  }

  /** Collect text, which comes in pieces when it contains comments or CDATA sections. */
  #text(text: string): void {
    const element = this.#parser.activeTagStack.at(-1);
    if (element?.childrenStringTags !== undefined) element.childrenStringTags.push(escaped(text));
    else if (element?.predicate && !element.hadChildren) element.text = (element.text ?? "") + text;
    else if (element !== undefined && TEXT.test(text)) {
      this.#fail("text where only elements may be: between properties, or in a property that has another value");
    }
  }

  #doctype(doctype: string): void {
    for (const [declaration] of doctype.matchAll(/<!ENTITY[^>]*>?/g)) {
      if (!NAMESPACE_ENTITY.test(declaration)) {
        this.#fail("an entity that is external, a parameter entity or made of other entities, which is not supported");
      }
      if (declaration.length > MAX_ENTITY_LENGTH) this.#fail(`an entity of more than ${MAX_ENTITY_LENGTH} characters`);
    }
    this.#parser.onDoctype(doctype);
  }

  /** The data factory through which the library creates Vitrine's terms. */
  #factory(): object {
    const named = (value: string): Term => {
      const problem = iriProblem(value);
      return problem === undefined ? iri(value) : this.#fail(`the IRI <${value.slice(0, 200)}> ${problem}`);
    };
    return {
      namedNode: (value: string) => ({ ...named(value), equals: (other: Term) => other.value === value }),
      // Generated labels begin with `b` and labels of the text with `l`, so that they never clash.
      blankNode: (label?: string) => blank(label === undefined ? `b${this.#blanks++}` : `l${label}`),
      literal: (value: string | object, detail?: Term | { language: string; direction?: string }) => {
        if (typeof value !== "string") return named(String(value));
        if (detail === undefined) return literal(value);
        if ("termType" in detail) return literal(value, detail.value);
        if (detail.direction !== undefined) this.#fail("a base direction is RDF 1.2; the records are RDF 1.1");
        return literal(value, RDF.langString, detail.language);
      },
      defaultGraph: () => undefined,
      quad: (subject: Term, predicate: Term, object: Term) => {
        if (object instanceof TermStatement) this.#fail("a triple term is RDF 1.2; the records are RDF 1.1");
        const { line } = this.#parser.saxParser;
        return this.#statement.set(line, plain(subject), plain(predicate), plain(object), undefined);
      },
    };
  }

  #fail(problem: string): never {
    const { line, columnIndex } = this.#parser.saxParser;
    throw new SyntaxProblem(this.#source, { line, column: columnIndex + 1 }, problem);
  }
}

/** A term without the `equals` method that the library needs on IRIs. */
function plain({ termType, value, datatype, language }: Term): Term {
  return { termType, value, datatype, language };
}

/** A string whose `toLowerCase` returns it unchanged. */
function caseKept(text: string): string {
  return Object.assign(new String(text), { toLowerCase: () => text }) as unknown as string;
}

/** An IRI that the library takes for the text of a literal, and the data factory knows by its type. */
function notLiteral(value: string): string {
  return new String(value) as unknown as string;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
