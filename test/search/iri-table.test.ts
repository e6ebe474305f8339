import { expect, test } from "vitest";
import { IriTable } from "../../src/search/iris.js";

test("each of very many IRIs keeps the number that it got first", () => {
  const table = new IriTable();
  const iris = Array.from({ length: 100_000 }, (_, at) => `http://data.museum.example/${at % 7}/${at}`);
  const wrong = iris.filter((iri, at) => {
    const earlier = Math.floor(at / 3);
    return table.numberOf(iri, at + 1) !== at + 1 || table.numberOf(iris[earlier]!, at + 2) !== earlier + 1;
  });
  expect(wrong).toEqual([]);
  expect(iris.map((iri) => table.numberOf(iri, iris.length + 1))).toEqual(iris.map((_, at) => at + 1));
});
