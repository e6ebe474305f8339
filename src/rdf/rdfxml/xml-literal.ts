/** The text of an XML literal: exclusive canonical XML with comments (Exclusive XML Canonicalization 1.0), as RDF 1.1 XML Syntax, 7.2.17, asks. */
import type { SaxesTagNS } from "@rubensworks/saxes";
import { byCodeUnits } from "../../base/entries.js";
import { escapeXml } from "../../base/xml.js";

/** The namespaces of `xmlns` and of `xml`, which no literal declares. The first never has a prefix (Namespaces in XML 1.0, section 3). */
export const XMLNS = "http://www.w3.org/2000/xmlns/";
export const XML = "http://www.w3.org/XML/1998/namespace";

/** The names in RDF's namespace that are syntax, and not those of properties (RDF 1.1 XML Syntax, 6.2.2 to 6.2.6, and `rdf:li`, 7.4). */
export const SYNTAX =
  "RDF ID about parseType resource nodeID datatype Description aboutEach aboutEachPrefix bagID li".split(" ");

/** Collects the content of one property element. Each element declares the namespaces that it uses, unless one around it does. */
export class XmlLiteral {
  value = "";
  /** The declared namespaces by prefix, within each open element. */
  readonly #declared: ReadonlyMap<string, string>[] = [new Map()];

  /** Whether all elements inside are closed. */
  get isComplete(): boolean {
    return this.#declared.length === 1;
  }

  open({ name, prefix, uri, attributes }: SaxesTagNS): void {
    const around = this.#declared.at(-1)!;
    const used = new Map([[prefix, uri]]);
    const own = Object.values(attributes).filter((attribute) => attribute.uri !== XMLNS);
    for (const attribute of own) if (attribute.prefix !== "") used.set(attribute.prefix, attribute.uri);
    const added = [...used].filter(([each, namespace]) => namespace !== XML && (around.get(each) ?? "") !== namespace);
    this.#declared.push(added.length === 0 ? around : new Map([...around, ...added]));
    const declarations = added
      .sort(([one], [other]) => byCodeUnits(one, other))
      .map(([each, namespace]) => attributeText(each === "" ? "xmlns" : `xmlns:${each}`, namespace));
    const rest = own
      .sort((one, other) => byCodeUnits(one.uri, other.uri) || byCodeUnits(one.local, other.local))
      .map((attribute) => attributeText(attribute.name, attribute.value));
    this.value += `<${name}${declarations.join("")}${rest.join("")}>`;
  }

  close({ name }: SaxesTagNS): void {
    this.#declared.pop();
    this.value += `</${name}>`;
  }

  text(text: string): void {
    this.value += escapeXml(text).replaceAll("&quot;", '"');
  }

  /** Add a comment or a processing instruction. */
  markup(markup: string): void {
    this.value += markup;
  }
}

function attributeText(name: string, value: string): string {
  const text = escapeXml(value).replaceAll("&gt;", ">").replaceAll("\t", "&#x9;").replaceAll("\n", "&#xA;");
  return ` ${name}="${text}"`;
}
