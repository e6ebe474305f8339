/** A site of the sample by every host: its links, by our walk and by npm's `linkinator`, copies of it, its pages in a browser; and builds that are killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { timesOf } from "../../extent.js";
import { areSound, CHROMIUM } from "../../http/pages/browsing.js";
import { KINDS } from "../../http/pages/kinds.js";
import { installed } from "../../packages.js";
import { randomFrom, seedOf } from "../../random.js";
import { start, until } from "../built.js";
import { browsedSite } from "./browsed-site.js";
import { HOSTS } from "./hosts.js";
import {
  BASE,
  build,
  buildingLine,
  DELETED,
  expectFollowed,
  expectSame,
  filesOf,
  NOWHERE,
  PATH,
  type SampleSite,
  sampleSite,
  walked,
} from "./sample-site.js";

const LOST = [...NOWHERE, ...DELETED];
const LINKINATOR = await installed("linkinator");

let sample: SampleSite;
beforeAll(async () => {
  sample = await sampleSite([""], DELETED);
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

describe.each(Object.entries(HOSTS))("by %s", (_name, begin) => {
  it.skipIf(begin === undefined)(
    "every link leads somewhere, as a link checker of others finds, and all is copied",
    async () => {
      const host = await begin!(sample.www, PATH);
      const { seen, broken } = await walked(host);
      expect(seen).toBeGreaterThan(3_000);
      expect(broken).toEqual(LOST.map((path) => `${PATH}${path}: 404`));
      await expectFollowed(host, sample);
      const root = `http://127.0.0.1:${host.port}`;
      const links = LINKINATOR === undefined ? [] : await linksOf(root);
      // In the page for what is missing, it takes the link to the content for one to the missing page with a slash.
      const wrong = links.flatMap(({ url, state }) =>
        state === "BROKEN" ? url.slice((root + PATH).length).replace(/\/$/, "") : [],
      );
      expect([...new Set(wrong)].sort()).toEqual(LOST);
      expect(links.filter(({ state }) => state === "OK").length).toBeGreaterThan(3_000);
      await host.stop();
    },
  );
});

it("goes on after each kill, and is in the end what one build gives", async () => {
  const broken = join(sample.folder, "broken");
  const random = randomFrom(seedOf("site"));
  const whole = filesOf(sample.site).length;
  for (let at = 0; at < timesOf(20, 3); at++) {
    const files = Math.floor(random() * whole);
    const building = start(buildingLine(sample.store, broken));
    await until(() => building.process.exitCode !== null || (existsSync(broken) && filesOf(broken).length >= files));
    building.process.kill("SIGKILL");
    await building.ended;
  }
  expect((await build(sample.store, broken)).status).toBe(0);
  expectSame(broken, sample.site);
});

it.skipIf(CHROMIUM === undefined)(
  "is accessible, silent and no wider than the window on every kind of page (skipped: there is no Chromium)",
  async () => {
    const site = await browsedSite();
    const own = KINDS.filter((path) => !/search|related|sparql|no\/such|problems/.test(path));
    const searches = ["/search/?text=rembrandt", "/search/?text=zzzqqq"];
    await areSound(site, { colorScheme: "dark", width: 320 }, [...own, ...searches, "/dumps/"]);
    await site.stop();
  },
);
