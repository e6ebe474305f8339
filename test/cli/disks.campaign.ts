/** Loads that fill the disk of their store at each moment, and one that does not. */
import { expect, it, onTestFinished } from "vitest";
import { HAS_SMALL_DISKS } from "../load/small-disk.js";
import { temporaryFolder } from "../temporary-folder.js";
import { FILLINGS, fillDisk } from "./full-disk.js";

it.skipIf(!HAS_SMALL_DISKS).each(FILLINGS)("a disk of %i MiB, which is full %s", async (...filling) => {
  await fillDisk(filling, temporaryFolder(onTestFinished));
  expect(filling).toHaveLength(3);
});
