/** Virtuoso run by the service: if it is not installed, if it refuses records, and a query that comes too late. The campaign of this name tests more. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { EngineAccess } from "../../../src/engine/engine-access.js";
import { ensureInstalled } from "../../../src/query/open.js";
import { RDFS_LABEL } from "../../../src/rdf/terms.js";
import { ask, object, objects, publish, testStore } from "../records.js";
import { HAS_VIRTUOSO } from "../remote/virtuoso.js";
import { addressesOf, inStep, managed } from "./managed.js";

it("the error for an engine that is not installed names its package", async () => {
  const { PATH } = process.env;
  process.env.PATH = "/nowhere";
  using _ = { [Symbol.dispose]: () => (process.env.PATH = PATH) };
  await expect(ensureInstalled("virtuoso")).rejects.toThrow(
    "virtuoso-t is not installed: apt-get install virtuoso-opensource-7-bin",
  );
});

it("an engine starts no process for a query of named graphs that comes while it closes", async () => {
  const there = await testStore();
  await using _ = { [Symbol.asyncDispose]: () => there.remove() };
  await publish(there.store, objects(1));
  const engine = managed(there);
  await engine.close();
  const asked = ask(engine, "SELECT * FROM <http://x.example/object/1> { ?s ?p ?o }");
  await expect(asked).rejects.toThrow("The service is closing.");
});

it.skipIf(!HAS_VIRTUOSO)(
  "Virtuoso reports records that its bulk loader refuses, and is compared (skipped: it is not installed)",
  async () => {
    const there = await testStore();
    onTestFinished(() => there.remove());
    const name = 'first\u000Bsecond, "third"';
    await publish(there.store, [...objects(20), object(21, name)]);
    const { PATH } = process.env;
    // Virtuoso's own client, with a line of its output about a file replaced by an error.
    const program = join(there.directory, "isql-vt");
    const real = execFileSync("which", ["isql-vt"], { encoding: "utf8" }).trim();
    const refusing = `sed -u 's/^\\(callret\\|concat\\|VARCHAR\\).*/REFUSED syntax error/'`;
    writeFileSync(program, `#!/bin/sh\n${real} "$@" | ${refusing}\n`, { mode: 0o755 });
    process.env.PATH = `${there.directory}:${PATH}`;
    const reports: string[] = [];
    const engine = managed(there, { report: (message) => reports.push(message) });
    await inStep(engine, there).finally(() => {
      process.env.PATH = PATH;
    });
    expect(reports).toEqual([
      "the query engine did not load all records: REFUSED syntax error; comparing it with the store",
    ]);
    expect(JSON.parse((await ask(engine, "ASK { ?s ?p ?o }")).text)).toMatchObject({ boolean: true });
    const named = await ask(engine, `SELECT ?name { ?s <${RDFS_LABEL}> ?name FILTER(CONTAINS(?name, "third")) }`);
    expect(JSON.parse(named.text).results.bindings).toMatchObject([{ name: { value: name } }]);
    // By default Virtuoso sorts at most 10,000 rows for a LIMIT.
    await ask(engine, "SELECT ?s { ?s ?p ?o } ORDER BY ?s LIMIT 20000");
    // Whatever clients might ask, their user can change nothing, and reads only the records.
    const addresses = addressesOf(there);
    using reader = new EngineAccess({ ...addresses, credentials: addresses.reader }, 60_000);
    const update = "CLEAR GRAPH <urn:vitrine:records>";
    await expect(reader.update(update)).rejects.toThrow("No permission");
    await expect(reader.select(`SELECT (<bif:exec>("sparql ${update}") AS ?x) {}`)).rejects.toThrow("No permission");
    const graphOf = "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } FILTER(STRSTARTS(STR(?g), 'urn:vitrine:')) }";
    using writer = new EngineAccess(addresses, 60_000);
    expect((await writer.select(graphOf)).rows).toHaveLength(2);
    expect((await reader.select(graphOf)).rows.map(({ g }) => g!.value)).toEqual(["urn:vitrine:records"]);
    await engine.close();
  },
);
