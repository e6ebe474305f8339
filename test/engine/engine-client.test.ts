/** The client of engines: credentials, connections, deadlines, and what engines write otherwise. */
import { createHash } from "node:crypto";
import type { RequestListener } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { EngineAccess, solutionsIn } from "../../src/engine/engine-access.js";
import {
  EngineClient,
  type EngineClientSettings,
  EngineError,
  EngineTimeoutError,
  EngineUnreachableError,
} from "../../src/engine/engine-client.js";
import { agreedTerm } from "../../src/query/remote/engine-lines.js";
import { standardJson } from "../../src/query/remote/engine-results.js";
import { blank, iri, literal, XSD } from "../../src/rdf/terms.js";
import { type Listening, listening } from "../listening.js";

const opened: { readonly server: Listening; readonly client: EngineClient }[] = [];
afterEach(async () => {
  for (const { server, client } of opened.splice(0)) {
    client.close();
    await server.stop();
  }
});

async function asking(listener: RequestListener, settings: EngineClientSettings = {}) {
  const server = await listening(listener);
  const client = new EngineClient(settings);
  opened.push({ server, client });
  const url = `${server.url}/sparql?key=secret`;
  const ask = (timeout = 5_000) => client.send({ url, body: "query=ASK{}", timeout });
  return { ask, url, client, server };
}

const md5 = (text: string): string => createHash("md5").update(text).digest("hex");

it("an engine's refusal names the address that refused, without its query", async () => {
  const { url } = await asking((_, response) => response.writeHead(500).end("no room"));
  const graphStore = new URL("/graphs", url).href;
  using access = new EngineAccess({ url, graphStore }, 5_000);
  await expect(access.add("urn:x", "")).rejects.toThrow(`${graphStore} answered 500: no room`);
  await expect(access.update("CLEAR ALL")).rejects.toThrow(`${new URL("/sparql", url).href} answered 500: no room`);
});

it.each([200, 500])("an answer with status %i that breaks off is an error that names the address", async (status) => {
  const { url } = await asking((_, response) => {
    response.writeHead(status).write("{");
    setImmediate(() => response.destroy());
  });
  using access = new EngineAccess({ url }, 5_000);
  const { href } = new URL("/sparql", url);
  const error = new EngineError(`${href}: the answer broke off: other side closed`);
  await expect(access.select("SELECT * {}")).rejects.toThrow(error);
  await expect(access.construct("DESCRIBE <x:>")).rejects.toThrow(error);
  await expect(access.update("CLEAR ALL")).rejects.toThrow(error);
});

describe("an engine's client", () => {
  it("answers Digest and Basic with the password that it was given, once for a nonce, and Bearer unasked", async () => {
    let unauthorized = 0;
    const digest = await asking(
      (request, response) => {
        const given = Object.fromEntries(
          [...(request.headers.authorization ?? "").matchAll(/(\w+)="?([^",]*)"?/g)].map(([, name, value]) => [
            name,
            value,
          ]),
        );
        const secret = `${md5("me:There:s3cret")}:n1:${given.nc}:${given.cnonce}:auth:${md5(`POST:${given.uri}`)}`;
        if (given.response === md5(secret)) response.end(given.uri);
        else {
          unauthorized++;
          const asked = 'Digest realm="There", nonce="n1", qop="auth", algorithm="MD5", opaque="o"';
          response.writeHead(401, { "www-authenticate": asked }).end();
        }
      },
      { credentials: { user: "me", password: "s3cret" } },
    );
    expect(await (await digest.ask()).body.text()).toBe("/sparql?key=secret");
    expect((await digest.ask()).statusCode).toBe(200);
    expect(unauthorized).toBe(1);
    const basic: RequestListener = (request, response) => {
      const isKnown = request.headers.authorization === `Basic ${Buffer.from("me:s3cret").toString("base64")}`;
      response.writeHead(isKnown ? 200 : 401, { "www-authenticate": 'Basic realm="x"' }).end();
    };
    const known = await asking(basic, { credentials: { user: "me", password: "s3cret" } });
    expect((await known.ask()).statusCode).toBe(200);
    const wrong = await asking(basic, { credentials: { user: "me", password: "other" } });
    expect((await wrong.ask()).statusCode).toBe(401);
    const bearer = await asking((request, response) => void response.end(request.headers.authorization), {
      credentials: { token: "t" },
    });
    expect(await (await bearer.ask()).body.text()).toBe("Bearer t");
  });

  it("keeps connections, and has no more requests running than it may", async () => {
    let [running, most] = [0, 0];
    const ports = new Set<number | undefined>();
    let haveThree = (): void => {};
    const three = new Promise<void>((resolve) => {
      haveThree = resolve;
    });
    const { ask } = await asking(
      async (request, response) => {
        ports.add(request.socket.remotePort);
        most = Math.max(most, ++running);
        if (running === 3) haveThree();
        await three;
        // Time for a fourth to come.
        await sleep(5);
        running--;
        response.end("x");
      },
      { concurrency: 3 },
    );
    await Promise.all(Array.from({ length: 20 }, async () => (await ask()).body.text()));
    expect(most).toBe(3);
    expect(ports.size).toBe(3);
  });

  it("gives up at the deadline, waiting included, and lets the next one have the turn", async () => {
    const { ask } = await asking((_, response) => void response.writeHead(200).write("x"), { concurrency: 1 });
    const first = await ask(2_000);
    await expect(ask(100)).rejects.toBeInstanceOf(EngineTimeoutError);
    await expect(first.body.text()).rejects.toThrow();
    expect((await ask()).statusCode).toBe(200);
  });

  it("spares an engine that does not answer, says for how long, and tells no secrets", async () => {
    const { client, url, server } = await asking((_, response) => void response.end(), { pause: 60_000 });
    await server.stop();
    const refused = () => client.send({ url, body: "", timeout: 20_000 }).catch((error: Error) => error);
    for (let count = 0; count < 3; count++) {
      const error = await refused();
      expect(error).toBeInstanceOf(EngineUnreachableError);
      expect(String(error)).not.toContain("secret");
      expect(error).toMatchObject({ retryAfter: undefined });
    }
    const { retryAfter } = (await refused()) as EngineUnreachableError;
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60_000);
  });
});

describe("what engines write otherwise", () => {
  it("is read as it is meant: Virtuoso's typed literals, bare numbers and blank nodes", () => {
    const row = {
      a: { type: "typed-literal", datatype: XSD.integer, value: 7 },
      b: { type: "literal", lang: "en", value: "x" },
      c: { type: "bnode", value: "nodeID://b1" },
      d: { type: "uri", value: "nodeID://b2" },
    };
    const text = JSON.stringify({ head: { vars: ["a"] }, results: { bindings: [row] } });
    const expected = { a: literal("7", XSD.integer), b: literal("x", undefined, "en"), c: blank("b1"), d: blank("b2") };
    expect(solutionsIn(text)).toEqual({ names: ["a"], rows: [expected] });
    expect(JSON.parse(standardJson(text)).results.bindings[0]).toMatchObject({
      a: { type: "literal", value: "7" },
      b: { "xml:lang": "en" },
    });
    expect(solutionsIn("<html>")).toBeUndefined();
    expect(standardJson('{"boolean": true}')).toBe('{"boolean": true}');
  });

  it.each([
    [literal("007", XSD.integer), literal("7", XSD.decimal)],
    [literal("true", XSD.boolean), literal("1", XSD.integer)],
    [literal("-0500-01-01T00:00:00Z", XSD.dateTime), literal("-500-01-01T00:00:00Z", XSD.dateTime)],
    [literal("-0001-12-31T23:59:59Z", XSD.dateTime), literal("0000-12-31T23:59:59Z", XSD.dateTime)],
    [literal("-0001-12-31", XSD.date), literal("0000-12-31", XSD.date)],
    [literal("1889-01-01T00:00:00.000Z", XSD.dateTime), literal("1889-01-01T00:00:00Z", XSD.dateTime)],
    [literal("x", undefined, "en-GB"), literal("x", undefined, "en-gb")],
    [literal("1966", XSD.dateTime), literal("1966-01-01T00:00:00", XSD.dateTime)],
    [literal("600", XSD.dateTime), literal("0600-01-01T00:00:00", XSD.dateTime)],
    [literal("-0044-03", XSD.dateTime), literal("-44-03-01T00:00:00", XSD.dateTime)],
    [literal("2019-05-01", XSD.dateTime), literal("2019-05-01T00:00:00", XSD.dateTime)],
  ])("is taken for the same: %j and %j", (one, other) => {
    expect(agreedTerm(one)).toBe(agreedTerm(other));
  });

  it.each([
    [literal("1"), literal("1", XSD.integer)],
    [iri("urn:1"), literal("urn:1")],
    [
      literal("1889", "http://www.w3.org/2001/XMLSchema#gYear"),
      literal("1890", "http://www.w3.org/2001/XMLSchema#gYear"),
    ],
  ])("is not taken for the same: %j and %j", (one, other) => {
    expect(agreedTerm(one)).not.toBe(agreedTerm(other));
  });
});
