/** The description of a record for EDM and Dublin Core: its statements, and those of the resources that they name. */
import { entryOf } from "../../../base/entries.js";
import { plainText, withoutMarkup } from "../../../base/plain-text.js";
import type { StoredRecord } from "../../../store/record.js";
import { isLarge } from "../../entity/large-records.js";
import { nodeLabel, timeSpanInWords } from "../../pages/caption.js";
import { descriptionOf, type ResourceDescription } from "../../pages/description.js";
import { gatherShown } from "../../pages/gather.js";
import { languageCode, languageOf, namesByLanguage } from "../../pages/languages.js";
import { geometryOf, pointOf } from "../../pages/maps.js";
import { boundsOf, dateOfSpan, endsOfSpan } from "../../pages/time-spans.js";
import { sizeInWords, valuesOfRow } from "../mapped-values.js";
import type { RenderContext } from "../representation.js";
import { type ContextClass, EDM_MAPPING, type EdmRow, type MadeRow, type PathRow, RESOURCE_TYPES } from "./mapping.js";

/** A value of an element: text, or the IRI of a resource, with its name as text if known. */
export interface EdmStatement {
  readonly element: string;
  readonly text?: string | undefined;
  readonly language?: string | undefined;
  readonly iri?: string | undefined;
  /** The IRI of an entity whose label the text is: its own record may have it if this one does not. */
  readonly labelOf?: string | undefined;
}

export interface Resource {
  readonly element: string;
  readonly iri: string;
  readonly statements: readonly EdmStatement[];
}

interface NodeOf {
  readonly description: ResourceDescription;
  readonly node: number;
}

type Value = Omit<EdmStatement, "element">;

const MAX_READ = 50;

/**
 * Describes a record by the mapping, together with the records of its files and pictures. A resource that it names is described by
 * the resource's own record if that is here, else by this record. Resources without any name are left out, and so are the elements
 * of the entity that are made from files and settings. Rejects with `StoreUnavailableError`, and with the store's errors.
 * @param place the URL to which resources without an IRI add a fragment, such as `#time-1`
 */
export async function describedAs(record: StoredRecord, context: RenderContext, vocabBase: string, place: string) {
  const description = descriptionOf(record.graph);
  const { digital, visuals } = await gatherShown(record, context);
  const type = record.meta.endpoint === null ? undefined : RESOURCE_TYPES[record.meta.endpoint];
  const own = ["shows", "carries"].flatMap((term) => description.values(description.root, term));
  const works = [
    ...own.map((node) => ({ description, node })),
    ...visuals.map((each) => ({ description: each, node: each.root })),
  ];
  const mapped = new MappedRecord(`${vocabBase}/`, place, works, type && `http://purl.org/dc/dcmitype/${type}`);
  // The entity itself always has a title, even if it is only its IRI.
  const entity = mapped.statements(description, description.root, EDM_MAPPING["edm:ProvidedCHO"], record.graph.iri);
  const around: Resource[] = [];
  const words = new Map<string, EdmStatement | undefined>();
  for (const [iri, named] of [...mapped.named]) {
    const { element, description, node } = named;
    const found = around.length < MAX_READ && node !== description.root ? await context.store.find(iri) : undefined;
    const own = found === undefined || isLarge(found) ? undefined : descriptionOf((await found.record()).graph);
    const name = nodeLabel(description, node) ?? found?.meta.label;
    const statements: EdmStatement[] = [];
    for (const each of mapped.statements(own ?? description, own?.root ?? node, EDM_MAPPING[element], name)) {
      const text = each.text ?? (each.labelOf && (await context.store.find(each.labelOf))?.meta.label);
      statements.push({ ...each, text: text || undefined });
    }
    around.push({ element, iri, statements });
    const label = statements.find((each) => each.element === "skos:prefLabel");
    words.set(iri, label);
  }
  const spoken = entity.flatMap((each) => {
    if (each.iri === undefined || !mapped.named.has(each.iri)) return [each];
    const { text, language } = words.get(each.iri) ?? {};
    return text === undefined ? [] : [{ ...each, text, language }];
  });
  return { digital, visuals, entity: spoken, around: around.filter(({ iri }) => words.get(iri) !== undefined) };
}

class MappedRecord {
  /** The named resources by IRI, in the order in which they were named. */
  readonly named = new Map<string, NodeOf & { readonly element: ContextClass }>();
  /** The IRIs of time-spans, by description and node. */
  readonly #times = new Map<ResourceDescription, Map<number, string>>();
  #timesNamed = 0;

  constructor(
    readonly vocabulary: string,
    readonly place: string,
    /** The nodes of the rows `ofWork`. */
    readonly works: readonly NodeOf[],
    readonly resourceType: string | undefined,
  ) {}

  /** The statements of the rows about a node, in order and without duplicates. @param name its name if it has none */
  statements(description: ResourceDescription, node: number, rows: readonly EdmRow[], name: string | undefined) {
    const all = new Map<string, EdmStatement>();
    const given = new Set<string>();
    const add = (element: string, value: Value): void => {
      given.add(element);
      const { text, language, iri = value.labelOf } = value;
      entryOf(all, JSON.stringify([element, text, language, text === undefined && iri]), () => ({ element, ...value }));
    };
    for (const row of rows) {
      if ("says" in row) {
        if (row.made === "kind of resource" && given.has(row.to)) continue;
        for (const value of this.#made(row.made, description, node, name)) add(row.to, value);
      } else if (row.otherwise !== true || !given.has(row.to)) {
        const from = row.ofWork === true ? this.works : [{ description, node }];
        for (const each of from) for (const value of this.#values(each, row)) add(row.to, value);
      }
    }
    return [...all.values()];
  }

  #made(made: MadeRow["made"], description: ResourceDescription, node: number, name: string | undefined) {
    if (made === "kind of resource") return this.resourceType === undefined ? [] : [{ iri: this.resourceType }];
    if (made !== "names" && made !== "other names") return [];
    const { first, others } = namesByLanguage(description, node);
    if (made === "other names") return others;
    if (first.length > 0) return first;
    const label = description.isOf(node, "TimeSpan")
      ? timeSpanInWords(description, node)?.text
      : nodeLabel(description, node);
    return label || name ? [{ text: label || name }] : [];
  }

  #values({ description, node }: NodeOf, row: PathRow): Value[] {
    const nodes = valuesOfRow(description, node, row, this.vocabulary);
    const values = nodes.map((value) => this.#value(description, value, row.as));
    return values.filter(({ iri, labelOf, text }) => (iri ?? labelOf) !== undefined || text?.trim()).slice(0, row.most);
  }

  #value(description: ResourceDescription, node: number, form: PathRow["as"]): Value {
    if (form === "reference") return { iri: description.iri(node) };
    if (form === "text") return textOf(description, node, form);
    if (form === "plain") return { ...textOf(description, node, form), labelOf: description.iri(node) };
    if (form === "language") return { text: languageCode(description, node) };
    if (form === "date") return { text: dateOfSpan(boundsOf(description, node)) };
    if (form === "begin" || form === "end") return { text: endsOfSpan(boundsOf(description, node))[form] };
    if (form === "size") return { text: sizeInWords(description, node) };
    if (form !== "latitude" && form !== "longitude") return this.#namedAs(description, node, form);
    const point = pointOf(geometryOf(description.terms[node]!.value) ?? { type: "" });
    return { text: point?.[form === "latitude" ? 1 : 0].toString() };
  }

  /** A named resource if the node has an IRI, or is a time-span with bounds; else its text. */
  #namedAs(description: ResourceDescription, node: number, element: ContextClass): Value {
    if (description.isOf(node, "TimeSpan")) {
      const text = timeSpanInWords(description, node)?.text;
      const { begin, end } = endsOfSpan(boundsOf(description, node));
      if (text === undefined || (begin ?? end) === undefined) return { text };
      const times = entryOf(this.#times, description, () => new Map<number, string>());
      const iri = entryOf(times, node, () => `${this.place}#time-${++this.#timesNamed}`);
      this.named.set(iri, { element, description, node });
      return { iri };
    }
    const iri = description.iri(node);
    if (iri === undefined) return textOf(description, node, "plain");
    entryOf(this.named, iri, () => ({ element, description, node }));
    return { iri };
  }
}

/** The text of a literal, the content of a statement or an identifier, or the label of another node. */
function textOf(description: ResourceDescription, node: number, form: "text" | "plain"): Value {
  const { termType, value, language } = description.terms[node]!;
  if (termType === "Literal")
    return form === "plain" ? { text: value } : { text: value, language: language || undefined };
  const [content] = description.values(node, "content");
  if (content === undefined) return { text: nodeLabel(description, node) };
  const [written, format] = [description.terms[content]!.value, description.text(node, "format")];
  // A statement without a format may have tags; an identifier such as `<12>` has none.
  const mayHaveTags = format === undefined && !description.isOf(node, "Identifier");
  const text = mayHaveTags ? withoutMarkup(written) : plainText(written, format);
  return form === "plain" ? { text } : { text, language: languageOf(description, node, content) };
}
