import { Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LargeRecordThread, MAX_LARGE_WAITING, MAX_TRIPLES_AT_ONCE } from "../../../src/http/entity/large-records.js";
import type { ProblemError } from "../../../src/http/message/problems/problems.js";
import type { RenderSettings } from "../../../src/http/representations/representation.js";
import { createServer, type Server } from "../../../src/http/server/server.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { RecordGraphBuilder } from "../../../src/rdf/record-graph.js";
import { RDF, RDFS_LABEL } from "../../../src/rdf/terms.js";
import { type EmbeddedStore, openEmbeddedForLoading } from "../../../src/store/embedded/embedded-store.js";
import { graphOf, writer } from "../../jsonld/documents.js";
import { temporaryFolder } from "../../temporary-folder.js";
import {
  BASE,
  type FlatOptions,
  PAINTING,
  publish,
  type RawAnswer,
  rawGet,
  serverOptions,
  writtenBy,
} from "../service.js";

const CRM = "http://www.cidoc-crm.org/cidoc-crm/";

/** An object with a number of parts, each a blank node with a class and a label. */
function objectOf(id: string, parts: number) {
  const builder = new RecordGraphBuilder(id);
  const [type, label, part] = [RDF.type, RDFS_LABEL, `${CRM}P46_is_composed_of`].map((each) => builder.iri(each));
  const subject = builder.iri(id);
  const kind = builder.iri(`${CRM}E22_Human-Made_Object`);
  builder.add(subject, type!, kind);
  if (parts > 0) builder.add(subject, part!, builder.iri(`${BASE}/object/absent`));
  for (let at = 0; at < parts; at++) {
    const node = builder.blank(`b${at}`);
    builder.add(subject, part!, node);
    builder.add(node, type!, kind);
    builder.add(node, label!, builder.literal(`Part ${at} – ü`));
  }
  return builder.build();
}

const LARGE = `${BASE}/object/large`;
const AWKWARD = `${BASE}/object/awkward`;

const directory = temporaryFolder();
let store: EmbeddedStore;
const servers: Server[] = [];
/** The ports of a server with the thread for large records (`apart`), and of one without it (`here`). */
let apart: number;
let here: number;

beforeAll(async () => {
  store = await openEmbeddedForLoading(join(directory, "store"));
  const awkward = new RecordGraphBuilder(AWKWARD);
  // RDF/XML cannot make an element name of this property.
  awkward.add(awkward.iri(AWKWARD), awkward.iri("urn:x:"), awkward.blank("b"));
  const large = objectOf(AWKWARD, MAX_TRIPLES_AT_ONCE / 2);
  const { triples, terms } = large;
  for (let at = 0; at < triples.length; at += 3) {
    const [subject, predicate, object] = [0, 1, 2].map((place) => awkward.term(terms[triples[at + place]!]!));
    awkward.add(subject!, predicate!, object!);
  }
  await publish(store, [graphOf(PAINTING), objectOf(LARGE, 4_000), awkward.build()]);
  const start = async (more: FlatOptions): Promise<number> => {
    const server = createServer(serverOptions({ store, report: () => {}, ...more }));
    servers.push(server);
    return (await server.listen(0)).port;
  };
  const documents: RenderSettings["documents"] = {
    document: (graph) => {
      if (graph.iri === LARGE) throw new Error("the event loop writes a large record");
      return writer.document(graph);
    },
    text: () => undefined,
    expanded: (graph) => writer.expanded(graph),
  };
  apart = await start({
    representationMakers: writtenBy(documents),
    directory: join(directory, "store"),
    hasLargeThread: true,
  });
  here = await start({});
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await store.close();
});

/** The parts of an answer that both servers must agree on. */
function told({ status, headers, body }: RawAnswer) {
  const agreed = [...headers].filter(([name]) => name !== "date");
  return { status, headers: Object.fromEntries(agreed), body: body.toString("base64") };
}

describe("a large record", () => {
  it.each(["", ".json", ".ttl", ".nt", ".trig", ".rdf", ".schema.jsonld", ".html"])(
    "is answered as it is on the event loop: %j",
    async (suffix) => {
      const [one, other] = [
        await rawGet(apart, `/collection/object/large${suffix}`),
        await rawGet(here, `/collection/object/large${suffix}`),
      ];
      expect(one.status).toBe(200);
      expect(told(one)).toEqual(told(other));
    },
  );

  it("is answered the same in a coding and for conditional requests", async () => {
    const target = "/collection/object/large";
    const plain = await rawGet(apart, target);
    for (const headers of [
      "Accept-Encoding: gzip\r\n",
      `If-None-Match: ${plain.headers.get("etag")}\r\n`,
      `If-Modified-Since: ${plain.headers.get("last-modified")}\r\n`,
      'If-Match: "other"\r\n',
    ]) {
      expect(told(await rawGet(apart, target, headers)), headers).toEqual(told(await rawGet(here, target, headers)));
    }
  });

  it("lists on 406 only the representations that every record has, as it is not read to find out about others", async () => {
    const [named, all] = await Promise.all(
      [apart, here].map(async (port) => {
        const { status, body } = await rawGet(port, "/collection/object/large", "Accept: image/png\r\n");
        expect(status).toBe(406);
        return (JSON.parse(body.toString()).representations as { url?: string }[]).map(({ url }) => url);
      }),
    );
    expect(named).toEqual(all!.filter((url) => url?.endsWith(".edm.rdf") !== true));
    expect(all).toHaveLength(named!.length + 1);
  });

  it("that RDF/XML cannot express is 406, as on the event loop", async () => {
    const answers = await Promise.all([apart, here].map((port) => rawGet(port, "/collection/object/awkward.rdf")));
    expect(answers.map(({ status }) => status)).toEqual([406, 406]);
    expect(answers[0]!.body.toString()).toBe(answers[1]!.body.toString());
  });

  it("lets other requests be answered while it is written", async () => {
    let isOut = false;
    let answered = 0;
    const large = Promise.all(
      [".jsonld", ".ttl", ".html", ".trig"].map((suffix) => rawGet(apart, `/collection/object/large${suffix}`)),
    ).finally(() => {
      isOut = true;
    });
    while (!isOut) {
      expect((await rawGet(apart, "/collection/object/1")).status).toBe(200);
      if (!isOut) answered++;
    }
    expect((await large).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    // On the event loop, only the few requests that came before each of the four would be answered.
    expect(answered).toBeGreaterThan(10);
  });

  it("that lacks what the client prefers is answered with the next, as on the event loop", async () => {
    const manifest = 'application/ld+json;profile="http://iiif.io/api/presentation/3/context.json"';
    for (const [preferred, id] of [
      [manifest, "large"],
      ["application/rdf+xml", "awkward"],
    ]) {
      const accept = `Accept: ${preferred}, text/turtle;q=0.1\r\n`;
      const answers = await Promise.all([apart, here].map((port) => rawGet(port, `/collection/object/${id}`, accept)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(answers[0]!.headers.get("content-type")).toBe("text/turtle; charset=utf-8");
      expect(told(answers[0]!)).toEqual(told(answers[1]!));
    }
  });

  const ownThread = () =>
    new LargeRecordThread(
      {
        directory: join(directory, "store"),
        publication: { model: DEFAULT_MODEL, baseUrl: BASE },
        navigation: [],
        endpointLinks: new Map(),
      },
      true,
    );

  it("is not written for a client that left before it was asked for", async () => {
    const thread = ownThread();
    const left = { headers: {}, socket: new Socket().destroy() };
    await expect(thread.answer(`${BASE}/object/1`, 0, left)).rejects.toMatchObject({ problem: "unavailable" });
    await thread.close();
  });

  it("is refused with 503 when too many wait, to the client that asks for most, or to one that has left", async () => {
    const thread = ownThread();
    const ask = (client: string, times: number) => {
      const socket = new Socket();
      const request = { headers: { "x-forwarded-for": client }, socket };
      const answers = Array.from({ length: times }, () => thread.answer(`${BASE}/object/1`, 0, request));
      return { socket, outcomes: Promise.allSettled(answers) };
    };
    const [greedy, leaving, other] = [ask("192.0.2.1", MAX_LARGE_WAITING), ask("192.0.2.2", 3), ask("192.0.2.3", 5)];
    leaving.socket.destroy();
    const answered = async (outcomes: Promise<PromiseSettledResult<unknown>[]>) => {
      const refused = (await outcomes).filter((outcome) => outcome.status === "rejected");
      expect(refused.every(({ reason }) => (reason as ProblemError).problem === "unavailable")).toBe(true);
      return (await outcomes).length - refused.length;
    };
    expect(await answered(other.outcomes)).toBe(5);
    expect(await answered(leaving.outcomes)).toBe(0);
    expect(await answered(greedy.outcomes)).toBe(MAX_LARGE_WAITING - 8);
    await thread.close();
  });

  it("is named as a referrer by 404 without being read", async () => {
    const find = (id: string) => (id === LARGE ? expect.fail("the record was read") : store.find(id));
    const server = createServer(serverOptions({ store: { ...store, find } }));
    servers.push(server);
    const { port } = await server.listen(0);
    const answer = await rawGet(port, "/collection/object/absent");
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.body.toString()).referrers).toEqual(
      expect.arrayContaining([expect.objectContaining({ record: LARGE })]),
    );
  });
});
