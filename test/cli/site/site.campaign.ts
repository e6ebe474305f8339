/** A site of the sample by every host: its links, by our walk and by npm's `linkinator`, and copies of it; and builds that are killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IS_SHORT, timesOf } from "../../extent.js";
import { IiifHarvester, LuxHarvester } from "../../harvest/harvesters.js";
import { installed } from "../../packages.js";
import { randomFrom, seedOf } from "../../random.js";
import { start } from "../built.js";
import { run } from "../run.js";
import { HOSTS, type Host } from "./hosts.js";
import {
  BASE,
  build,
  buildingLine,
  DELETED,
  expectFollowed,
  expectSame,
  NOWHERE,
  PATH,
  type SampleSite,
  sampleSite,
  walked,
} from "./sample-site.js";

const LOST = [...NOWHERE, ...DELETED];
const LINKINATOR = await installed("linkinator");

/** The host that cannot choose by `Accept`. In the short form, `linkinator` checks the links of this one alone, which takes as long as our walk by all hosts. */
const PLAIN = "a plain server";

let sample: SampleSite;
/** Milliseconds that all that comes before a whole site takes, and its build. */
let built: number;
beforeAll(async () => {
  const begun = performance.now();
  sample = await sampleSite([""], DELETED);
  built = performance.now() - begun;
});
afterAll(() => sample.remove());

/**
 * What `linkinator` says of a site: few requests at once, for it takes its own slowness for the host's. It writes to a
 * file, for it ends with `process.exit`, which cuts off what a pipe has not taken yet. A timer keeps it alive: a timer
 * of its own that fires a millisecond early would leave it with requests to send and nothing to wait for.
 */
async function linksOf(root: string): Promise<readonly { readonly url: string; readonly state: string }[]> {
  const report = join(sample.folder, "links.json");
  const file = await open(report, "w");
  const checker = spawn(
    process.execPath,
    [
      ...["--import", "data:text/javascript,setInterval(()=>{},1000)"],
      ...[join(LINKINATOR!, "linkinator/build/src/cli.js"), root + PATH, "--format", "json", "--skip", `^(?!${root}/)`],
      ...["--recurse", "--check-css", "--check-fragments", "--concurrency", "2", "--retry-errors"],
      ...["--url-rewrite-search", `^${new URL(BASE).origin}/`, "--url-rewrite-replace", `${root}/`],
    ],
    { stdio: ["ignore", file.fd, "inherit"] },
  );
  const [status] = await once(checker, "exit");
  await file.close();
  // 1: some links are broken.
  expect([0, 1]).toContain(status);
  return JSON.parse(readFileSync(report, "utf8")).links;
}

describe.each(Object.entries(HOSTS))("by %s", (name, begin) => {
  let host: Host;
  beforeAll(async () => {
    if (begin !== undefined) host = await begin(sample.www, PATH);
    return () => host?.stop();
  });

  it.skipIf(begin === undefined)("every link leads somewhere, and all is copied", async () => {
    const { seen, broken } = await walked(host);
    expect(seen).toBeGreaterThan(3_000);
    expect(broken).toEqual(LOST.map((path) => `${PATH}${path}: 404`));
    await expectFollowed(host, sample);
  });

  it.skipIf(begin === undefined || name === PLAIN)("harvesters of others get every record", async () => {
    const [{ origin }, headers] = [new URL(BASE), { accept: "application/ld+json" }];
    const ask = async (url: string): Promise<unknown> => {
      const answer = await fetch(url.replace(origin, `http://127.0.0.1:${host.port}`), { headers });
      return answer.ok ? answer.json() : undefined;
    };
    const { stdout } = await run(["export", "--store", sample.store, "--format", "jsonl"]);
    const documents = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const records = new Map(documents.map((document) => [document.id, JSON.stringify(document)]));
    for (const Harvester of [LuxHarvester, IiifHarvester]) {
      const harvester = new Harvester(`${BASE}activity.json`, ask);
      await harvester.visit();
      expect(harvester.copy).toEqual(records);
    }
  });

  it.skipIf(begin === undefined || LINKINATOR === undefined || (IS_SHORT && name !== PLAIN))(
    "every link leads somewhere, as a link checker of others finds",
    async () => {
      const root = `http://127.0.0.1:${host.port}`;
      const links = await linksOf(root);
      // In the page for what is missing, it takes the link to the content for one to the missing page with a slash.
      const wrong = links.flatMap(({ url, state }) =>
        state === "BROKEN" ? url.slice((root + PATH).length).replace(/\/$/, "") : [],
      );
      expect([...new Set(wrong)].sort()).toEqual(LOST);
      expect(links.filter(({ state }) => state === "OK").length).toBeGreaterThan(3_000);
    },
  );
});

it("goes on after each kill, and is in the end what one build gives", async () => {
  const broken = join(sample.folder, "broken");
  const random = randomFrom(seedOf("site"));
  for (let at = 0; at < timesOf(20, 2); at++) {
    const building = start(buildingLine(sample.store, broken));
    await Promise.race([building.ended, sleep(random() * built)]);
    building.process.kill("SIGKILL");
    await building.ended;
  }
  expect((await build(sample.store, broken)).status).toBe(0);
  expectSame(broken, sample.site);
});
