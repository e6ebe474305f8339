/** A site of the sample, for tests: built, compared file by file, and walked by its links. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect } from "vitest";
import { unescapeHtml } from "../../../src/base/html.js";
import { inFile } from "../in-file.js";
import { type Outcome, run, runApart } from "../run.js";
import type { Host } from "./hosts.js";

/** The path under which a site lies, and its base URL. */
export const PATH = "/collection/";
export const BASE = `https://museum.example${PATH}`;

/** A IIIF Image service, which is asked for its parts, leads nowhere in a service either. */
export const NOWHERE = ["images/chi-rho-page"];

/** Records that are deleted: what names them leads nowhere in a service either. */
export const DELETED = ["object/night-watch", "set/paintings-by-vermeer"];

/** A store of the sample with a dump, and the site that is built of it. */
export interface SampleSite {
  readonly folder: string;
  readonly store: string;
  /** The folder that hosts serve, and the site in it. */
  readonly www: string;
  readonly site: string;
  remove(): void;
}

/** What a command line says to build the site of a store. */
export function buildingLine(store: string, to: string): readonly string[] {
  return ["site", to, "--store", store, "--images", "data/images", ...inFile({ title: "A museum" })];
}

/** Build the site of a store. */
export function build(store: string, to: string): Promise<Outcome> {
  return run(buildingLine(store, to));
}

/** Load the sample, or some of its records by their paths, delete others, and build its site. */
export async function sampleSite(
  records: readonly string[] = [""],
  deleted: readonly string[] = [],
): Promise<SampleSite> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-site-"));
  const [store, www] = [join(folder, "store"), join(folder, "www")];
  const site = join(www, "collection");
  await run(["load", ...records.map((path) => join("data/records", path)), "--store", store, "--base-url", BASE]);
  if (deleted.length > 0) await run(["delete", ...deleted, "--store", store]);
  await run(["dump", "--store", store]);
  const built = await build(store, site);
  expect([built.status, built.stderr]).toEqual([0, expect.stringMatching(/files written, 0 unchanged, 0 removed/)]);
  // For servers that are not this user.
  await chmod(folder, 0o755);
  return { folder, store, www, site, remove: () => rmSync(folder, { recursive: true }) };
}

/** A record by its name, which is its IRI or what follows the base URL. */
export type SmallRecord = Readonly<Record<string, unknown>> & { readonly name: string };

/** Load records into a store of their own, and build its site: objects, unless they say otherwise. */
export async function siteOf(folder: string, records: readonly SmallRecord[], base = BASE) {
  const [store, www, input] = [join(folder, "store"), join(folder, "www"), join(folder, "records.jsonl")];
  const site = join(www, new URL(base).pathname);
  const load = (more: readonly SmallRecord[]): Promise<Outcome> => {
    const documents = more.map(({ name, ...members }) => ({
      "@context": "https://linked.art/ns/v1/linked-art.json",
      id: new URL(name, base).href === name ? name : base + name,
      type: "HumanMadeObject",
      _label: name,
      ...members,
    }));
    writeFileSync(input, documents.map((document) => JSON.stringify(document)).join("\n"));
    return run(["load", input, "--store", store, "--on-invalid", "accept", "--base-url", base]);
  };
  const again = (): Promise<Outcome> => run(["site", site, "--store", store]);
  mkdirSync(folder, { recursive: true });
  await load(records);
  return { ...(await again()), store, www, site, load, again };
}

/** Every file of a folder but for what a build keeps for itself. */
export function filesOf(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith(".vitrine-site"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

/** Whether two builds are of the same files; but pagefind writes the same index in any order, and names its files by that. */
export function expectSame(one: string, other: string): void {
  const [files, others] = [one, other].map((root) =>
    filesOf(root).filter((file) => !/^pagefind\/(?!fragment\/)/.test(file)),
  );
  expect(files).toEqual(others);
  const differing = files!.filter((file) => !readFileSync(join(one, file)).equals(readFileSync(join(other, file))));
  expect(differing).toEqual([]);
}

/** Follow every link of every page that a host serves. @returns how many there are, and those that lead nowhere */
export async function walked({ port }: Host): Promise<{ readonly seen: number; readonly broken: readonly string[] }> {
  const seen = new Set<string>();
  const broken: string[] = [];
  const waiting = [PATH];
  const visit = async (path: string): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: "text/html,*/*;q=0.8" } });
    const body = await answer.text();
    if (answer.status !== 200) broken.push(`${path}: ${answer.status}`);
    if (answer.headers.get("content-type")?.startsWith("text/html") !== true) return;
    for (const [, link] of body.matchAll(/\b(?:href|src)="([^"]+)"/g)) {
      const url = new URL(unescapeHtml(link!), answer.url);
      if (url.host === new URL(BASE).host || url.port === String(port)) waiting.push(url.pathname + url.search);
    }
  };
  while (waiting.length > 0) {
    const next = [...new Set(waiting.splice(0))].filter((path) => !seen.has(path));
    for (const path of next) seen.add(path);
    for (let at = 0; at < next.length; at += 16) await Promise.all(next.slice(at, at + 16).map(visit));
  }
  return { seen: seen.size, broken: broken.sort() };
}

/** Copy a site from its host, by its change stream, and compare: the copy has the same records as the store. */
export async function expectFollowed({ port }: Host, { folder, store }: SampleSite): Promise<void> {
  const copy = join(folder, `copy-${port}`);
  await runApart([
    ...["follow", `http://127.0.0.1:${port}${PATH}activity.json`],
    ...["--store", copy, "--base-url", BASE],
  ]);
  const exported = async (directory: string) =>
    (await run(["export", "--store", directory])).stdout
      .split("\n")
      .filter((line) => !line.startsWith("#"))
      .sort();
  expect(await exported(copy)).toEqual(await exported(store));
}
