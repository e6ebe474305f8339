import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { PassedOn } from "../../../src/http/sparql/local-socket.js";

const folder = mkdtempSync(join(tmpdir(), "vitrine-passed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("says that an index in a process that is gone is unreachable, so that entities are served", async () => {
  const passed = new PassedOn(join(folder, "queries"), "https://museum.example", []);
  expect(await passed.index()).toMatchObject({ state: "unreachable", done: 0, total: 0 });
  passed.close();
});
