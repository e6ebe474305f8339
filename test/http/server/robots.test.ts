/** Robots: what they are asked to leave alone, and that other clients do not notice when they disobey. */
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import type { Cost } from "../../../src/http/routes/cost.js";
import { Handler } from "../../../src/http/server/handler.js";
import { RateLimits } from "../../../src/http/server/rate-limit.js";
import { DEFAULT_SETTINGS } from "../../../src/http/server/server.js";
import { BASE, publishDocuments, serverOptions, serviceForAll } from "../service.js";

const FACETS = 8;
const ROBOTS = 4;

const rateLimits = new RateLimits({ facet: FACETS, robot: ROBOTS }, "seed");
const service = serviceForAll({ rateLimits, trustProxy: true });
beforeAll(async () => {
  const things = Array.from({ length: 60 }, (_, at) => ({
    id: `${BASE}/thing/${at}`,
    type: "HumanMadeObject",
    _label: `Thing ${at}`,
    made_of: [{ id: `${BASE}/material/${at % 7}`, type: "Material", _label: `Material ${at % 7}` }],
    member_of: [{ id: `${BASE}/set/${at % 5}`, type: "Set", _label: `Set ${at % 5}` }],
    classified_as: [{ id: `${BASE}/kind/${at % 6}`, type: "Type", _label: `Kind ${at % 6}` }],
  }));
  await publishDocuments(service.store, ...things);
});

const VISITOR = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

const visitor = (address: string, agent = VISITOR) => ({ agent, address });

async function read(path: string, { agent, address }: ReturnType<typeof visitor>) {
  const headers = { accept: "text/html", "user-agent": agent, "x-forwarded-for": address };
  const response = await fetch(`${service.origin}${path}`, { headers, redirect: "manual" });
  return { status: response.status, text: await response.text() };
}

interface Anchor {
  readonly path: string;
  readonly isFollowed: boolean;
}

/** A page's links to the service itself. */
function anchorsIn(page: string): Anchor[] {
  return [...page.matchAll(/<a\b([^>]*)>/g)].flatMap(([, attributes = ""]) => {
    const [, href = ""] = /\bhref="([^"]*)"/.exec(attributes) ?? [];
    const path = href.replaceAll("&amp;", "&").replace(/^https?:\/\/[^/]*/, "");
    const isFollowed = !/\brel="[^"]*\bnofollow\b/.test(attributes);
    return path.startsWith("/collection/") ? [{ path, isFollowed }] : [];
  });
}

/** A robot that ignores `nofollow` and robots.txt: it follows every link to a list, breadth first. */
async function crawl(from: string, client: ReturnType<typeof visitor>, requests: number): Promise<number[]> {
  const statuses: number[] = [];
  const seen = new Set([from]);
  const waiting = [from];
  while (waiting.length > 0 && statuses.length < requests) {
    const { status, text } = await read(waiting.shift()!, client);
    statuses.push(status);
    for (const { path } of anchorsIn(text)) {
      if (!/\/(?:search|browse|related|referring)\b/.test(path) || seen.has(path)) continue;
      seen.add(path);
      waiting.push(path);
    }
  }
  return statuses;
}

const refused = (statuses: readonly number[]): number => statuses.filter((status) => status === 429).length;

describe("robots that follow every facet", () => {
  it("share one budget, whatever their names and addresses, and visitors notice nothing", async () => {
    const robots = [
      { agent: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", address: "192.0.2.1" },
      { agent: "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", address: "192.0.2.2" },
      { agent: "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (compatible; Bytespider)", address: "192.0.2.3" },
    ];
    const telephone = "Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36";
    const visitors = [visitor("198.51.100.1"), visitor("198.51.100.2", telephone)];
    const [visited, ...crawled] = await Promise.all([
      Promise.all(visitors.map((each) => crawl("/collection/search/object", each, FACETS / 2))),
      ...robots.map((robot) => crawl("/collection/search/object", robot, ROBOTS)),
    ]);
    expect(refused(visited.flat())).toBe(0);
    expect(visited.flat()).toHaveLength(FACETS);
    const all = crawled.flat();
    expect(all.filter((status) => status === 200)).toHaveLength(ROBOTS);
    expect(refused(all)).toBe(all.length - ROBOTS);
    expect(refused(all)).toBeGreaterThan(0);
    const { status, text } = await read("/collection/search/object.csv", robots[0]!);
    expect([status, text]).toEqual([429, expect.stringContaining(`All robots together may send ${ROBOTS} requests`)]);
    for (const path of ["/collection/object/1", "/collection/sitemap.xml", "/collection/robots.txt"])
      expect((await read(path, robots[0]!)).status).toBe(200);
  });

  it("under a browser's name have a client's budget for narrowed lists, which plain searches do not use up", async () => {
    const robot = visitor("203.0.113.1");
    const statuses = await crawl("/collection/search/object", robot, 2 * FACETS);
    expect(refused(statuses)).toBeGreaterThan(0);
    expect((await read("/collection/search/object?text=thing", robot)).status).toBe(200);
    const narrowed = `/collection/search/object?madeOf=${encodeURIComponent(`${BASE}/material/1`)}`;
    expect((await read(narrowed, robot)).status).toBe(429);
    const questioned = narrowed.replace("?", "?text=who?&");
    expect((await read(questioned, robot)).status).toBe(429);
    expect((await read(narrowed, visitor("203.0.113.2"))).status).toBe(200);
  });
});

describe("a robot", () => {
  it("is recognized by its user agent, and is limited in lists but not in entities", () => {
    const handler = new Handler({ ...DEFAULT_SETTINGS, ...serverOptions({ store: service.store }) });
    const costOf = (path: string, agent?: string): Cost => {
      const given = { method: "GET", url: `/collection${path}`, headers: { "user-agent": agent } };
      const request = Object.assign(new IncomingMessage(new Socket()), given);
      return handler.exchangeOf(request, new ServerResponse(request)).cost;
    };
    const robots = [
      "Googlebot/2.1 (+http://www.google.com/bot.html)",
      "Mozilla/5.0 (compatible; YandexBot/3.0)",
      "Mozilla/5.0 (compatible; Baiduspider/2.0)",
      "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
      "CCBot/2.0 (https://commoncrawl.org/faq/)",
      "Mozilla/5.0 (compatible; Yahoo! Slurp)",
      "ia_archiver",
      "facebookexternalhit/1.1",
      "meta-externalagent/1.1",
      "Scrapy/2.11 (+https://scrapy.org)",
      "SomeCrawler",
    ];
    const others = [
      VISITOR,
      "Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36",
      "curl/8.5.0",
      "python-requests/2.32",
      "OpenRefine/3.6.2",
      "Botticelli reader/1.0",
      "",
      undefined,
    ];
    for (const agent of robots) {
      for (const path of [
        "/search/all",
        "/search/all/facets",
        "/browse/object",
        "/search/object.csv",
        "/referring?uri=x",
      ])
        expect([agent, path, costOf(path, agent)]).toEqual([agent, path, "robot"]);
      expect(costOf("/object/1", agent)).toBe("entity");
    }
    for (const agent of others) expect([agent, costOf("/search/all", agent)]).toEqual([agent, "search"]);
  });
});

describe("a client's default budget", () => {
  it("does not apply to private addresses, which many clients share behind a proxy", async () => {
    const limits = new RateLimits({}, "seed");
    const count = async (client: string): Promise<number> => {
      const waits = await Promise.all(Array.from({ length: 700 }, () => limits.secondsToWait("facet", client)));
      return waits.filter((seconds) => seconds > 0).length;
    };
    for (const client of ["127.0.0.1", "10.1.2.3", "172.20.0.1", "192.168.0.7", "0:0:0:0::/64", "fd12:3:4:5::/64"])
      expect([client, await count(client)]).toEqual([client, 0]);
    for (const client of ["192.0.2.1", "172.32.0.1", "2001:db8:0:0::/64"])
      expect([client, await count(client)]).toEqual([client, 100]);
    expect(await count("robot")).toBe(100);
    const given = new RateLimits({ facet: 1 }, "seed");
    expect(await given.secondsToWait("facet", "127.0.0.1")).toBe(0);
    expect(await given.secondsToWait("facet", "127.0.0.1")).toBeGreaterThan(0);
  });
});

describe("lists", () => {
  it("mark links to narrower lists and further pages as nofollow, and robots.txt disallows all of them", async () => {
    const { text: rules } = await read("/collection/robots.txt", visitor("203.0.113.9"));
    const disallowed = [...rules.matchAll(/^Disallow: (.+)$/gm)].map(([, path]) => path!);
    const { text } = await read("/collection/search/object?text=thing", visitor("203.0.113.9"));
    const lists = anchorsIn(text).filter(({ path }) => path.includes("/search/") && path.includes("?"));
    expect(lists.length).toBeGreaterThan(5);
    for (const { path, isFollowed } of lists) {
      expect([path, isFollowed]).toEqual([path, false]);
      expect(disallowed.some((each) => path.startsWith(each))).toBe(true);
    }
  });

  it("that are narrowed six times offer no further narrowing", async () => {
    const material = `madeOf=${encodeURIComponent(`${BASE}/material/1`)}`;
    const narrower = async (times: number): Promise<number> => {
      const query = Array(times).fill(material).join("&");
      const { text } = await read(`/collection/search/object?${query}`, visitor("203.0.113.8"));
      return anchorsIn(text).filter(
        ({ path }) => path.split("madeOf=").length > times + 1 || path.includes("classifiedAs="),
      ).length;
    };
    expect(await narrower(5)).toBeGreaterThan(0);
    expect(await narrower(6)).toBe(0);
  });
});
