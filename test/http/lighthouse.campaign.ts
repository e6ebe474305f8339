/** Lighthouse 13 on pages of the built service and of a site of files. It needs Node 22 or newer, which is installed with it. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROGRAM as VITRINE } from "../../src/cli/main/command.js";
import { type Built, startServing } from "../cli/built.js";
import { type Host, plain } from "../cli/site/hosts.js";
import { IS_SHORT, timesOf, unobserved } from "../extent.js";
import { freePort } from "../free-port.js";
import { installed } from "../packages.js";
import { temporaryFolder } from "../temporary-folder.js";
import { CHROMIUM } from "./pages/browsing.js";

const run = promisify(execFile);

const MODULES = CHROMIUM === undefined ? undefined : await installed("lighthouse");

/** Lists and the editor are closed to robots, which costs them most of Lighthouse's SEO score. */
const PAGES: readonly (readonly [name: string, path: string, isFound: boolean])[] = [
  ["home", "/", true],
  ["an object", "/object/night-watch", true],
  ["a Set", "/set/mauritshuis-collection", true],
  ["a list", "/browse/object", false],
  ["a search", "/search/all?text=rembrandt", false],
  ["the editor", "/sparql", false],
  ["a site's home", "SITE/", true],
  ["a site's object", "SITE/object/night-watch/", true],
  ["a site's list", "SITE/browse/object/", false],
  ["a site's search", "SITE/search/?text=rembrandt", false],
];
const IN_SHORT = ["home", "an object", "a site's object"];
/** The short form shares the machine with other campaigns, which make every page slow: it leaves out how fast they are. */
const CATEGORIES = ["accessibility", "best-practices", "seo", ...(IS_SHORT ? [] : ["performance"])];

/** From 0 to 100. */
type Scores = Readonly<Record<"performance" | "accessibility" | "best-practices" | "seo", number>>;

describe.skipIf(MODULES === undefined)("Lighthouse (skipped: there is no Chromium, or npm does not install it)", () => {
  const folder = temporaryFolder();
  let service: Built & { readonly url: string };
  let site: Host;

  beforeAll(async () => {
    const sample = ["--load", "data/records", "--images", "data/images"];
    service = await startServing(["--store", join(folder, "store"), ...sample]);
    await service.told(/index for SPARQL is ready/);
    const port = await freePort();
    const base = `http://localhost:${port}/collection/`;
    const www = join(folder, "www");
    const store = ["--store", join(folder, "store-of-site")];
    await run(process.execPath, [VITRINE, "load", "data/records", ...store, "--base-url", base]);
    await run(process.execPath, [VITRINE, "site", join(www, "collection"), ...store, "--images", "data/images"]);
    site = await plain(www, "/collection/", port);
  });
  afterAll(async () => {
    await site?.stop();
    service?.process.kill();
    await service?.ended;
  });

  async function measured(path: string): Promise<{ readonly scores: Scores; readonly failed: readonly string[] }> {
    const file = join(folder, "report.json");
    const flags = [
      ...["--quiet", "--output=json", `--output-path=${file}`, "--chrome-flags=--headless=new --no-sandbox"],
      `--only-categories=${CATEGORIES.join()}`,
    ];
    const env = { ...unobserved(process.env), CHROME_PATH: CHROMIUM };
    // The address of the pictures in the records.
    const [, ofSite] = /^SITE(.*)/.exec(path) ?? [];
    const url =
      ofSite === undefined
        ? service.url.replace("127.0.0.1", "localhost") + path
        : `http://localhost:${site.port}/collection${ofSite}`;
    await run(join(MODULES!, "node/bin/node"), [join(MODULES!, "lighthouse/cli/index.js"), url, ...flags], {
      env,
      timeout: 240_000,
    });
    const { categories, audits } = JSON.parse(await readFile(file, "utf8")) as Report;
    const scores = Object.fromEntries(
      Object.entries(categories).map(([name, { score }]) => [name, Math.round(score * 100)]),
    );
    const failed = Object.values(categories).flatMap(({ auditRefs }) =>
      auditRefs.filter(({ id, weight }) => weight > 0 && audits[id]!.score === 0).map(({ id }) => id),
    );
    return { scores: scores as Scores, failed };
  }

  it.each(PAGES.filter(([name]) => !IS_SHORT || IN_SHORT.includes(name)))(
    "%s is fast, accessible and well made",
    async (name, path, isFound) => {
      // Other work on the machine makes a page slower, never faster.
      let best = await measured(path);
      for (let time = 1; time < timesOf(5, 1) && best.scores.performance < 98; time++) {
        const again = await measured(path);
        if (again.scores.performance > best.scores.performance) best = again;
      }
      const { scores, failed } = best;
      console.log(`lighthouse: ${name} ${JSON.stringify(scores)}`);
      const { accessibility, "best-practices": practices } = scores;
      expect({ accessibility, practices, ...(isFound && { seo: scores.seo }), failed }).toEqual({
        accessibility: 100,
        practices: 100,
        ...(isFound && { seo: 100 }),
        failed: isFound ? [] : failed.filter((id) => ["is-crawlable", "meta-description"].includes(id)),
      });
      if (!IS_SHORT) expect(scores.performance).toBeGreaterThanOrEqual(98);
    },
  );
});

interface Report {
  readonly categories: Readonly<
    Record<
      string,
      { readonly score: number; readonly auditRefs: readonly { readonly id: string; readonly weight: number }[] }
    >
  >;
  readonly audits: Readonly<Record<string, { readonly score: number | null }>>;
}
