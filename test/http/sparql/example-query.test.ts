/** The reader of example queries. */
import { expect, it } from "vitest";
import { exampleQuery } from "../../../src/http/sparql/example-query.js";

it("a file without exactly one query is refused", () => {
  expect(() => exampleQuery("<urn:a> <urn:b> 1 .", "x.ttl")).toThrow("x.ttl has 0 queries");
});
