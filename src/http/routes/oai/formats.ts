/** The metadata formats of OAI-PMH: simple Dublin Core for every record, EDM for objects, and the record itself as RDF/XML. */
import { XML_DECLARATION, xmlElement, xmlText } from "../../../base/xml.js";
import type { EndpointKey, StoredRecord } from "../../../store/record.js";
import { describedAs, type EdmStatement } from "../../representations/edm/described.js";
import { DUMBED_DOWN, EDM_PREFIXES } from "../../representations/edm/mapping.js";
import { type RenderContext, writtenText } from "../../representations/representation.js";
import type { RouteContext } from "../route.js";

export interface MetadataFormat {
  readonly prefix: string;
  readonly schema: string;
  readonly namespace: string;
  /** The only kind of record that has the format. Default: every kind. */
  readonly only?: EndpointKey;
  /** Whether the format can express a record. Default: it can express all. */
  readonly expresses?: (record: StoredRecord) => boolean;
  /** Writes a record as XML without a declaration. */
  readonly write: (record: StoredRecord, context: RenderContext) => Promise<string>;
}

const OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/";

/** The offered formats: Dublin Core, and those of the representations. */
export function metadataFormats({ representations, model }: RouteContext): readonly MetadataFormat[] {
  const represented = (prefix: string, about: Pick<MetadataFormat, "schema" | "namespace" | "only">) =>
    representations
      .filter(({ format }) => format === prefix)
      .map(({ expresses, write }) => ({
        prefix,
        ...about,
        ...(expresses && { expresses }),
        write: async (record: StoredRecord, context: RenderContext) =>
          writtenText(await write(record, context))
            .replace(XML_DECLARATION, "")
            .trimEnd(),
      }));
  return [
    {
      prefix: "oai_dc",
      schema: "http://www.openarchives.org/OAI/2.0/oai_dc.xsd",
      namespace: OAI_DC,
      write: (record, context) => dublinCore(record, context, model.vocabBase),
    },
    ...represented("edm", {
      schema: "http://www.europeana.eu/schemas/edm/EDM.xsd",
      namespace: EDM_PREFIXES.edm,
      only: "object",
    }),
    ...represented("rdf", { schema: "http://www.openarchives.org/OAI/2.0/rdf.xsd", namespace: EDM_PREFIXES.rdf }),
  ];
}

/** Writes simple Dublin Core: the mapping to EDM, reduced to the fifteen elements. Where a statement has a text, it stands in place of the IRI. */
async function dublinCore(record: StoredRecord, context: RenderContext, vocabBase: string): Promise<string> {
  const { iri } = record.graph;
  const { entity } = await describedAs(record, context, vocabBase, context.addresses.url(iri));
  const elements = [...entity, { element: "dc:identifier", text: iri }].flatMap(simple);
  const attributes = {
    "xmlns:oai_dc": OAI_DC,
    "xmlns:dc": EDM_PREFIXES.dc,
    "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
    "xsi:schemaLocation": `${OAI_DC} http://www.openarchives.org/OAI/2.0/oai_dc.xsd`,
  };
  return xmlElement("oai_dc:dc", attributes, `\n${[...new Set(elements)].join("\n")}\n`);
}

/** A statement as an element of simple Dublin Core, if there is an element for it. */
function simple({ element, text, language, iri }: EdmStatement): readonly string[] {
  const name = DUMBED_DOWN[element] ?? element;
  const value = text ?? iri;
  if (!name.startsWith("dc:") || value === undefined) return [];
  return [xmlElement(name, { "xml:lang": language }, xmlText(value))];
}
