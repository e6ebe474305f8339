/** What the query editor asks the endpoint where its page is from, by whatever address that was reached (SPARQL 1.1 Protocol). */

/** No link and no stored tab names another. */
export const endpoint = new URL("sparql", location.href).href;

/** What an address of a page adds for the language that the reader chose, if one was chosen. */
export const language = new URLSearchParams(location.search).has("lang") ? `lang=${document.documentElement.lang}` : "";

export const SOLUTIONS = "application/sparql-results+json";

/** The protocol's parameters of a query and its graphs (SPARQL 1.1 Protocol, 2.1). */
export function parametersOf(query, { defaultGraphs = [], namedGraphs = [] } = {}) {
  return new URLSearchParams([
    ["query", query],
    ...defaultGraphs.map((graph) => ["default-graph-uri", graph]),
    ...namedGraphs.map((graph) => ["named-graph-uri", graph]),
  ]);
}

/** Send a query. Resolves to what YASR shows: an answer with its text, or an error with a sentence. */
export async function send(parameters, accept, signal) {
  const response = await fetch(endpoint, { method: "POST", headers: { Accept: accept }, body: parameters, signal });
  const content = await response.text();
  if (response.ok) {
    const { status, statusText, headers } = response;
    // YASR takes an empty text for no answer at all.
    return { ok: true, status, statusText, headers, content: content || "# No triples.\n" };
  }
  const { title = response.statusText, detail = content } = problemIn(content);
  return { error: { status: response.status, statusText: title, text: detail } };
}

function problemIn(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** The bindings of a query; `undefined` where it is not answered. */
export async function solutions(query) {
  const { content } = await send(parametersOf(query), SOLUTIONS);
  return content === undefined ? undefined : JSON.parse(content).results.bindings;
}
/** What a link brings: a query and its graphs, and nothing else. Earlier links have other names for the graphs. */
export function linked() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const given = fragment.has("query") ? fragment : new URLSearchParams(location.search);
  const query = given.get("query");
  const all = (...names) => names.flatMap((name) => given.getAll(name));
  return (
    query && {
      query,
      defaultGraphs: all("default-graph-uri", "defaultGraph"),
      namedGraphs: all("named-graph-uri", "namedGraph"),
    }
  );
}
