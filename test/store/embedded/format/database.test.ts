import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { openEnvironment } from "../../../../src/store/embedded/format/database.js";
import { RECORDS } from "../../../../src/store/embedded/format/files.js";
import { StoreMissingError } from "../../../../src/store/errors.js";

const folder = mkdtempSync(join(tmpdir(), "vitrine-database-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([true, false])("opening a database does not create its folder if that is gone (read-only: %s)", (readOnly) => {
  const store = join(folder, "gone");
  expect(() => openEnvironment(join(store, RECORDS), readOnly)).toThrow(StoreMissingError);
  expect(existsSync(store)).toBe(false);
});
