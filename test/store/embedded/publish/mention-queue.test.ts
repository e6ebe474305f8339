import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textHash } from "../../../../src/rdf/text-hash.js";
import { openForLoading } from "../../../../src/store/embedded/embedded-store.js";
import { mentionKey, recordBytes } from "../../../../src/store/embedded/format/keys.js";
import { MentionQueue } from "../../../../src/store/embedded/publish/mention-queue.js";
import { runsOf } from "../../../extent.js";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "vitrine-mentions-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const word = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constantFrom(2 ** 32 - 1, 2 ** 31));
const mention = fc.record({
  hash: fc.oneof(fc.webUrl().map(textHash), fc.record({ a: word, b: word, c: word })),
  property: fc.nat(0xffff),
  record: fc.oneof(fc.nat(5), fc.constant(2 ** 40)),
});

describe("the queue of mentions", () => {
  it("writes every mention once, whether they fit into it or not", async () => {
    const store = await openForLoading(directory);
    const { root, mentions } = store.database;
    fc.assert(
      fc.property(fc.array(mention, { maxLength: 3000 }), fc.constantFrom(1, 4, 1024, 4096), (added, most) => {
        root.transactionSync(() => {
          mentions.clearSync();
          const queue = new MentionQueue(store.database, most);
          for (const { hash, property, record } of added) queue.add(hash, property, record);
          for (const _ of queue.flush());
          expect(queue.isFullFor(most)).toBe(false);
          expect(queue.isFullFor(most + 1)).toBe(true);
        });
        const hex = (key: Buffer, value: Buffer): string => `${key.toString("hex")} ${value.toString("hex")}`;
        const all = added.map(({ hash, property, record }) => hex(mentionKey(hash, property), recordBytes(record)));
        expect([...mentions.getRange()].map(({ key, value }) => hex(key, value))).toEqual([...new Set(all)].sort());
        expect(store.database.mentionCount).toBe(new Set(all).size);
      }),
      runsOf(500, 40),
    );
    await store.close();
  });
});
