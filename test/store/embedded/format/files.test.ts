import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { ensureDiskSpace, withFullDiskError } from "../../../../src/store/embedded/format/files.js";
import { StoreSpaceError } from "../../../../src/store/errors.js";

describe("a full disk", () => {
  it("is noticed before anything is written", async () => {
    await ensureDiskSpace(tmpdir(), 0);
    await expect(ensureDiskSpace(tmpdir(), Number.MAX_SAFE_INTEGER)).rejects.toThrow(StoreSpaceError);
  });

  it("is distinguished from other failures", async () => {
    const failing = (code: string) => async (): Promise<never> => {
      throw Object.assign(new Error("write"), { code });
    };
    await expect(withFullDiskError("store", failing("ENOSPC"))).rejects.toThrow("the disk of store is full");
    await expect(withFullDiskError("store", failing("EIO"))).rejects.toThrow("write");
    expect(await withFullDiskError("store", async () => 1)).toBe(1);
  });
});
