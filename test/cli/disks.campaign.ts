/** Loads that fill the disk of their store at each moment, and one that does not. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { HAS_SMALL_DISKS } from "../load/small-disk.js";
import { FILLINGS, fillDisk } from "./full-disk.js";

it.skipIf(!HAS_SMALL_DISKS).each(FILLINGS)("a disk of %i MiB, which is full %s", async (...filling) => {
  const temporary = mkdtempSync(join(tmpdir(), "vitrine-disks-"));
  using _ = { [Symbol.dispose]: () => rmSync(temporary, { recursive: true }) };
  await fillDisk(filling, temporary);
  expect(filling).toHaveLength(3);
});
