/** A site of the sample and a hostile record in a browser, under a path of a plain server that sends the content policy. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { freePort } from "../../free-port.js";
import { type BrowsedSite, browse, hostileRecord } from "../../http/pages/browsing.js";
import { run } from "../run.js";
import { plain } from "./hosts.js";
import { build } from "./sample-site.js";

/** Build the site, serve it and open a browser. */
export async function browsedSite(): Promise<BrowsedSite> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-site-search-"));
  const port = await freePort();
  const base = `http://127.0.0.1:${port}/collection`;
  const hostile = join(folder, "hostile.json");
  writeFileSync(hostile, JSON.stringify(hostileRecord(`${base}/images/one`)));
  const [store, www] = [join(folder, "store"), join(folder, "www")];
  await run(["load", "data/records", hostile, "--store", store, "--on-invalid", "accept", "--base-url", `${base}/`]);
  await run(["dump", "--store", store]);
  expect((await build(store, join(www, "collection"))).stderr).toMatch(/^[\d,]+ files written/);
  const [, policy] = /Content-Security-Policy: (.*)/.exec(readFileSync(join(www, "collection/_headers"), "utf8"))!;
  const host = await plain(www, "/collection/", port, { "Content-Security-Policy": policy });
  return browse(base, async () => {
    await host.stop();
    rmSync(folder, { recursive: true });
  });
}
