/** `vitrine follow`: copies that stay equal, politeness, and refusals. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type * as http from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Client, ResourceError } from "../../src/harvest/follow/client.js";
import { discover } from "../../src/harvest/follow/discover.js";
import { changesSince, START } from "../../src/harvest/follow/stream.js";
import { openStore } from "../../src/store/open.js";
import { inFile } from "../cli/in-file.js";
import { begin } from "../cli/run.js";
import { workspaceForEach } from "../cli/workspace.js";
import { listeningForTest } from "../listening.js";

const { path, vitrine, load } = workspaceForEach().on("copy");

type Answering = (
  request: http.IncomingMessage,
  count: number,
) => { status?: number; body?: unknown; headers?: http.OutgoingHttpHeaders };

/** A publisher that is not Vitrine, on a port of its own until the test ends, and what it was asked. */
async function publisher(answer: Answering): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  let count = 0;
  const url = await listeningForTest((request, response) => {
    asked.push(request.url!);
    const { status = 200, body, headers = {} } = answer(request, count++);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body === undefined ? "" : Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
  return { url, asked };
}

const pageOf = (orderedItems: readonly object[]) => ({ body: { type: "OrderedCollectionPage", orderedItems } });

function place(id: string, label = "A place"): object {
  return { "@context": "https://linked.art/ns/v1/linked-art.json", id, type: "Place", _label: label };
}

/** The answers of a plain publisher: a collection, one page, and documents at their IRIs. Level 0: without ids and times. */
function plain(
  names: readonly string[],
  more: (path: string, base: string) => ReturnType<Answering> | undefined,
): Answering {
  return ({ url, headers }) => {
    const base = `http://${headers.host}`;
    const special = more(url!, base);
    if (special !== undefined) return special;
    if (url === "/changes")
      return { body: { id: `${base}/changes`, type: "OrderedCollection", last: { id: `${base}/page` } } };
    if (url === "/page") {
      const orderedItems = names.map((name) => ({ type: "Update", object: { id: `${base}/${name}`, type: "Place" } }));
      return { body: { id: `${base}/page`, type: "OrderedCollectionPage", orderedItems } };
    }
    const name = url!.slice(1);
    return names.includes(name) ? { body: place(`${base}/${name}`) } : { status: 404, body: {} };
  };
}

/** A plain publisher, until the test ends. */
const plainly = (names: readonly string[], more: Parameters<typeof plain>[1] = () => undefined) =>
  publisher(plain(names, more));

async function stats(): Promise<{ records: number; sources: object; sequence: number }> {
  return JSON.parse((await vitrine("stats", "--json")).stdout || "{}") as never;
}

const follow = (url: string, ...options: string[]) => vitrine("follow", url, ...options);

describe("follow", () => {
  it("reads any publisher's stream, records it as a source, and requests no other host", async () => {
    const elsewhere = "http://elsewhere.invalid/x";
    const { url } = await plainly(["a", "b"], (path, base) => {
      const iris = [`${base}/a`, elsewhere, `${base}/b`];
      return path === "/page"
        ? pageOf(iris.map((id) => ({ type: "Create", object: { id, type: "Place" } })))
        : undefined;
    });
    const { status, stderr } = await follow(`${url}/changes`, "--source", "others");
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`<${elsewhere}>: is on a host other than the followed one`),
    ]);
    expect(await stats()).toMatchObject({ records: 2, sources: { others: 2 } });
  });

  it("reaches a stream and its records through an internal address", async () => {
    const named = "https://data.museum.example/collection";
    const collection = { id: `${named}/activity/place`, type: "OrderedCollection", last: { id: `${named}/page` } };
    const orderedItems = [{ type: "Create", object: { id: `${named}/a`, type: "Place" } }];
    const answers: Readonly<Record<string, object>> = {
      "/activity/place": collection,
      "/page": { type: "OrderedCollectionPage", orderedItems },
      "/a": place(`${named}/a`),
    };
    const { url, asked } = await publisher(({ url }) => ({
      status: url! in answers ? 200 : 404,
      body: answers[url!] ?? {},
    }));
    const { status, stderr } = await follow(`${url}/activity/place`, "--source", "museum");
    expect(status, stderr).toBe(0);
    expect(await stats()).toMatchObject({ records: 1, sources: { museum: 1 } });
    expect(new Set(asked)).toEqual(new Set(Object.keys(answers)));
  });

  it("of a busy service says that the next run continues", async () => {
    const { url } = await publisher(() => ({ status: 503, headers: { "retry-after": "0" }, body: {} }));
    const { status, stderr } = await follow(`${url}/changes`);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^vitrine: .* answers 503; loaded records stay, /)]);
  });

  it("continues with --every until it is interrupted", async () => {
    const names = ["a"];
    const { url, asked } = await plainly(names);
    const args = ["follow", `${url}/changes`, "--store", path("copy"), "--every", "1s"];
    const following = await begin(args, /1 record changed/);
    names.push("b");
    await following.told(/1 record changed.*1 record changed/s);
    const visits = asked.length;
    await expect.poll(() => asked.length).toBeGreaterThan(visits + 3);
    expect(await following.stop()).toBe(0);
    // Visits without changes are no news: there may be one a second, for years.
    expect(following.stderr()).not.toContain("0 records changed");
    expect((await stats()).records).toBe(2);
  });

  it("says when interrupted what it has loaded so far", async () => {
    const controller = new AbortController();
    const { url } = await plainly(["a", "b", "c"], (path) => {
      // The third record is fetched while the second is being loaded, after the first.
      if (path === "/c") controller.abort();
      return undefined;
    });
    const interrupted = controller.signal;
    const { status, stderr } = await vitrine("follow", `${url}/changes`, ...inFile({ batch: 1 }), { interrupted });
    const words =
      /vitrine: interrupted: ([12]) records? changed and 0 deleted or moved: these stay, and the next run continues/;
    expect([status, stderr]).toEqual([2, expect.stringMatching(words)]);
    expect((await stats()).records).toBe(Number(words.exec(stderr)![1]));
  });

  it("waits as long as Retry-After says, sends conditional requests, and continues where it ended", async () => {
    let collections = 0;
    const names = ["a", "b"];
    const answer = plain(names, (path) =>
      path === "/changes" && collections++ === 0
        ? { status: 503, headers: { "retry-after": "1" }, body: {} }
        : undefined,
    );
    const { url, asked } = await publisher((request, count) => {
      // The collection does not say how many activities there are, so it stays the same when its last page grows.
      const etag = request.url === "/page" ? `"${names.length}"` : '"1"';
      if (request.headers["if-none-match"] === etag) return { status: 304 };
      const given = answer(request, count);
      return { ...given, headers: { ...given.headers, etag } };
    });
    expect((await follow(`${url}/changes`)).stderr).toContain("waiting 1 s");
    expect((await stats()).records).toBe(2);
    asked.length = 0;
    expect((await follow(`${url}/changes`)).status).toBe(0);
    // One request to detect the stream, one for its last page, and one with the condition.
    expect(asked).toEqual(["/changes", "/changes", "/page"]);
    names.push("c");
    expect((await follow(`${url}/changes`)).status).toBe(0);
    expect((await stats()).records).toBe(3);
  });

  it.each([
    ["answers 503", { status: 503, headers: { "retry-after": "0" } }],
    ["Response body length does not match", { headers: { "content-length": 1_000, connection: "close" } }],
    ["unexpected end of file", { body: gzipSync("{}").subarray(0, 15), headers: { "content-encoding": "gzip" } }],
  ])("loads what it can get, and requests the rest again next time: %s", async (problem, last) => {
    let isBusy = true;
    let tries = 0;
    const { url } = await plainly(["a", "b", "c"], (path) => {
      if (path !== "/b" || !isBusy) return undefined;
      return ++tries % 6 === 0 ? last : { status: 503, headers: { "retry-after": "0" }, body: {} };
    });
    const { status, stderr } = await follow(`${url}/changes`);
    expect([status, stderr]).toEqual([1, expect.stringContaining(`/b ${problem}`)]);
    expect(stderr).toContain("; it is requested again next time");
    expect((await stats()).records).toBe(2);
    const progress = path(`copy/follow/${encodeURIComponent(new URL(url).host)}.json`);
    expect(JSON.parse(readFileSync(progress, "utf8"))).not.toHaveProperty("inStep");
    isBusy = false;
    expect((await follow(`${url}/changes`)).status).toBe(0);
    expect((await stats()).records).toBe(3);
    expect(JSON.parse(readFileSync(progress, "utf8"))).toHaveProperty("inStep");
  });

  it("gives up a document that comes byte by byte, as one that it cannot have now", async () => {
    let now = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    onTestFinished(() => clock.mockRestore());
    const byBytes: http.RequestListener = (_, response) => {
      // A hundredth of a second lasts 100 seconds.
      const writing = setInterval(() => {
        now += 100_000;
        response.write(" ");
      }, 10);
      response.once("close", () => clearInterval(writing));
    };
    const url = await listeningForTest(byBytes);
    using client = new Client({ url, connections: 1, signal: new AbortController().signal });
    await expect(client.get(url, {})).rejects.toThrow(new ResourceError(`${url} takes longer than 300 seconds`));
  });

  it("requests again what was answered wrongly, and moves a record only to one that it has", async () => {
    const wrong: Record<string, ReturnType<Answering>> = {
      "/b": { status: 500, body: {} },
      "/c": { status: 204 },
      "/d": { body: Buffer.from('{"_label":"caf\xe9"}', "latin1") },
      "/e": { status: 302, headers: { location: "http://elsewhere.invalid/e" } },
      "/z": { status: 500, body: {} },
    };
    const names = ["a", "b", "c", "d", "e", "x"];
    let answers = {} as typeof wrong;
    let moves: object[] = [];
    const { url } = await plainly([...names, "z"], (path, base) => {
      if (path !== "/page") return answers[path];
      const items = names.map((name) => ({ type: "Update", object: { id: `${base}/${name}`, type: "Place" } }));
      return pageOf([...items, ...moves]);
    });
    await follow(`${url}/changes`);
    expect((await stats()).records).toBe(6);
    await vitrine("delete", ...["b", "c", "d", "e"].map((name) => `${url}/${name}`));
    moves = [{ type: "Move", object: { id: `${url}/x` }, target: { id: `${url}/z` } }];
    answers = wrong;
    const { status, stderr } = await follow(`${url}/changes`, "--afresh");
    expect([status, stderr.match(/it is requested again next time/g)]).toEqual([1, Array(5).fill(expect.anything())]);
    expect(stderr).toMatch(/\/d>: .*not valid UTF-8/);
    expect(stderr).toMatch(/\/e>: .*requests go to no other host/);
    expect((await stats()).records).toBe(2);
    answers = {};
    expect((await follow(`${url}/changes`)).status).toBe(0);
    expect((await stats()).records).toBe(6);
    expect((await vitrine("get", `${url}/z`)).status).toBe(0);
  });

  it.each([
    ["redirected", (base: string) => ({ status: 301, headers: { location: `${base}/last` } })],
    ["answered there", (base: string) => ({ body: place(`${base}/last`) })],
  ])("moves a record to where its successor has moved on to, %s", async (_, moved) => {
    let items: object[] = [];
    const { url } = await plainly(["old", "new", "last"], (path, base) => {
      if (path === "/page") return pageOf(items);
      return path === "/new" && items.length > 1 ? moved(base) : undefined;
    });
    items = [{ type: "Create", object: { id: `${url}/old` } }];
    await follow(`${url}/changes`);
    const [old, next, last] = ["old", "new", "last"].map((name) => ({ id: `${url}/${name}` }));
    items = [
      { type: "Move", object: old, target: next },
      { type: "Move", object: next, target: last },
    ];
    expect(await follow(`${url}/changes`, "--afresh")).toMatchObject({ status: 0 });
    expect((await vitrine("get", `${url}/old`)).stderr).toContain(`${url}/last`);
  });

  it("deletes a record whose successor is held or refused here, and leads nowhere", async () => {
    let items: object[] = [];
    const names = ["old", "older", "new", "bad"];
    const { url } = await plainly(names, (path, base) => {
      if (path === "/page") return pageOf(items);
      return path === "/bad" ? { body: { ...place(`${base}/bad`), part_of: "nothing" } } : undefined;
    });
    const [old, older, next, bad] = names.map((name) => ({ id: `${url}/${name}` }));
    items = [old, older].map((object) => ({ type: "Create", object }));
    await follow(`${url}/changes`);
    items = [
      { type: "Move", object: old, target: next },
      { type: "Move", object: older, target: bad },
    ];
    expect((await follow(`${url}/changes`, "--afresh", "--hold", `iri=${url}/new`)).status).toBe(1);
    for (const name of ["old", "older"]) {
      const { status, stderr } = await vitrine("get", `${url}/${name}`);
      expect([status, stderr]).toEqual([2, expect.stringContaining("it was deleted")]);
    }
  });

  it("keeps a record that has come back from its successor since the stream was read", async () => {
    let items: object[] = [];
    const { url } = await plainly(["old", "new"], (path, base) => {
      if (path === "/page") return pageOf(items);
      if (path === "/new") return { status: 301, headers: { location: `${base}/old` } };
      return undefined;
    });
    items = [{ type: "Create", object: { id: `${url}/old` } }];
    await follow(`${url}/changes`);
    items = [{ type: "Move", object: { id: `${url}/old` }, target: { id: `${url}/new` } }];
    expect(await follow(`${url}/changes`, "--afresh")).toMatchObject({ status: 0 });
    expect((await vitrine("get", `${url}/old`)).status).toBe(0);
  });

  it("forgets what it could not fetch when the record has changed again", async () => {
    const items: object[] = [{ type: "Create", object: { id: "old" } }];
    let isBroken = true;
    const { url } = await plainly(["old", "new"], (path, base) => {
      if (path === "/new" && isBroken) return { status: 500, body: {} };
      if (path !== "/page") return undefined;
      const orderedItems = items.map((item, at) => {
        const { type, object, target } = item as { type: string; object: { id: string }; target?: { id: string } };
        const to = target === undefined ? {} : { target: { id: `${base}/${target.id}` } };
        const endTime = new Date(Date.UTC(2020, 0, 1 + at)).toISOString();
        return {
          id: `${base}/change/${at}`,
          type,
          endTime,
          object: { id: `${base}/${object.id}`, type: "Place" },
          ...to,
        };
      });
      return pageOf(orderedItems);
    });
    await follow(`${url}/changes`);
    items.push({ type: "Move", object: { id: "old" }, target: { id: "new" } });
    expect((await follow(`${url}/changes`)).status).toBe(1);
    items.push({ type: "Create", object: { id: "old" } });
    await follow(`${url}/changes`);
    isBroken = false;
    await follow(`${url}/changes`);
    expect((await vitrine("get", `${url}/old`)).status).toBe(0);
  });

  it("lets explain know what every batch of every visit refused, until the record has been loaded", async () => {
    let wrong = ["a", "b"];
    const { url } = await plainly(["a", "b", "c"], (path, base) =>
      wrong.includes(path.slice(1)) ? { body: { ...place(`${base}${path}`), _label: 7 } } : undefined,
    );
    const explained = async (name: string) => (await vitrine("explain", `${url}/${name}`)).stdout;
    await follow(`${url}/changes`, "--afresh", ...inFile({ batch: 1 }));
    for (const name of wrong) expect(await explained(name)).toContain("refused by the load of");
    wrong = ["b"];
    await follow(`${url}/changes`, "--afresh", ...inFile({ batch: 1 }));
    expect(await explained("a")).toContain("is published");
    expect(await explained("a")).not.toContain("refused by");
    expect((await explained("b")).match(/refused by/g)).toHaveLength(1);
  });

  it("goes on behind a batch that --on-invalid abort stopped only when it can be loaded", async () => {
    let isInvalid = true;
    const { url } = await plainly(["a", "b"], (path, base) =>
      path === "/b" && isInvalid ? { body: { ...place(`${base}/b`), defined_by: 5 } } : undefined,
    );
    for (let visit = 0; visit < 2; visit++) {
      const { status, stderr } = await follow(`${url}/changes`, "--on-invalid", "abort");
      expect([status, stderr]).toEqual([2, expect.stringMatching(/\/b>: .*\n.*nothing is loaded of the records/)]);
      expect((await stats()).records).toBe(0);
    }
    isInvalid = false;
    expect((await follow(`${url}/changes`, "--on-invalid", "abort")).status).toBe(0);
    expect((await stats()).records).toBe(2);
  });

  it.each([
    ["numbers other changes as before", ["d", "e", "f"]],
    ["has fewer changes than before", ["d"]],
  ])("equals a publisher that restored a backup and %s", async (_, later) => {
    let year = 2020;
    const changed = (name: string) => ({ name, year: year++ });
    const changes = ["a", "b", "c", "a"].map(changed);
    const { url } = await publisher(({ url, headers }) => {
      const base = `http://${headers.host}`;
      const activities = changes.map(({ name, year }, at) => ({
        ...{ id: `${base}/activity/change/${at}`, type: "Update", object: { id: `${base}/${name}`, type: "Place" } },
        endTime: `${year}-01-01T00:00:00Z`,
      }));
      if (url === "/changes")
        return { body: { id: `${base}/changes`, type: "OrderedCollection", last: { id: `${base}/page` } } };
      if (url === "/page") return pageOf(activities);
      const body = activities.find(({ id }) => id === `${base}${url}`);
      if (body !== undefined) return { body };
      const last = changes.findLast(({ name }) => `/${name}` === url);
      return last ? { body: place(`${base}${url}`, `of ${last.year}`) } : { status: 404, body: {} };
    });
    expect((await follow(`${url}/changes`)).status).toBe(0);
    changes.splice(2, 2, ...later.map(changed));
    const { status, stderr } = await follow(`${url}/changes`);
    expect(status, stderr).toBe(0);
    const { stdout } = await vitrine("export", "--format", "jsonl");
    const labels = stdout.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line)._label));
    expect(labels.sort()).toEqual(changes.map(({ year }) => `of ${year}`));
    expect((await follow(`${url}/changes`)).stderr).toContain("0 records changed, 0 deleted");
    // A replica of the publisher that is behind, such as another one behind a balancer, has not lost what it lacks.
    changes.pop();
    expect((await follow(`${url}/changes`)).stderr).toContain("0 records changed, 0 deleted");
  });

  it("reads a stream whose activities name records by their IRIs alone, and whose first page has null before it", async () => {
    const { url } = await plainly(["a", "b"], (path, base) => {
      const orderedItems = ["a", "gone", "b"].map((name) => ({ type: "Update", object: `${base}/${name}` }));
      return path === "/page" ? { body: { orderedItems, prev: null } } : undefined;
    });
    expect(await follow(`${url}/changes`)).toMatchObject({ status: 0 });
    expect((await stats()).records).toBe(2);
  });

  it("refuses anything that is not a stream or the right record, and keeps what it has", async () => {
    const { url } = await plainly(["a", "b", "c", "d"], (path) => {
      if (path === "/b") return { body: place("http://other.example/b") };
      if (path === "/c") return { body: { id: "x", type: "Nonsense" } };
      if (path === "/d") return { status: 500, body: {} };
      return path === "/" || path.startsWith("/.") || path === "/activity"
        ? { body: { type: "Something" } }
        : undefined;
    });
    const { status, stderr } = await follow(`${url}/changes`);
    expect(status).toBe(1);
    expect(stderr).toMatch(/\/b>: is answered with the document of "http:\/\/other\.example\/b"/);
    expect(stderr).toMatch(/\/d>: is answered with 500/);
    expect(await stats()).toMatchObject({ records: 1 });
    expect((await follow(url)).stderr).toContain("is not a change stream, and names none");
    for (const wrong of ["ftp://x", "http://a b/", "http://a:99999/"]) expect((await follow(wrong)).status).toBe(2);
  });

  it("takes answers in gzip that it did not ask for, and with a byte order mark", async () => {
    const zipped = (path: string, base: string): ReturnType<Answering> | undefined => {
      if (path === "/page" || path === "/none") return undefined;
      const body = path === "/changes" ? { id: `${base}/changes`, last: `${base}/page` } : place(base + path);
      const text = Buffer.from(`\uFEFF${JSON.stringify({ type: "OrderedCollection", ...body })}`);
      return { body: gzipSync(text), headers: { "content-encoding": "gzip" } };
    };
    const { url } = await plainly(["a", "b"], zipped);
    expect(await follow(`${url}/changes`)).toMatchObject({ status: 0 });
    expect((await stats()).records).toBe(2);
  });

  it("gives up a document in gzip that is too large before all of it has come", async () => {
    const zipped = gzipSync(Buffer.alloc(33 * 2 ** 20));
    const url = await listeningForTest((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).write(zipped);
    });
    using client = new Client({ url, connections: 1, signal: new AbortController().signal });
    await expect(client.get(url, {})).rejects.toThrow(new ResourceError(`${url} is longer than 33554432 bytes`));
  });

  it("loads large documents in several steps", async () => {
    const mebibytes: Readonly<Record<string, number>> = { "/a": 16, "/b": 0 };
    const { url } = await plainly(["a", "b"], (path, base) => {
      const size = mebibytes[path];
      if (size === undefined) return undefined;
      const spaces = Buffer.alloc(size * 2 ** 20, " ");
      const body = gzipSync(Buffer.concat([Buffer.from(JSON.stringify(place(base + path))), spaces]));
      return { body, headers: { "content-encoding": "gzip" } };
    });
    const { status, stderr } = await follow(`${url}/changes`, ...inFile({ connections: 1 }));
    expect(status, stderr).toBe(0);
    await using store = await openStore({ directory: path("copy") });
    const times = (await store.changes.page({ after: 0, limit: 100 })).map(({ time }) => time);
    expect([times.length, new Set(times).size]).toEqual([2, 2]);
  });

  it.each([
    ["stops at a page whose newest activity is first", [[3, 2, 2, 1]], 2],
    [
      "stops at pages of which the first has the newest activity, each with two times",
      [
        [2, 1, 1],
        [3, 2],
      ],
      2,
    ],
    ["reads a page of a publisher whose clock was set back", [[2, 2, 1, 1]], 0],
    ["reads pages of which one is of a publisher whose clock was set back", [[4, 4, 3, 3], [2, 1], [0]], 0],
  ])("%s", async (_, days, status) => {
    const { url } = await plainly(["a"], (path, base) => {
      const number = path === "/page" ? 0 : Number(/^\/page-(\d)$/.exec(path)?.[1] ?? Number.NaN);
      if (Number.isNaN(number)) return undefined;
      const object = { id: `${base}/a`, type: "Place" };
      const orderedItems = days[number]!.map((day) => ({
        type: "Update",
        object,
        endTime: `2024-01-1${day}T00:00:00Z`,
      }));
      const prev = number + 1 < days.length ? `${base}/page-${number + 1}` : null;
      return { body: { orderedItems, prev } };
    });
    expect(await follow(`${url}/changes`)).toMatchObject({ status });
  });

  it("deletes what was deleted before a Refresh, also without times", async () => {
    let isRefreshed = false;
    const { url } = await plainly(["a", "b"], (path, base) => {
      if (path !== "/page") return undefined;
      const of = (type: string, name: string, at: number) => ({
        id: `${base}/${at}`,
        type,
        object: { id: `${base}/${name}` },
      });
      const before = [of("Create", "a", 1), of("Create", "b", 2)];
      return pageOf(
        isRefreshed ? [...before, of("Delete", "b", 3), { type: "Refresh" }, of("Update", "a", 4)] : before,
      );
    });
    await follow(`${url}/changes`);
    expect((await stats()).records).toBe(2);
    isRefreshed = true;
    expect((await follow(`${url}/changes`)).status).toBe(0);
    expect((await stats()).records).toBe(1);
  });

  it("stops at empty pages that never end", async () => {
    const endless = (path: string, base: string): ReturnType<Answering> | undefined => {
      const page = path === "/page" ? 0 : Number(/^\/page(-\d+)$/.exec(path)?.[1]);
      return Number.isNaN(page) ? undefined : { body: { orderedItems: [], prev: `${base}/page${page - 1}` } };
    };
    const { url } = await plainly([], endless);
    const { status, stderr } = await follow(`${url}/changes`);
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/the 100 pages before \S+\/page-100 are empty, and more follow/),
    ]);
  });

  it("stops at a stream without an end before it fills the memory", async () => {
    const { url } = await publisher(({ headers }, count) => {
      const [last, object] = [{ id: `http://${headers.host}/page-${count}` }, { id: `http://a.example/${count}` }];
      return { body: { last, prev: last, orderedItems: [{ type: "Create", object }] } };
    });
    using client = new Client({ url, connections: 1, signal: new AbortController().signal });
    const reading = changesSince(client, `${url}/changes`, START, null, false, 20);
    await expect(reading).rejects.toThrow(/changes has more than 20 changes to read: begin with a dump/);
  });

  it("reads on behind many empty pages whose numbers count down, as those of the last change of each record are after a large load", async () => {
    const counting = (path: string, base: string): ReturnType<Answering> | undefined => {
      const number = Number(/^\/page\/(\d+)$/.exec(path)?.[1] ?? (path === "/page" ? 150 : Number.NaN));
      if (Number.isNaN(number)) return undefined;
      const orderedItems = number === 1 ? [{ type: "Update", object: { id: `${base}/a`, type: "Place" } }] : [];
      return { body: { orderedItems, ...(number > 1 && { prev: `${base}/page/${number - 1}` }) } };
    };
    const { url } = await plainly(["a"], counting);
    expect((await follow(`${url}/changes`)).status).toBe(0);
    expect((await stats()).records).toBe(1);
  });

  it("stops at pages that lead back to one another", async () => {
    const circle = (path: string, base: string): ReturnType<Answering> | undefined =>
      path === "/page" || path === "/other"
        ? { body: { orderedItems: [], prev: { id: base + (path === "/page" ? "/other" : "/page") } } }
        : undefined;
    const { url, asked } = await plainly([], circle);
    const { status, stderr } = await follow(`${url}/changes`);
    expect([status, stderr]).toEqual([2, expect.stringContaining(`the pages before ${url}/page lead back to it`)]);
    expect(asked.filter((path) => path === "/page")).toHaveLength(1);
  });

  it("stops at a redirect that leads nowhere", async () => {
    const nowhere = (path: string) =>
      path === "/page" ? { status: 302, headers: { location: "http://[" } } : undefined;
    const { url } = await plainly([], nowhere);
    const { status, stderr } = await follow(`${url}/changes`);
    expect([status, stderr]).toEqual([2, expect.stringContaining(`${url}/page redirects to http://[`)]);
  });

  it("fetches a record at its IRI if another record is at the address of its document", async () => {
    const { url } = await plainly(["a", "a.jsonld"], (path, base) => {
      if (path !== "/page") return undefined;
      const orderedItems = ["a", "a.jsonld"].map((name) => {
        const seeAlso = [{ id: `${base}/${name}.jsonld`, type: "Dataset", format: "application/ld+json" }];
        return {
          type: "Create",
          object: { id: `${base}/${name}`, type: "Place", ...(name === "a" ? { seeAlso } : {}) },
        };
      });
      return pageOf(orderedItems);
    });
    const { status, stderr } = await follow(`${url}/changes`);
    expect(status, stderr).toBe(0);
    expect((await stats()).records).toBe(2);
  });

  it("fetches a record at its IRI if the address of its document leads nowhere, and deletes one that is at neither", async () => {
    const names = ["a", "b"];
    const { url } = await plainly(names, (path, base) => {
      const item = (name: string) => {
        const seeAlso = [{ id: `${base}/${name}.jsonld`, type: "Dataset", format: "application/ld+json" }];
        const id = `${base}/change/${names.length}/${name}`;
        return { id, type: "Update", object: { id: `${base}/${name}`, type: "Place", seeAlso } };
      };
      return path === "/page" ? pageOf(["a", "b"].map(item)) : undefined;
    });
    expect((await follow(`${url}/changes`)).status).toBe(0);
    expect((await stats()).records).toBe(2);
    names.pop();
    expect((await follow(`${url}/changes`)).status).toBe(0);
    expect((await stats()).records).toBe(1);
  });

  it("requests again what a replica does not have yet, and deletes what is gone", async () => {
    let status = 404;
    const { url } = await plainly(["a", "b"], (path, base) => {
      const item = (name: string, at: number) => {
        const id = `${base}/activity/change/${at + 1}`;
        return {
          id,
          type: "Create",
          object: { id: `${base}/${name}`, type: "Place" },
          endTime: "2026-01-01T00:00:00Z",
        };
      };
      if (path === "/page") return pageOf(["a", "b"].map(item));
      return path === "/b" && status !== 200 ? { status, body: {} } : undefined;
    });
    const visited = async () => [(await follow(`${url}/changes`)).status, (await stats()).records];
    expect(await visited()).toEqual([1, 1]);
    status = 200;
    expect(await visited()).toEqual([0, 2]);
    status = 410;
    expect((await follow(`${url}/changes`, "--afresh")).status).toBe(0);
    expect((await stats()).records).toBe(1);
  });

  it("requests again the record of which a replica has an older version, unless the publisher's clock was wrong or it is a file", async () => {
    let modified = "2026-01-01T00:00:00.000Z";
    const items = (base: string): object[] =>
      [
        { name: "a", endTime: "2026-01-02T00:00:01.500Z" },
        { name: "b", endTime: "2999-01-01T00:00:00.000Z" },
        { name: "file", endTime: "2026-01-02T00:00:01.500Z" },
      ].map(({ name, endTime }, at) => {
        const id = `${base}/activity/change/${at + 1}`;
        return { id, type: "Update", object: { id: `${base}/${name}`, type: "Place" }, endTime };
      });
    const { url } = await plainly(["a", "b", "file"], (path, base) => {
      if (path === "/page") return pageOf(items(base));
      const headers = { "last-modified": new Date(modified).toUTCString() };
      const body = place(`${base}${path}`);
      if (path === "/file") return { headers, body };
      return path === "/a" || path === "/b" ? { headers: { ...headers, "content-location": path }, body } : undefined;
    });
    const { status, stderr } = await follow(`${url}/changes`);
    expect([status, stderr]).toEqual([1, expect.stringContaining(`<${url}/a>: is answered with an older version`)]);
    expect((await stats()).records).toBe(2);
    modified = "2026-01-02T00:00:01.500Z";
    expect((await follow(`${url}/changes`)).status).toBe(0);
    expect((await stats()).records).toBe(3);
  });

  it("deletes from a consortium's store the records that a member deleted, but none from other sources", async () => {
    const items = (base: string, deleted: readonly string[]): object[] => [
      ...["own", "gone", "shared", "moved"].map((name) => ({ type: "Create", object: { id: `${base}/${name}` } })),
      ...deleted.map((id) => ({ type: "Delete", object: { id } })),
    ];
    // Each member also names records that are not its own: a shared one of the other member, and one that was here before both.
    const deletes: string[] = [];
    const moves: object[] = [];
    const member: Answering = (request, count) => {
      const base = `http://${request.headers.host}`;
      const names = ["own", "gone", "shared", "moved"];
      const orderedItems = [...items(base, deletes), ...moves];
      const page = pageOf(orderedItems);
      return plain(names, (path) => (path === "/page" ? page : undefined))(request, count);
    };
    const { url: first } = await publisher(member);
    const { url: second } = await publisher(member);
    expect((await load([place("http://local.example/x")])).status).toBe(0);
    expect((await follow(`${first}/changes`, "--source", "first")).status).toBe(0);
    expect((await follow(`${second}/changes`, "--source", "second")).status).toBe(0);
    expect((await stats()).sources).toEqual({ first: 4, second: 4 });
    deletes.push(`${first}/gone`, `${second}/shared`, "http://local.example/x", "http://never.example/x");
    moves.push({ type: "Move", object: { id: `${second}/moved` }, target: { id: `${first}/own` } });
    const { status, stderr } = await follow(`${first}/changes`, "--source", "first", "--afresh");
    expect(stderr).toContain("3 deletions ignored: these records came from sources other than first");
    expect(status, stderr).toBe(0);
    expect(await stats()).toMatchObject({ records: 8, sources: { first: 3, second: 4 } });
    // The other member says the same of its own records, and now it counts.
    await follow(`${second}/changes`, "--source", "second", "--afresh");
    expect((await stats()).sources).toEqual({ first: 3, second: 2 });
  });

  it.each([
    ["published", []],
    ["held", ["--hold", "source=museum"]],
  ])(
    "deletes records that the source deleted before it made the dump that `follow` begins with: %s",
    async (_, hold) => {
      let hasDump = false;
      let deleted = false;
      const answer: Answering = ({ url, headers }) => {
        const base = `http://${headers.host}`;
        const of = (type: string, name: string, year: number) => ({
          ...{ id: `${base}/${name}-${year}`, type, object: { id: `${base}/${name}`, type: "Place" } },
          endTime: `${year}-01-01T00:00:00.000Z`,
        });
        const items = [of("Create", "a", 2019), of("Create", "b", 2019), of("Delete", "b", 2021)];
        const about = { activity: `${base}/activity`, dataset: `${base}/.well-known/void` };
        const content = gzipSync(`${JSON.stringify(place(`${base}/a`, "from the dump"))}\n`);
        const sha256 = createHash("sha256").update(content).digest("hex");
        const dump = { sequence: 3, lastChange: "2022-01-01T00:00:00.000Z", records: 1 };
        const file = { of: "all", format: "jsonl", records: 1, url: `${base}/all.jsonl.gz`, sha256 };
        switch (url) {
          case "/":
            return { body: hasDump ? { ...about, dumps: `${base}/dumps/` } : about };
          case "/dumps/":
            return { body: { dumps: [{ ...dump, files: [file] }] } };
          case "/all.jsonl.gz":
            return { body: content };
          case "/activity":
            return { body: { id: `${base}/activity`, type: "OrderedCollection", last: { id: `${base}/page` } } };
          case "/page":
            // A stream may forget: it must not matter that the deletion is no longer in it.
            return pageOf(deleted ? [of("Update", "a", 2022)] : items.slice(0, 2));
          case "/a":
            return { body: place(`${base}/a`) };
          case "/b":
            return deleted ? { status: 410, body: {} } : { body: place(`${base}/b`) };
          default:
            return { status: 404, body: {} };
        }
      };
      const { url } = await publisher(answer);
      expect((await load([place("http://other.example/x")], "--source", "other")).status).toBe(0);
      const records = async () => {
        const { sources, held = 0 } = (await stats()) as { sources: { museum?: number; other: number }; held?: number };
        return [(sources.museum ?? 0) + held, sources.other];
      };
      expect((await follow(url, "--source", "museum", ...hold)).status).toBe(0);
      expect(await records()).toEqual([2, 1]);
      [hasDump, deleted] = [true, true];
      const { status, stderr } = await follow(url, "--source", "museum", "--afresh", ...hold);
      expect(status, stderr).toBe(0);
      expect(await records()).toEqual([1, 1]);
    },
  );

  it("reaches a Vitrine by the IRI of its dataset, which has a fragment", async () => {
    const base = "https://museum.example/";
    const document = { activity: `${base}activity`, dataset: `${base}.well-known/void` };
    const reached: string[][] = [];
    const get = async (url: string) => ({ url, status: 200, body: Buffer.from(JSON.stringify(document)) });
    const client = { get, reach: (...to: string[]) => reached.push(to) };
    await discover(client as unknown as Client, "http://internal:3000/#dataset");
    expect(reached).toEqual([[base, "http://internal:3000/"]]);
  });

  it("finds the stream in a description at its own address", async () => {
    const address = "https://museum.example/data/dataset.ttl";
    const collection = "https://museum.example/changes";
    const body = Buffer.from(`@prefix dcat: <http://www.w3.org/ns/dcat#> .
      [] a dcat:DataService ; dcat:endpointURL <${collection}> ;
        <http://purl.org/dc/terms/conformsTo> <http://iiif.io/api/discovery/1/> .`);
    const get = async (url: string) => ({ url, status: url === address ? 200 : 404, body });
    expect(await discover({ get } as unknown as Client, address)).toEqual({ collection });
  });

  it("finds the stream in a description behind a redirect, relative to where that leads", async () => {
    const { url } = await plainly(["a"], (path) => {
      if (path === "/.well-known/void") return { status: 303, headers: { location: "/about.ttl" } };
      if (path !== "/about.ttl") return path === "/" ? { body: {} } : undefined;
      const description = `[] a <http://www.w3.org/ns/dcat#DataService> ; <http://www.w3.org/ns/dcat#endpointURL> <changes> ;
          <http://purl.org/dc/terms/conformsTo> <http://iiif.io/api/discovery/1/> .`;
      return { body: Buffer.from(description) };
    });
    expect(await follow(url)).toMatchObject({ status: 0 });
    expect((await stats()).records).toBe(1);
  });

  /** A publisher of two records whose description names these files as its dump. */
  const described = (dumps: readonly string[]) =>
    plainly(["a", "b"], (path, base) => {
      const created = (name: string, year: number) => ({
        ...{ id: `${base}/${year}`, type: "Create", object: { id: `${base}/${name}`, type: "Place" } },
        endTime: `${year}-01-01T00:00:00Z`,
      });
      switch (path) {
        case "/":
          return { body: {} };
        case "/.well-known/void": {
          const parts = dumps.map(
            (dump) => `<${base}/#d> a void:Dataset ; void:dataDump <${base}/${dump}> .
              <${base}/${dump}> <http://purl.org/dc/terms/modified> "2020-01-01T00:00:00Z" .`,
          );
          const description = `@prefix void: <http://rdfs.org/ns/void#> . ${parts.join(" ")}`;
          return { body: Buffer.from(description), headers: { "content-type": "text/turtle" } };
        }
        case "/activity":
          return { body: { id: `${base}/activity`, type: "OrderedCollection", last: { id: `${base}/page` } } };
        case "/page":
          return pageOf([created("a", 2019), created("b", 2021)]);
        case "/all.jsonl":
          return { body: place(`${base}/a`, "from the dump") };
        default:
          return undefined;
      }
    });

  it("begins with a dump that a DCAT description names, and continues with the stream from its time", async () => {
    const { url, asked } = await described(["all.jsonl", "all.rdf.gz"]);
    // What a visit left that was killed.
    mkdirSync(path("copy/follow"), { recursive: true });
    writeFileSync(path("copy/follow/dump.jsonl"), "{".repeat(1_000));
    const { status, stderr } = await follow(url);
    expect(status, stderr).toBe(0);
    expect(await stats()).toMatchObject({ records: 2, sequence: 2 });
    expect(readdirSync(path("copy/follow"))).toEqual([expect.stringMatching(/%3A\d+\.json$/)]);
    expect(asked).toContain("/all.jsonl");
    expect(asked).toContain("/b");
    expect(asked).not.toContain("/a");
  });

  it.each([[["all.jsonl", "people.jsonl"]], [["all.jsonl", "people.nq.gz"]]])(
    "reads the whole stream if the dump is divided among several files: %s",
    async (dumps) => {
      const { url, asked } = await described(dumps);
      expect(await follow(url)).toMatchObject({ status: 0 });
      expect((await stats()).records).toBe(2);
      expect(asked.filter((each) => each.endsWith(".jsonl"))).toEqual([]);
    },
  );

  it("continues a dump that was cut off, also behind a redirect", async () => {
    const { status, stderr, ranges } = await followCut({});
    expect(status, stderr).toBe(0);
    expect(await stats()).toMatchObject({ records: 1 });
    expect(ranges).toEqual([undefined, expect.stringMatching(/^bytes=\d+-$/)]);
  });

  it.each<[string, Cut, number]>([
    ["has a weak tag", { tags: ['W/"1"'] }, 0],
    ["has another tag", { tags: ['"1"', '"2"'] }, 1],
    ["begins earlier", { begins: () => 0 }, 1],
    ["ends earlier", { lacks: 1 }, 1],
    ["does not say where it begins", { begins: () => undefined }, 1],
  ])("takes a dump from its beginning again if the part that was missing %s", async (_, cut, parts) => {
    const { status, stderr, ranges } = await followCut(cut);
    expect(status, stderr).toBe(0);
    expect(await stats()).toMatchObject({ records: 1 });
    expect(ranges).toEqual([undefined, ...Array(parts).fill(expect.stringMatching(/^bytes=/)), undefined]);
  });
});

/** What a server that cuts its dump off answers to a request for the rest. */
interface Cut {
  /** The entity tags of its answers, in order; the last stands for all further ones. */
  readonly tags?: readonly string[];
  /** Where the part begins that it sends; `undefined` if it does not say so. */
  readonly begins?: (wanted: number) => number | undefined;
  /** How many bytes the part lacks at its end. */
  readonly lacks?: number;
}

/** Follow a publisher that cuts off its first answer with a dump. */
async function followCut({ tags = ['"1"'], begins = (wanted) => wanted, lacks = 0 }: Cut) {
  const ranges: (string | undefined)[] = [];
  const { url } = await publisher(({ url, headers }) => {
    const base = `http://${headers.host}`;
    const content = Buffer.from(`${JSON.stringify(place(`${base}/a`))}${" ".repeat(2_000_000)}\n`);
    const { range } = headers;
    switch (url) {
      case "/.well-known/void":
        return {
          body: Buffer.from(`<${base}/#d> <http://rdfs.org/ns/void#dataDump> <${base}/newest.jsonl> .
            <${base}/newest.jsonl> <http://purl.org/dc/terms/modified> "2020-01-01T00:00:00Z" .`),
        };
      case "/newest.jsonl":
        return { status: 302, headers: { location: "/all.jsonl" } };
      case "/all.jsonl": {
        const etag = tags[ranges.length] ?? tags.at(-1);
        const isFirst = ranges.push(range) === 1;
        if (range === undefined) {
          const body = isFirst ? content.subarray(0, 1_000_000) : content;
          return { body, headers: { etag, "content-length": content.length, connection: "close" } };
        }
        const from = begins(Number(/^bytes=(\d+)-$/.exec(range)![1]));
        const end = content.length - lacks;
        const said = from !== undefined && { "content-range": `bytes ${from}-${end - 1}/${content.length}` };
        return { status: 206, body: content.subarray(from, end), headers: { etag, ...said } };
      }
      case "/activity":
        return { body: { id: `${base}/activity`, type: "OrderedCollection", last: { id: `${base}/page` } } };
      default:
        return url === "/page" ? pageOf([]) : { body: {} };
    }
  });
  return { ...(await follow(url)), ranges };
}
