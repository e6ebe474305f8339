/** An engine run by the service: if it is not installed, and a query that comes too late. The campaign of this name tests Virtuoso. */
import { expect, it } from "vitest";
import { ensureInstalled } from "../../../src/query/open.js";
import { ask, objects, publish, testStore } from "../records.js";
import { managed } from "./managed.js";

it("the error for an engine that is not installed names its package", async () => {
  const { PATH } = process.env;
  process.env.PATH = "/nowhere";
  try {
    await expect(ensureInstalled("virtuoso")).rejects.toThrow(
      "virtuoso-t is not installed: apt-get install virtuoso-opensource-7-bin",
    );
  } finally {
    process.env.PATH = PATH;
  }
});

it("an engine starts no process for a query of named graphs that comes while it closes", async () => {
  const there = await testStore();
  try {
    await publish(there.store, objects(1));
    const engine = managed(there);
    await engine.close();
    const asked = ask(engine, "SELECT * FROM <http://x.example/object/1> { ?s ?p ?o }");
    await expect(asked).rejects.toThrow("The service is closing.");
  } finally {
    await there.remove();
  }
});
