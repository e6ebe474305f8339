import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openEnvironment } from "../../../../src/store/embedded/format/database.js";
import { RECORDS } from "../../../../src/store/embedded/format/files.js";
import { StoreMissingError } from "../../../../src/store/errors.js";
import { temporaryFolder } from "../../../temporary-folder.js";

const folder = temporaryFolder();

it.each([true, false])("opening a database does not create its folder if that is gone (read-only: %s)", (readOnly) => {
  const store = join(folder, "gone");
  expect(() => openEnvironment(join(store, RECORDS), readOnly)).toThrow(StoreMissingError);
  expect(existsSync(store)).toBe(false);
});
