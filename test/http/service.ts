/** A service for tests over real sockets: an embedded store of a few records, and a server in front of it. */
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { PublicationSettings } from "../../src/http/entity/publication.js";
import type { RenderSettings } from "../../src/http/representations/representation.js";
import { REPRESENTATIONS } from "../../src/http/representations/representations.js";
import { createServer, type Server, type ServerOptions } from "../../src/http/server/server.js";
import { describe } from "../../src/load/pipeline/describe.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import type { Json, RecordGraph } from "../../src/rdf/record-graph.js";
import { openSearchedForLoading } from "../../src/search/open.js";
import type { LoadableStore } from "../../src/store/open.js";
import type { WritableStore } from "../../src/store/writable-store.js";
import { CONTEXT_URI, graphOf, type JsonObject } from "../jsonld/documents.js";
import { startedForAll } from "../started.js";
import { MemoryStore } from "../store/memory-store.js";

export const BASE = "http://data.museum.example/collection";

/** The context document, as `/context` answers it. */
export const CONTEXT = JSON.parse(readFileSync("data/context.json", "utf8")) as Json;

function painting(id: string, label: string, more: JsonObject = {}): JsonObject {
  return { "@context": CONTEXT_URI, id, type: "HumanMadeObject", _label: label, ...more };
}

export const PAINTING = painting(`${BASE}/object/1`, "Sonnenblumen 🌻", {
  identified_by: [{ type: "Name", content: 'Sun"flowers" ünd more' }],
  produced_by: {
    id: `${BASE}/production/1`,
    type: "Production",
    carried_out_by: [{ id: `${BASE}/person/9`, type: "Person", _label: "A painter without a record" }],
  },
});

/** The documents of every test service: a record for each kind of address. */
export const DOCUMENTS: readonly JsonObject[] = [
  PAINTING,
  painting(`${BASE}/object/2`, "Refers to the same painter", {
    produced_by: {
      type: "Production",
      carried_out_by: [{ id: `${BASE}/person/9`, type: "Person", _label: "A painter" }],
    },
  }),
  painting(`${BASE}/object/stated`, "States its rights, files and sets", {
    member_of: [{ id: `${BASE}/set/1`, type: "Set", _label: "A set" }],
    subject_to: [
      {
        type: "Right",
        classified_as: [{ id: "https://creativecommons.org/publicdomain/zero/1.0/", type: "Type", _label: "CC0" }],
      },
    ],
    representation: [
      {
        type: "VisualItem",
        digitally_shown_by: [
          { type: "DigitalObject", access_point: [{ id: "https://images.example/1.jpg", type: "DigitalObject" }] },
        ],
      },
    ],
  }),
  painting(`${BASE}/object?id=7`, "Has a query"),
  painting(`${BASE}/object/list.ttl`, "Ends like a suffix"),
  painting(`${BASE}/health`, "Has the path of a service"),
  painting(`${BASE}/künstler/Brücke`, "Unicode"),
  painting(`${BASE}/encoded/%e4%bd%9c`, "Percent-encoded in lower case"),
  painting(`${BASE}/only#it`, "The only fragment"),
  painting(`${BASE}/many#one`, "One fragment of two"),
  painting(`${BASE}/many#two`, "The other"),
  painting("http://vocab.example/aat/300033618", "Lies elsewhere"),
  painting("urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66", "A URN"),
  painting(`${BASE}/object/gone`, "To be deleted"),
];

export interface Service {
  readonly server: Server;
  readonly store: LoadableStore;
  /** The address it listens on, such as `http://127.0.0.1:49152`. */
  readonly origin: string;
  readonly port: number;
  /** The directory behind `/images/`. */
  readonly images: string;
  /** The errors reported to the log. */
  readonly reported: unknown[];
  stop(): Promise<void>;
}

/** Put records into a store, and delete some. */
export async function publish(store: WritableStore, graphs: readonly RecordGraph[], deleted: readonly string[] = []) {
  const stage = await store.stage();
  for (const graph of graphs) {
    await stage.put({ graph, ...describe(graph, DEFAULT_MODEL.vocabBase), valid: true });
  }
  for (const iri of deleted) await stage.delete(iri);
  return stage.publish();
}

/** Put the records of documents into a store. */
export async function publishDocuments(store: WritableStore, ...documents: readonly JsonObject[]) {
  return publish(store, documents.map(graphOf));
}

/** A function that opens a store in a directory. */
export type OpenStore = (directory: string) => Promise<LoadableStore>;

const openEmbedded: OpenStore = (directory) => openSearchedForLoading({ directory });

/** The stores over which services are tested: one answers synchronously; the other answers only by promises, and lacks facets. */
export const STORES: readonly (readonly [name: string, open: OpenStore])[] = [
  ["an embedded store", openEmbedded],
  ["a store in memory", async () => new MemoryStore() as WritableStore as LoadableStore],
];

/** A server's options, those of its publication among them. */
export type FlatOptions = Partial<Omit<ServerOptions, "publication"> & PublicationSettings>;

const OF_PUBLICATION =
  "model baseUrl otherBaseUrls contexts trustProxy hal cacheControl edm cacheBytes site license".split(" ");

/** The options of a server at `BASE` under the default model, with these overrides. */
export function serverOptions(options: FlatOptions & Pick<ServerOptions, "store">): ServerOptions {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const of = (isOfPublication: boolean) =>
    Object.fromEntries(given.filter(([name]) => OF_PUBLICATION.includes(name) === isOfPublication));
  const { store } = options;
  return { publication: { model: DEFAULT_MODEL, baseUrl: BASE, ...of(true) }, store, ...of(false) };
}

/** Representations whose documents these functions write. */
export function writtenBy(documents: RenderSettings["documents"]): typeof REPRESENTATIONS {
  const makers = Object.entries(REPRESENTATIONS);
  return Object.fromEntries(makers.map(([name, make]) => [name, (settings) => make({ ...settings, documents })]));
}

/** Start a service with the records of `DOCUMENTS`, one of them deleted, and an image. */
export async function startService(options: FlatOptions = {}, openStore: OpenStore = openEmbedded): Promise<Service> {
  const directory = await mkdtemp(join(tmpdir(), "vitrine-http-"));
  const store = await openStore(join(directory, "store"));
  await publishDocuments(store, ...DOCUMENTS);
  await publish(store, [], [`${BASE}/object/gone`]);
  const images = join(directory, "images");
  await mkdir(images);
  await writeFile(join(images, "girl.svg"), "<svg xmlns='http://www.w3.org/2000/svg'/>");
  await writeFile(join(images, ".secret"), "secret");
  await writeFile(join(directory, "outside.txt"), "outside");
  const reported: unknown[] = [];
  const server = createServer(
    serverOptions({ store, images, report: (error: unknown) => reported.push(error), ...options }),
  );
  const { port } = await server.listen(0);
  return {
    server,
    store,
    origin: `http://127.0.0.1:${port}`,
    port,
    images,
    reported,
    stop: async () => {
      await server.close();
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** A service for all tests of a file or a `describe`, started before them. */
export function serviceForAll(...args: Parameters<typeof startService>): Service {
  return startedForAll(() => startService(...args));
}

/** A service for one test. */
export async function serviceForTest(...args: Parameters<typeof startService>): Promise<Service> {
  const service = await startService(...args);
  onTestFinished(() => service.stop());
  return service;
}

/** An answer as received, byte for byte. */
export interface RawAnswer {
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/**
 * Send bytes as they are and read until the server closes, without the normalization that `fetch` does.
 * @param sent called with the connection when the bytes are sent
 */
export function raw(
  port: number,
  request: string | Buffer,
  sent: (socket: Socket) => void = () => {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1", () => socket.write(request, () => sent(socket)));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => {
      try {
        resolve(parseAnswer(Buffer.concat(chunks)));
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** Send a GET with exactly this target, on a connection of its own. */
export function rawGet(port: number, target: string, headers = "", host = "data.museum.example"): Promise<RawAnswer> {
  return raw(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`);
}

/** Parse an answer; throws when it is not well-formed. */
export function parseAnswer(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) throw new Error(`no end of the head in ${JSON.stringify(bytes.toString("latin1"))}`);
  const [statusLine = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const status = /^HTTP\/1\.1 (\d{3}) [ -~]+$/.exec(statusLine)?.[1];
  if (status === undefined) throw new Error(`malformed status line ${JSON.stringify(statusLine)}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\t -~]*)$/.exec(line);
    if (field === null) throw new Error(`malformed header ${JSON.stringify(line)}`);
    headers.set(field[1]!.toLowerCase(), field[2]!);
  }
  return { status: Number(status), headers, body: bytes.subarray(end + 4) };
}
