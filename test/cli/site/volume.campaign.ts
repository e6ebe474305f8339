/** A very long list of files, and a site of 20,000 records of a museum: its links, a second build, and the build after 100 changes, whose times are printed. */
import { constants } from "node:buffer";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { SiteFiles } from "../../../src/cli/site/site-files.js";
import { timesOf } from "../../extent.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { run } from "../run.js";
import { plain } from "./hosts.js";
import { BASE, PATH, walked } from "./sample-site.js";

it("a list of a site's files is written and read that is longer than a string can be", () => {
  const folder = temporaryFolder(onTestFinished);
  const page = { tag: '"page"', content: "a page" };
  const sought = { url: "/", content: "x".repeat(constants.MAX_STRING_LENGTH / 2), language: "en" };
  const about = { ...page, sought: { ...sought, meta: {}, filters: {}, sort: {} } };
  const first = new SiteFiles(folder, "edition");
  for (const name of ["a", "b"]) first.write(`object/${name}.html`, about, `object/${name}`);
  first.end(1, "mark");
  const next = new SiteFiles(folder, "edition");
  expect(next.last?.sequence).toBe(1);
  for (const name of ["a", "b"]) expect(next.keepAll(`object/${name}`, [".html"])).toBe(true);
});

const VOLUME = "../shared/volume/cma.jsonl.gz";
if (!existsSync(VOLUME)) console.warn(`no large site is built: ${VOLUME} is not there`);

const RECORDS = timesOf(20_000, 400);
const CHANGED = RECORDS / 200;

it.skipIf(!existsSync(VOLUME))(
  `a site of ${RECORDS} records has sound links and is built again where it differs`,
  async () => {
    const folder = temporaryFolder(onTestFinished);
    const [store, input, www] = ["store", "records.jsonl", "www"].map((name) => join(folder, name));
    const site = join(www!, PATH);
    const records = gunzipSync(readFileSync(VOLUME)).toString().split("\n", RECORDS);
    const own = records.map((record) => record.replaceAll("https://clevelandart.org/art/", BASE));
    const load = (lines: readonly string[]) => {
      writeFileSync(input!, lines.join("\n"));
      return run(["load", input!, "--store", store!, "--base-url", BASE, "--on-invalid", "accept"]);
    };
    const build = async (what: string) => {
      const { status, stderr } = await run(["site", site, "--store", store!]);
      console.log(`${what}: ${stderr.trim()}`);
      expect(status).toBe(0);
      return Number(/^([\d,]+) files? written/.exec(stderr)![1]!.replaceAll(",", ""));
    };
    await load(own);
    const all = await build("the first build");
    expect(await build("without changes")).toBe(0);
    await load(own.slice(-CHANGED).map((record) => record.replace('"_label":"', '"_label":"Changed: ')));
    expect(await build(`after ${CHANGED} changes`)).toBeLessThan(all / 10);
    const host = await plain(www!);
    const { seen, broken } = await walked(host);
    await host.stop();
    expect(seen).toBeGreaterThan(RECORDS * 8);
    // The makers have no records.
    expect(broken.filter((each) => !each.startsWith(`${PATH}actor/`))).toEqual([]);
  },
);
