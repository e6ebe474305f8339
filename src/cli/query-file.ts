/** The query that the command is given: SPARQL, or a file with it. */
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { exampleQuery } from "../http/sparql/example-query.js";
import { UsageError } from "./options.js";

/** A query as it is given to the command: SPARQL, or @ and the name of a file. Throws `UsageError`, `ExampleError`, `SyntaxProblem`. */
export async function queryOf(given: string): Promise<string> {
  if (!given.startsWith("@")) return given;
  const file = given.slice(1);
  const content = await readFile(file, "utf8").catch((error: Error) => {
    throw new UsageError(`${file} cannot be read: ${error.message}`);
  });
  return extname(file) === ".ttl" ? exampleQuery(content, file).text : content;
}
