/** Europeana's own rules for EDM: its XSD run by libxml2's xmllint, and its Schematron run by Saxon, both on files in a folder. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Publication } from "../../../src/http/entity/publication.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import type { StoreWith } from "../../../src/store/store.js";
import { temporaryFolder } from "../../temporary-folder.js";

const RULES = "../shared/outside/edm";
const SAXON = "/usr/share/java/Saxon-HE.jar";

/** The reason why nothing can be validated on this machine, or `undefined`. */
export const MISSING = [
  [existsSync(RULES), `${RULES} is not there`],
  [spawnSync("xmllint", ["--version"]).status === 0, "xmllint is not installed (libxml2-utils)"],
  [existsSync(SAXON) && spawnSync("java", ["-version"]).status === 0, "Saxon is not installed (libsaxonhe-java)"],
]
  .find(([isThere]) => isThere === false)?.[1]
  ?.toString();

/** The number of the documents, and what is wrong with each that fails, by its name. */
export async function failuresOf(
  documents: AsyncIterable<readonly [name: string, document: string]>,
): Promise<{ readonly documents: number; readonly failures: ReadonlyMap<string, readonly string[]> }> {
  const folder = temporaryFolder(onTestFinished);
  const names: string[] = [];
  for await (const [name, document] of documents) {
    await writeFile(join(folder, `${names.length}.xml`), document);
    names.push(name);
  }
  const failures = new Map<string, string[]>();
  const fail = (file: string, why: string): void => {
    const name = names[Number(file.replace(".xml", ""))]!;
    failures.set(name, [...(failures.get(name) ?? []), why]);
  };
  for (const [file, why] of ofSchema(folder)) fail(file, why);
  for (const [file, why] of ofSchematron(folder)) fail(file, why);
  return { documents: names.length, failures };
}

/** The EDM documents of all objects of a store, by IRI. */
export async function* edmOf(store: StoreWith<"lists">): AsyncIterable<readonly [string, string]> {
  const { baseUrl } = await store.stats();
  const contexts = [...(await store.contexts())];
  const { addresses, representations } = new Publication({ model: DEFAULT_MODEL, baseUrl: baseUrl!, contexts });
  const edm = representations.find(({ format }) => format === "edm")!;
  const context = { store, addresses, languages: [] };
  for await (const record of store.lists.records()) {
    if ((await edm.appliesTo!(record, context)) === false) continue;
    yield [record.graph.iri, String(await edm.write(record, context))];
  }
}

function* ofSchema(folder: string): Iterable<readonly [string, string]> {
  const files = readdirSync(folder);
  let validated = 0;
  for (let at = 0; at < files.length; at += 1_000) {
    const { stderr } = spawnSync(
      "xmllint",
      ["--noout", "--schema", `${process.cwd()}/${RULES}/EDM.xsd`, ...files.slice(at, at + 1_000)],
      { cwd: folder, encoding: "utf8", maxBuffer: 2 ** 30 },
    );
    for (const line of stderr.split("\n")) {
      const [, file, why] = /^(\d+\.xml):(?:\d+:)? (.*)$/.exec(line) ?? [];
      if (file !== undefined) yield [file, why!];
      if (/^\d+\.xml (?:validates|fails to validate)$/.test(line)) validated++;
    }
  }
  // A document that xmllint cannot even begin to read has not passed.
  if (validated !== files.length) throw new Error(`xmllint validated ${validated} of ${files.length} documents`);
}

function* ofSchematron(folder: string): Iterable<readonly [string, string]> {
  const stylesheet = `${process.cwd()}/${RULES}/schematron/schematron.xsl`;
  const files = readdirSync(folder);
  const out = `${folder}/svrl`;
  mkdirSync(out);
  const run = ["-cp", SAXON, "net.sf.saxon.Transform", `-s:${folder}`, `-xsl:${stylesheet}`, `-o:${out}`];
  const { status, stderr } = spawnSync("java", run, { encoding: "utf8", maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error(`Saxon: ${stderr}`);
  for (const file of files) {
    const report = readFileSync(join(out, file), "utf8");
    for (const [, failed] of report.matchAll(/<svrl:failed-assert[\s\S]*?<svrl:text>([\s\S]*?)<\/svrl:text>/g)) {
      yield [file, failed!.trim()];
    }
  }
}
