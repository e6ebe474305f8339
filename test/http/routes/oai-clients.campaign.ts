/** OAI-PMH with the clients of others: the validator of openarchives.org, and Debian's HTTP::OAI, which harvests during loads. */
import { execFile, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { inFile } from "../../cli/in-file.js";
import { run, runApart, serve } from "../../cli/run.js";
import { timesOf } from "../../extent.js";
import { freePort } from "../../free-port.js";
import { startedForAll } from "../../started.js";
import { temporaryFolder } from "../../temporary-folder.js";

const VALIDATOR = "../shared/outside/oai";
const hasPerl = (module: string) => spawnSync("perl", [`-M${module}`, "-e", "1"]).status === 0;
const HAS_VALIDATOR =
  existsSync(VALIDATOR) &&
  spawnSync("perl", [`-I${VALIDATOR}/lib`, "-MHTTP::OAIPMH::Validator", "-e", "1"]).status === 0;
const HAS_HARVESTER = hasPerl("HTTP::OAI");
if (!HAS_VALIDATOR) console.warn(`OAI-PMH is not validated: ${VALIDATOR} or a Perl module that it needs is missing`);
if (!HAS_HARVESTER) console.warn("OAI-PMH is not harvested: libhttp-oai-perl is not installed");

/** The harvester's program: it prints each record of a list, its identifier and the length of its metadata, or that it is deleted. */
const HARVESTER = `
use HTTP::OAI;
my ($url, $prefix, $from) = @ARGV;
my $harvester = HTTP::OAI::Harvester->new(baseURL => $url);
my $list = $harvester->ListRecords(metadataPrefix => $prefix, $from ? (from => $from) : (), onRecord => sub {
  my $record = shift;
  print $record->identifier, "\\t", $record->is_deleted ? "deleted" : length($record->metadata->dom->toString), "\\n";
});
die $list->message if $list->is_error && !grep { $_->code eq "noRecordsMatch" } $list->errors;
`;

const folder = temporaryFolder();
const store = join(folder, "store");
const service = startedForAll(async () => {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}/`;
  await run(["load", "data/records", "--store", store, "--base-url", base, "--source", "sample"]);
  await run(["delete", "object/mona-lisa", "--store", store]);
  const settings = inFile({ publisher: "A museum", contact: "data@museum.org" });
  return serve(["--port", String(port), "--store", store, ...settings, "--sparql-access", "off"]);
});

async function perl(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("perl", args, { maxBuffer: 2 ** 28 });
  return stdout;
}

/** The result of a harvest: the length of each record by its IRI, or `deleted`. */
async function harvested(prefix: string, from = ""): Promise<ReadonlyMap<string, string>> {
  const lines = (await perl("-e", HARVESTER, `${service.url}/oai`, prefix, from)).split("\n").filter(Boolean);
  return new Map(lines.map((line) => line.split("\t") as [string, string]));
}

async function exported(): Promise<readonly string[]> {
  const { stdout } = await run(["export", "--store", store, "--format", "jsonl"]);
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { id: string }).id)
    .sort();
}

it.skipIf(!HAS_VALIDATOR)("the validator of openarchives.org finds the endpoint compliant", async () => {
  const report = await perl(`-I${VALIDATOR}/lib`, `${VALIDATOR}/examples/oaipmh-validator.pl`, `${service.url}/oai`);
  expect(report.split("\n").filter((line) => /^(?:FAIL|WARN)/.test(line))).toEqual([]);
  expect(report).toContain("is COMPLIANT");
});

it.skipIf(spawnSync("xmllint", ["--version"]).status !== 0)("every list is well-formed XML", async () => {
  for (const query of [
    "verb=Identify",
    "verb=ListSets",
    ...["oai_dc", "edm", "rdf"].map((prefix) => `verb=ListRecords&metadataPrefix=${prefix}`),
  ]) {
    const xml = await (await fetch(`${service.url}/oai?${query}`)).text();
    const { status, stderr } = spawnSync("xmllint", ["--noout", "-"], { input: xml, encoding: "utf8" });
    expect([query, status, stderr]).toEqual([query, 0, ""]);
  }
});

describe.skipIf(!HAS_HARVESTER)("a harvester", () => {
  it("gets all records in each format, and the deletions", async () => {
    const all = await harvested("oai_dc");
    expect(
      [...all]
        .filter(([, what]) => what !== "deleted")
        .map(([iri]) => iri)
        .sort(),
    ).toEqual(await exported());
    expect(all.get(`${service.url}/object/mona-lisa`)).toBe("deleted");
    const objects = [...all.keys()].filter((iri) => iri.includes("/object/"));
    expect([...(await harvested("edm")).keys()].sort()).toEqual(objects.sort());
    expect((await harvested("rdf")).size).toBe(all.size);
  });

  it("that harvests while others load ends with the records of an export", async () => {
    const held = new Map<string, string>();
    let from = "";
    const take = async () => {
      // A harvester asks for changes since the date of its last answer, which is that of the last change while a load runs.
      const [, asked] = /<responseDate>(.*?)</.exec(await (await fetch(`${service.url}/oai?verb=Identify`)).text())!;
      for (const [iri, what] of await harvested("oai_dc", from)) {
        if (what === "deleted") held.delete(iri);
        else held.set(iri, what);
      }
      from = asked!;
    };
    let isLoading = true;
    const loads = (async () => {
      for (let round = 0; round < timesOf(4, 2); round++) {
        const documents = Array.from({ length: 400 }, (_, at) => ({
          "@context": "https://linked.art/ns/v1/linked-art.json",
          id: `object/${round * 200 + at}`,
          type: "HumanMadeObject",
          _label: `Round ${round}`,
        }));
        const path = join(folder, `round-${round}.jsonl`);
        writeFileSync(path, documents.map((each) => `${JSON.stringify(each)}\n`).join(""));
        await runApart(["load", path, "--store", store, "--on-invalid", "accept"]);
        await runApart(["delete", `object/${round * 200 + 1}`, "--store", store]);
      }
    })().finally(() => {
      isLoading = false;
    });
    while (isLoading) await take();
    await loads;
    await take();
    expect([...held.keys()].sort()).toEqual(await exported());
    const anew = [...(await harvested("oai_dc"))].filter(([, what]) => what !== "deleted");
    expect(held).toEqual(new Map(anew));
  });
});
