/** `vitrine serve`: what it refuses, and its options over real sockets. */
import { beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { rawGet } from "../http/service.js";
import { place } from "./feeds.js";
import { inFile } from "./in-file.js";
import { workspaceForAll } from "./workspace.js";

const BASE = "http://data.museum.example/";
const OTHER = "https://old.museum.example/collection/";

const { file, feed, vitrine, served, on } = workspaceForAll();
beforeAll(async () => {
  await vitrine(
    "load",
    feed("first.jsonl", ...[`${BASE}place/1`, `${OTHER}place/2`, `${OTHER}place/1`].map((id) => place(id, id))),
  );
});

function portOf(url: string): number {
  return Number(new URL(url).port);
}

describe("what serve refuses with 2", () => {
  it.each([
    ["--port", "65536", /--port 65536 is not a port number from 0 to 65535/],
    ["--cache", "much", /--cache much is not a number of mebibytes/],
    ["--cache", "-1", /--cache|'--cache'/],
    ["--cache", "1.5", /--cache 1\.5 is not a number of mebibytes/],
    ["--cache-control", "max-age=1\r\nX-Injected: 1", /--cache-control .* is not a header value/s],
    ["--cache-control", "tschüss", /--cache-control tschüss is not a header value/],
    ["--rate-limit", "0", /--rate-limit 0 is not a number of requests per minute/],
    ["--rate-limit", "all=5", /--rate-limit all=5 is not .* a class \(entity, page,/],
    ["--workers", "0", /--workers 0 is not a number of processes/],
    ["--base-url", "museum.org", /--base-url "museum.org" is not absolute/],
  ])("%s %s", async (option, value, message) => {
    const { status, stderr } = await vitrine("serve", option, value);
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe("what serve refuses of the settings file with 2", () => {
  it.each([
    [{ temporal: "17th century" }, /temporal 17th century is not a date or interval such as 1600\/1700/],
    [{ temporal: "../.." }, /temporal .* is not a date or interval/],
    [{ spatial: ["https://sws.geonames.org/2750405/", "Delft"] }, /spatial "Delft" is not an http or https IRI/],
    [{ "access-rights": "secret" }, /access-rights/],
  ])("%j", async (settings, message) => {
    const { status, stderr } = await vitrine("serve", ...inFile({ serve: settings }));
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe("serve", () => {
  it("names the licence of the settings in Link and in schema.org, and describes the dataset by them", async () => {
    const license = "https://creativecommons.org/publicdomain/zero/1.0/";
    const settings = { license, spatial: "https://sws.geonames.org/2757345/", temporal: "-0500/1700" };
    const running = await served("--base-url", BASE, ...inFile(settings));
    const answer = await fetch(`${running.url}/place/1.schema.jsonld`);
    expect(answer.headers.get("link")).toContain(`<${license}>; rel="license"`);
    expect(await answer.json()).toMatchObject({ subjectOf: { license } });
    const described = await (await fetch(`${running.url}/.well-known/void`)).text();
    expect(described).toMatch(/dct:spatial <https:\/\/sws\.geonames\.org\/2757345\/>/);
    expect(described).toContain('dcat:startDate "-0500"^^xsd:gYear');
  });

  it("refuses to start with rules by which it could load nothing over HTTP", async () => {
    const held = file("held.txt", `<${BASE}place/1>\n${BASE}place/2 # a note\n`);
    for (const [flag, message] of [
      ["--hold=/no/such", "--hold /no/such is no rule such as class=..., and cannot be read"],
      [`--hold=${held}`, `--hold ${held}:2: iri=${BASE}place/2 # a note names no IRI`],
      ["--severity=foo", '--severity "foo": write RULE=warning'],
      ["--shapes=/no/such", "--shapes /no/such cannot be read"],
    ] as const) {
      expect(await vitrine("serve", flag)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(message) as string,
      });
    }
  });

  it("answers entities with the Cache-Control that it was given, with and without a cache", async () => {
    for (const cache of ["0", "1"]) {
      const options = ["--cache", cache, "--cache-control", "public, max-age=60"];
      const running = await served("--base-url", BASE, ...options);
      for (let time = 0; time < 3; time++) {
        const answer = await fetch(`${running.url}/place/1`);
        expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "public, max-age=60"]);
      }
      expect((await fetch(`${running.url}/place/no`)).headers.get("cache-control")).toBe("no-cache");
      expect(await running.stop()).toBe(0);
    }
  });

  it("starts with records whose IRIs are all too long to be keys", async () => {
    const iri = `${BASE}place/${"x".repeat(2_000)}`;
    await on("long").load([place(iri, "long")], "--base-url", BASE);
    const running = await on("long").served();
    expect(running.stderr()).toContain(`1 record, 0 under ${BASE}`);
    expect((await fetch(running.url + new URL(iri).pathname)).status).toBe(200);
  });

  it("answers for several base URLs, by the host that was asked, and names both at start", async () => {
    const running = await served("--base-url", BASE, "--base-url", OTHER);
    expect(running.stderr()).toContain(`3 records, all under ${BASE} and ${OTHER}`);
    const port = portOf(running.url);
    const ask = async (path: string, host: string) => {
      const answer = await rawGet(port, path, `X-Forwarded-Host: old.museum.example\r\n`, host);
      return [answer.status, answer.status === 200 ? (JSON.parse(answer.body.toString()) as { id: string }).id : null];
    };
    expect(await ask("/place/1", "data.museum.example")).toEqual([200, `${BASE}place/1`]);
    expect(await ask("/place/1", "OLD.museum.example")).toEqual([200, `${OTHER}place/1`]);
    expect(await ask("/collection/place/1", "old.museum.example")).toEqual([200, `${OTHER}place/1`]);
    expect(await ask("/place/2", "data.museum.example")).toEqual([200, `${OTHER}place/2`]);
    expect(await ask("/place/3", "data.museum.example")).toEqual([404, null]);
    expect(await running.stop()).toBe(0);
  });

  it("names an IPv6 address as it stands in an address (RFC 3986, 3.2.2)", async () => {
    const running = await served("--host", "::1");
    expect(running.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(`${running.url}/health`)).status).toBe(200);
    expect(await running.stop()).toBe(0);
  });

  it("believes a proxy's word only with --trust-proxy", async () => {
    const options = ["--base-url", BASE, "--base-url", OTHER, "--rate-limit", "1"];
    for (const trust of [false, true]) {
      const running = await served(...options, ...(trust ? ["--trust-proxy"] : []));
      const ask = async (client: string) => {
        const { status, headers, body } = await rawGet(
          portOf(running.url),
          "/place/1",
          `X-Forwarded-Host: old.museum.example\r\nX-Forwarded-For: 10.0.0.1, ${client}\r\n`,
        );
        return { status, retryAfter: headers.get("retry-after"), body: JSON.parse(body.toString()) as object };
      };
      const first = await ask("192.0.2.1");
      expect(first.body).toMatchObject({ id: trust ? `${OTHER}place/1` : `${BASE}place/1` });
      const refused = { status: 429, retryAfter: expect.stringMatching(/^\d+$/) as string };
      if (trust) expect((await ask("192.0.2.2")).status).toBe(200);
      else expect(await ask("192.0.2.2")).toMatchObject(refused);
      const again = await ask("192.0.2.1");
      expect(again).toMatchObject({ ...refused, body: { title: "Too many requests" } });
      expect((await rawGet(portOf(running.url), "/health")).status).toBe(200);
      await running.stop();
    }
  });

  it("adds _links with --hal, to documents alone and with other entity tags", async () => {
    const plain = await served("--base-url", BASE);
    const hal = await served("--base-url", BASE, "--hal");
    const ask = (running: { url: string }, suffix: string) => fetch(`${running.url}/place/1${suffix}`);
    const [without, linked] = await Promise.all([ask(plain, ".json"), ask(hal, ".json")]);
    expect(linked.headers.get("etag")).not.toBe(without.headers.get("etag"));
    const { _links: links, ...rest } = (await linked.json()) as { _links: { alternate: unknown } };
    expect(rest).toEqual(await without.json());
    expect(links).toMatchObject({
      self: { href: `${BASE}place/1` },
      profile: { href: DEFAULT_MODEL.contextUri, title: "Linked Art 1.0" },
      "service-desc": { href: `${BASE}openapi.json`, title: "1.0" },
    });
    expect(links.alternate).toContainEqual({ href: `${BASE}place/1.ttl`, type: "text/turtle" });
    for (const suffix of [".ttl", ".nt", ".nq", ".trig"]) {
      expect(await (await ask(hal, suffix)).text()).toBe(await (await ask(plain, suffix)).text());
    }
  });
});
