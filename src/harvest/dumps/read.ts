/** Reads a dump back: its records in their order, and its ledger line by line. */
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { LineReader } from "../../rdf/ntriples-reader.js";
import { type JsonObject, type RecordGraph, RecordGraphBuilder } from "../../rdf/record-graph.js";
import type { DumpManifest } from "./manifest.js";

/** A dump lacks what a restoring needs. */
export class DumpError extends Error {
  override readonly name = "DumpError";
}

/** The lines of a dump's ledger. Throws `DumpError`, and `SyntaxError` for what is no JSON. */
export async function* ledgerOf(folder: string, manifest: DumpManifest): AsyncIterable<JsonObject> {
  const lines = createInterface({ input: opened(folder, manifest, "ledger"), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) yield JSON.parse(line) as JsonObject;
}

/** The records of a dump, from its N-Quads. Throws `DumpError`, `SyntaxProblem`. */
export async function* graphsOf(folder: string, manifest: DumpManifest): AsyncIterable<RecordGraph> {
  const finished: RecordGraph[] = [];
  let builder: RecordGraphBuilder | undefined;
  const reader = new LineReader({ source: fileOf(manifest, "nq"), graphs: true }, (statement) => {
    const iri = statement.graph()?.value ?? "";
    if (builder?.recordIri !== iri) {
      if (builder !== undefined) finished.push(builder.build());
      builder = new RecordGraphBuilder(iri);
    }
    const [subject, predicate, object] = [statement.subject(), statement.predicate(), statement.object()];
    builder.add(builder.term(subject), builder.term(predicate), builder.term(object));
  });
  for await (const chunk of opened(folder, manifest, "nq")) {
    reader.push(chunk as Buffer);
    yield* finished.splice(0);
  }
  reader.end();
  yield* finished;
  if (builder !== undefined) yield builder.build();
}

function opened(folder: string, manifest: DumpManifest, format: "nq" | "ledger"): Readable {
  const file = createReadStream(join(folder, fileOf(manifest, format)));
  const content = createGunzip({ chunkSize: 2 ** 18 });
  file.once("error", (error) => content.destroy(error));
  return file.pipe(content);
}

function fileOf({ files, folder }: DumpManifest, format: "nq" | "ledger"): string {
  const file = files.find((each) => each.of === "all" && each.format === format);
  if (file !== undefined) return file.name;
  throw new DumpError(`the dump ${folder} has no ${format === "nq" ? "N-Quads" : "ledger"}, so it cannot be restored`);
}
