/** The hash table of numbers by texts: it keeps each number while it grows. */
import { expect, it } from "vitest";
import { HashTable } from "../../src/rdf/hash-table.js";
import { textHash } from "../../src/rdf/text-hash.js";

it("each of very many texts keeps the number that it got first", () => {
  const table = new HashTable();
  /** The number of a text; a new one gets `next`. */
  const numberOf = (text: string, next: number): number => {
    const at = table.indexOf(textHash(text));
    table.slots[at] ||= next;
    return table.slots[at]!;
  };
  const texts = Array.from({ length: 30_000 }, (_, at) => `http://data.museum.example/${at % 7}/${at}`);
  const wrong = texts.filter((text, at) => {
    const earlier = Math.floor(at / 3);
    return numberOf(text, at + 1) !== at + 1 || numberOf(texts[earlier]!, at + 2) !== earlier + 1;
  });
  expect(wrong).toEqual([]);
  expect(texts.map((text) => numberOf(text, texts.length + 1))).toEqual(texts.map((_, at) => at + 1));
  expect([table.used, table.slots.length]).toEqual([texts.length, 4 * 2 ** 16]);
});

it("texts whose number is 0 leave when the table grows", () => {
  const table = new HashTable();
  for (let at = 0; at < 20_000; at++) table.slots[table.indexOf(textHash(`${at}`))] = at < 500 ? at + 1 : 0;
  const numbers = Array.from({ length: 500 }, (_, at) => table.slots[table.indexOf(textHash(`${at}`))]);
  expect(numbers).toEqual(numbers.map((_, at) => at + 1));
  expect(table.used).toBeLessThan(20_000);
});
