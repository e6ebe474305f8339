/** XML as text: what it cannot have, escaping, and elements. */

/** The beginning of every document. */
export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Characters that an XML 1.0 document cannot have, not even as references (XML 1.0, 2.2). */
const NOT_XML =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are most of what XML excludes
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/u;
const ALL_NOT_XML = new RegExp(NOT_XML, "gu");

/** A line feed in an attribute and a carriage return anywhere would be read as something else (XML 1.0, 2.11 and 3.3.3). */
const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#xD;",
};

/**
 * Why a text cannot stand in an XML document, or `undefined` where it can.
 * @example
 * xmlProblem("Delft"); // => undefined
 */
export function xmlProblem(text: string): string | undefined {
  const missing = NOT_XML.exec(text);
  if (missing === null) return undefined;
  const code = missing[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
  const around = text.slice(Math.max(0, missing.index - 30), missing.index + 30);
  return `XML has no character U+${code}, which stands in ${JSON.stringify(around)}`;
}

/** Text for the content of an element, or for an attribute in double quotation marks. It is as it was written once it is read. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"\r]/g, (character) => ESCAPES[character]!);
}

/** The same of any text: what XML lacks becomes U+FFFD. */
export function xmlText(text: string): string {
  return escapeXml(text.replace(ALL_NOT_XML, "\uFFFD"));
}

/** Attributes of an element; those that are `undefined` are left out. */
type XmlAttributes = Readonly<Record<string, string | undefined>>;

/**
 * An element.
 * @param content what stands in it, as XML; without any, the element is empty
 * @example
 * xmlElement("dc:title", { "xml:lang": "nl" }, xmlText("Zicht op Delft")); // => '<dc:title xml:lang="nl">Zicht op Delft</dc:title>'
 */
export function xmlElement(name: string, attributes: XmlAttributes, content = ""): string {
  const start = xmlStart(name, attributes);
  return content === "" ? `${start.slice(0, -1)}/>` : `${start}${content}</${name}>`;
}

/** The tag that an element begins with. */
export function xmlStart(name: string, attributes: XmlAttributes): string {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? "" : ` ${key}="${xmlText(value)}"`,
  );
  return `<${name}${written.join("")}>`;
}
