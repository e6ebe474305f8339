/** The example queries as their files have them. */
import { expect, it } from "vitest";
import { exampleQuery } from "../../../src/http/sparql/example-query.js";

it("has one query a file", () => {
  expect(() => exampleQuery("<urn:a> <urn:b> 1 .", "x.ttl")).toThrow("x.ttl has 0 queries");
});
