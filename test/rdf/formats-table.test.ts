/** The formats of the table: each reads what it writes, for a single record and for one among many. */
import { expect, it } from "vitest";
import { FORMATS, type Format, isReadable } from "../../src/rdf/formats.js";
import { isIsomorphic } from "../../src/rdf/isomorphism.js";
import { EXPORT_END, exportEnds } from "../../src/rdf/ntriples/writer.js";
import { RecordGraphBuilder } from "../../src/rdf/record-graph.js";
import { blank, iri, literal } from "../../src/rdf/terms.js";
import { ENTITY, graphOf } from "./record-graphs.js";

const PREFIXES = { o: "https://example.org/object/" };
const GRAPH = graphOf(ENTITY, [
  [iri(ENTITY), iri("https://example.org/p"), blank("a")],
  [blank("a"), iri("https://example.org/p"), literal('x\n"é', undefined, "en")],
]);
const formats = FORMATS as readonly Format[];

async function expectSame({ read }: Format, text: string, graphName: string | undefined): Promise<void> {
  const builder = new RecordGraphBuilder(ENTITY);
  const reader = await read!({ source: "x", baseIri: ENTITY }, (statement) => {
    expect(statement.graph()?.value).toBe(graphName);
    const [s, p, o] = [statement.subject(), statement.predicate(), statement.object()];
    builder.add(builder.term(s), builder.term(p), builder.term(o));
  });
  reader.push(Buffer.from(text));
  reader.end();
  expect(isIsomorphic(builder.build(), GRAPH)).toBe(true);
}

it.each(formats.filter(({ read, write }) => read !== undefined && write !== undefined))("$name", async (format) => {
  const { holds, write, writeTriples = write, writeAmong } = format;
  const name = holds === "quads" ? ENTITY : undefined;
  await expectSame(format, write!(GRAPH, PREFIXES), name);
  await expectSame(format, writeTriples!(GRAPH, PREFIXES), undefined);
  if (writeAmong === undefined) return;
  expect(writeAmong(GRAPH, "other")).toContain("_:other0");
  await expectSame(format, writeAmong(GRAPH, "other"), name);
});

it("formats with a reader can be loaded", () => {
  expect(formats.filter((format) => !isReadable(format))).toEqual([]);
  const { read: _, ...unread } = formats[0]!;
  expect(isReadable(unread)).toBe(false);
});

it("an export says at its end that it is complete", () => {
  expect(exportEnds(12)).toBe("# Vitrine export ends: records 12\n");
  expect([...`${exportEnds(12)}${exportEnds(12, 345)}`.matchAll(EXPORT_END)].map(([, quads]) => quads)).toEqual([
    undefined,
    "345",
  ]);
});
