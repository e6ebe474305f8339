/** The query that the command is given: SPARQL, or a file with it. */
import { extname } from "node:path";
import { namedText } from "../settings/common.js";
import { UsageError } from "../settings/options.js";

/** A query as it is given to the command: SPARQL, or @ and the name of a file. Throws `UsageError`, `SyntaxProblem`. */
export async function queryOf(given: string): Promise<string> {
  if (!given.startsWith("@")) return given;
  const file = given.slice(1);
  const content = await namedText(file);
  if (extname(file) !== ".ttl") return content;
  const { ExampleError, exampleQuery } = await import("../../http/sparql/example-query.js");
  try {
    return exampleQuery(content, file).text;
  } catch (error) {
    throw error instanceof ExampleError ? new UsageError(error.message) : error;
  }
}
