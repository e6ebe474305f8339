/** Results in JSON as the standard has them, of engines that write them otherwise (SPARQL 1.1 Query Results JSON Format, 3.2). */
import { jsonIn } from "../../base/json.js";

/** Virtuoso's type of literals with a datatype, and values that it writes as bare numbers. */
const NON_STANDARD = /"type"\s*:\s*"typed-literal"|"value"\s*:\s*[^"\s]|"lang"\s*:/;

interface Term {
  type: string;
  value: unknown;
  lang?: string;
  "xml:lang"?: string;
}

interface Result {
  readonly results?: { readonly bindings?: readonly Readonly<Record<string, Term>>[] };
}

/** The same result with literals as the standard writes them. A text that is no such result is given back as it is. */
export function standardJson(text: string): string {
  if (!NON_STANDARD.test(text)) return text;
  const result = jsonIn<Result>(text);
  if (result === undefined) return text;
  for (const row of result.results?.bindings ?? []) for (const term of Object.values(row)) standardize(term);
  return JSON.stringify(result);
}

function standardize(term: Term): void {
  if (term.type === "typed-literal") term.type = "literal";
  term.value = String(term.value);
  if (term.lang === undefined) return;
  term["xml:lang"] = term.lang;
  delete term.lang;
}
