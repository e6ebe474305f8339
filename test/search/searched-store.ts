/** Small records for tests of searches, and a store of them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { CONTENT } from "../../src/model/search-paths.js";
import type { EndpointName } from "../../src/model/tables/names.js";
import { classIri, propertyIri } from "../../src/model/vocabulary/vocabulary.js";
import { type RecordGraph, RecordGraphBuilder } from "../../src/rdf/record-graph.js";
import { RDF, RDFS_LABEL } from "../../src/rdf/terms.js";
import { openSearchedForLoading } from "../../src/search/open.js";
import type { Search, SearchQuery } from "../../src/store/search.js";
import type { Staged } from "../../src/store/writable-store.js";

export interface Content {
  readonly label?: string;
  readonly names?: readonly string[];
  /** The code of the language of its names and statements. */
  readonly language?: string;
  readonly identifiers?: readonly string[];
  readonly statements?: readonly string[];
  /** The media type of its statements. */
  readonly format?: string;
  /** The IRI of its maker, or the IRI and the label: `urn:m Rembrandt`. */
  readonly maker?: string;
  readonly years?: readonly [begin: string, end: string];
  readonly type?: string;
  /** Its other references: IRIs by term. */
  readonly refers?: Readonly<Record<string, readonly string[]>>;
  readonly endpoint?: EndpointName;
}

const CLASSES: Partial<Record<EndpointName, string>> = {
  object: "HumanMadeObject",
  person: "Person",
  concept: "Type",
  place: "Place",
  set: "Set",
  digital: "DigitalObject",
  visual: "VisualItem",
  event: "Activity",
};

export function graphOf(iri: string, content: Content): RecordGraph {
  const builder = new RecordGraphBuilder(iri, undefined);
  const root = builder.iri(iri);
  const typed = (node: number, name: string): void => {
    builder.add(node, builder.iri(RDF.type), builder.iri(classIri(name)!));
  };
  const refer = (node: number, term: string, to: number): void => {
    builder.add(node, builder.iri(propertyIri(term, CLASSES[content.endpoint ?? "object"])!), to);
  };
  typed(root, CLASSES[content.endpoint ?? "object"]!);
  if (content.label !== undefined) builder.add(root, builder.iri(RDFS_LABEL), builder.literal(content.label));
  const say = (term: string, name: string, says: string, id: string): void => {
    const node = builder.blank(id);
    refer(root, term, node);
    typed(node, name);
    builder.add(node, builder.iri(CONTENT), builder.literal(says));
    if (content.format !== undefined && name === "LinguisticObject")
      builder.add(node, builder.iri(propertyIri("format")!), builder.literal(content.format));
    if (content.language !== undefined && name !== "Identifier") {
      const language = builder.iri(`urn:language:${content.language}`);
      refer(node, "language", language);
      refer(language, "notation", builder.literal(content.language));
    }
    if (content.type !== undefined) refer(node, "classified_as", builder.iri(`${content.type}/nested`));
  };
  for (const [at, name] of (content.names ?? []).entries()) say("identified_by", "Name", name, `n${at}`);
  for (const [at, id] of (content.identifiers ?? []).entries()) say("identified_by", "Identifier", id, `i${at}`);
  for (const [at, text] of (content.statements ?? []).entries())
    say("referred_to_by", "LinguisticObject", text, `s${at}`);
  if (content.type !== undefined) refer(root, "classified_as", builder.iri(content.type));
  for (const [term, iris] of Object.entries(content.refers ?? {}))
    for (const each of iris) refer(root, term, builder.iri(each));
  const making = builder.blank("making");
  if (content.maker !== undefined || content.years !== undefined) {
    refer(root, "produced_by", making);
    typed(making, "Production");
  }
  if (content.maker !== undefined) {
    const [, iri, label] = /^(\S+) ?(.*)$/.exec(content.maker)!;
    refer(making, "carried_out_by", builder.iri(iri!));
    if (label !== "") builder.add(builder.iri(iri!), builder.iri(RDFS_LABEL), builder.literal(label!));
  }
  if (content.years !== undefined) {
    const span = builder.blank("span");
    builder.add(making, builder.iri(propertyIri("timespan", "Activity")!), span);
    const [begin, end] = content.years;
    refer(span, "begin_of_the_begin", builder.literal(`${begin}-01-01T00:00:00Z`));
    refer(span, "end_of_the_end", builder.literal(`${end}-12-31T23:59:59Z`));
  }
  return builder.build();
}

/** A store with a search index, new for each test, or one for all tests of a file. */
export class SearchedStore {
  directory = "";
  store!: Awaited<ReturnType<typeof openSearchedForLoading>>;

  constructor(isForAll = false) {
    (isForAll ? beforeAll : beforeEach)(async () => {
      this.directory = mkdtempSync(join(tmpdir(), "vitrine-search-"));
      await this.open();
    });
    (isForAll ? afterAll : afterEach)(async () => {
      await this.store.close();
      rmSync(this.directory, { recursive: true, force: true });
    });
  }

  get search(): Search {
    return this.store.search;
  }

  async open(report?: (problem: string) => void): Promise<void> {
    this.store = await openSearchedForLoading({ directory: this.directory }, report);
  }

  async publish(
    contents: Readonly<Record<string, Content>>,
    deletions: readonly string[] = [],
    onIndexed?: (share: number) => void,
  ): Promise<void> {
    const stage = await this.store.stage();
    for (const [iri, content] of Object.entries(contents)) await stage.put(stagedOf(iri, content));
    for (const iri of deletions) await stage.delete(iri);
    await stage.publish(undefined, undefined, onIndexed);
  }

  /** All hits of a search, read page by page. */
  async walk(query: SearchQuery, limit: number, isBackward = false): Promise<string[]> {
    const found: string[] = [];
    let cursor = "";
    for (;;) {
      const page = await this.search.find(query, { limit, ...(isBackward ? { before: cursor } : { after: cursor }) });
      const iris = page.items.map(({ iri }) => iri);
      if (isBackward) found.unshift(...iris);
      else found.push(...iris);
      const next = isBackward ? page.previous : page.next;
      if (next === undefined) return found;
      cursor = next;
    }
  }

  find(query: SearchQuery): Promise<string[]> {
    return this.walk(query, 100);
  }
}

export function stagedOf(iri: string, content: Content): Staged {
  const graph = graphOf(iri, content);
  return { graph, endpoint: content.endpoint ?? "object", label: content.label ?? "", valid: true };
}
