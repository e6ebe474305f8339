import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textHash } from "../../../../src/rdf/text-hash.js";
import { openEmbeddedForLoading } from "../../../../src/store/embedded/embedded-store.js";
import { backlinkKey, recordBytes } from "../../../../src/store/embedded/format/keys.js";
import { StagedBacklinks } from "../../../../src/store/embedded/publish/staged-entries.js";
import { BacklinkQueue } from "../../../../src/store/embedded/tables/backlink-queue.js";
import { webUrl } from "../../../generated-texts.js";
import { forAllAsync, runsOf } from "../../../properties.js";
import { temporaryFolder } from "../../../temporary-folder.js";

const directory = temporaryFolder();

const word = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constantFrom(2 ** 32 - 1, 2 ** 31));
const backlink = fc.record({
  hash: fc.oneof(webUrl.map(textHash), fc.record({ a: word, b: word, c: word })),
  property: fc.nat(0xffff),
  record: fc.oneof(fc.nat(5), fc.constant(2 ** 40)),
});

describe("the queue of backlinks", () => {
  it("writes every backlink once, whether all fit into it or not", async () => {
    const store = await openEmbeddedForLoading(directory);
    const { root, backlinks } = store.database;
    await forAllAsync(
      [fc.array(backlink, { maxLength: 3000 }), fc.constantFrom(1, 4, 1024, 4096)],
      runsOf(500, 40),
      async (added, most) => {
        await root.transactionSync(async () => {
          backlinks.clearSync();
          const queue = new BacklinkQueue(store.database, most);
          for (const { hash, property, record } of added)
            queue.addAll(new StagedBacklinks(backlinkKey(hash, property)), record);
          await queue.flush(async () => {});
          expect(queue.isFullFor(most)).toBe(false);
          expect(queue.isFullFor(most + 1)).toBe(true);
        });
        const hex = (key: Buffer, value: Buffer): string => `${key.toString("hex")} ${value.toString("hex")}`;
        const all = added.map(({ hash, property, record }) => hex(backlinkKey(hash, property), recordBytes(record)));
        expect([...backlinks.getRange()].map(({ key, value }) => hex(key, value))).toEqual([...new Set(all)].sort());
        expect(store.database.backlinkCount).toBe(new Set(all).size);
      },
    );
    await store.close();
  });
});
