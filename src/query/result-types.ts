/** The media types of answers to queries. */
import { FORMATS, RESULT_FORMATS } from "../rdf/formats.js";

/** The media types of the results of SELECT and ASK, by the names of their formats. */
export const RESULT_TYPES = typesOf(RESULT_FORMATS);

/** The media types of the graphs of CONSTRUCT and DESCRIBE, by the names of their formats. */
export const GRAPH_TYPES = typesOf(FORMATS.filter(({ write }) => write !== undefined));

function typesOf<Name extends string>(
  formats: readonly { readonly name: Name; readonly mediaType: string }[],
): Readonly<Record<Name, string>> {
  return Object.fromEntries(formats.map(({ name, mediaType }) => [name, mediaType])) as Record<Name, string>;
}
