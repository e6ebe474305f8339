/** XML as text: forbidden characters, escaping, and elements. */

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Characters that an XML 1.0 document cannot have, not even as references (XML 1.0, 2.2). */
const NOT_XML =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are most of what XML excludes
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/u;
const ALL_NOT_XML = new RegExp(NOT_XML, "gu");

/** Carriage returns are escaped, because XML readers turn them into line feeds (XML 1.0, 2.11); in attributes, tabs and line feeds too, which they turn into spaces (3.3.3). */
const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#xD;",
  "\t": "&#x9;",
  "\n": "&#xA;",
};

/**
 * Why an XML document cannot contain a text, or `undefined` if it can.
 * @example
 * xmlProblem("Delft"); // => undefined
 */
export function xmlProblem(text: string): string | undefined {
  const found = NOT_XML.exec(text);
  if (found === null) return undefined;
  const code = found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
  const around = text.slice(Math.max(0, found.index - 30), found.index + 30);
  return `XML has no character U+${code}, found in ${JSON.stringify(around)}`;
}

/** Escape text for the content of an element, so that readers get it back unchanged. A text without tabs and line feeds may also stand in an attribute in double quotation marks. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"\r]/g, (character) => ESCAPES[character]!);
}

/** Escape any text; characters that XML forbids become U+FFFD. */
export function xmlText(text: string): string {
  return escapeXml(text.replace(ALL_NOT_XML, "\uFFFD"));
}

/** Attributes of an element. Those that are `undefined` are omitted. */
type XmlAttributes = Readonly<Record<string, string | undefined>>;

/**
 * An element.
 * @param content its content, as XML; without it, the element is empty
 * @example
 * xmlElement("dc:title", { "xml:lang": "nl" }, xmlText("Zicht op Delft")); // => '<dc:title xml:lang="nl">Zicht op Delft</dc:title>'
 */
export function xmlElement(name: string, attributes: XmlAttributes, content = ""): string {
  const start = xmlStart(name, attributes);
  return content === "" ? `${start.slice(0, -1)}/>` : `${start}${content}</${name}>`;
}

/** The start tag of an element. */
export function xmlStart(name: string, attributes: XmlAttributes): string {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? "" : ` ${key}="${xmlText(value).replace(/[\t\n]/g, (space) => ESCAPES[space]!)}"`,
  );
  return `<${name}${written.join("")}>`;
}
