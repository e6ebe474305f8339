/** The reader of example queries. */
import { expect, it } from "vitest";
import { exampleQuery } from "../../../src/http/sparql/example-query.js";

it("refuses a file without exactly one query", () => {
  expect(() => exampleQuery("<urn:a> <urn:b> 1 .", "x.ttl")).toThrow("x.ttl has 0 queries");
});
