/** The query editor at /sparql: YASGUI, held to this endpoint, with the model's terms, the examples and a table of its own. */
import { showExamples } from "./examples.js";
import { watch } from "./labels.js";

/** YASGUI is large: what stands around it is shown first. */
function load(name, properties) {
  return new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement(name), properties);
    element.addEventListener("load", resolve);
    element.addEventListener("error", reject);
    document.head.prepend(element);
  });
}
await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
const settingsRead = fetch("sparql/editor.json").then((answer) => answer.json());
await Promise.all([
  load("link", { rel: "stylesheet", href: "sparql/yasgui.css" }),
  load("script", { src: "sparql/yasgui.js" }),
]);
const { EntityTable, problemElement } = await import("./results.js");

/** The endpoint where this page is from, by whatever address that was reached; no link and no stored tab names another. */
const endpoint = new URL("sparql", location.href).href;
const settings = await settingsRead;
const { prefixes, classes, properties, examples } = settings;
const { Yasgui } = window;
const { Yasqe, Yasr, Tab } = Yasgui;

const SOLUTIONS = "application/sparql-results+json";
const GRAPH = "text/turtle";
/** Beyond so many characters a link carries its query in the fragment, which no server has to read. */
const LONGEST_LINK = 4_000;

/** The protocol's parameters of a query and its graphs (SPARQL 1.1 Protocol, 2.1). */
function parametersOf(query, { defaultGraphs = [], namedGraphs = [] } = {}) {
  return new URLSearchParams([
    ["query", query],
    ...defaultGraphs.map((graph) => ["default-graph-uri", graph]),
    ...namedGraphs.map((graph) => ["named-graph-uri", graph]),
  ]);
}

/** Send a query. Resolves to what YASR shows: an answer with its text, or an error with a sentence. */
async function send(parameters, accept, signal) {
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

/** YASQE's own takes endpoint, headers and arguments from the stored tab, and shows an error as the text of its body. */
Yasqe.prototype.query = async function query() {
  this.abortQuery();
  const controller = new AbortController();
  const { signal } = controller;
  const start = Date.now();
  const isGraph = ["CONSTRUCT", "DESCRIBE"].includes(this.getQueryType());
  this.emit("query", new Request(endpoint), controller);
  let answer;
  try {
    answer = await send(
      parametersOf(this.getValue(), this.config.requestConfig()),
      isGraph ? `${GRAPH}, ${SOLUTIONS};q=0.5` : `${SOLUTIONS}, ${GRAPH};q=0.5`,
      signal,
    );
  } catch (error) {
    if (signal.aborted) return;
    answer = { error: { status: 503, statusText: "No answer", text: `The service does not answer: ${error.message}` } };
  }
  this.emit("queryResponse", answer, Date.now() - start);
};

/** The body is percent-encoded, so nothing in a query means anything to a shell. */
Yasqe.prototype.getAsCurlString = function curl() {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  return `curl ${quoted(endpoint)} --data ${quoted(String(parametersOf(this.getValue(), this.config.requestConfig())))}`;
};

Tab.prototype.getEndpoint = () => endpoint;
Tab.prototype.getShareableLink = function link() {
  const parameters = parametersOf(this.getQuery(), this.getRequestConfig());
  const short = `${endpoint}?${parameters}`;
  return short.length <= LONGEST_LINK ? short : `${endpoint}#${parameters}`;
};

/** Completion from lists that are here already: nothing is fetched from elsewhere. */
function complete(from, name, terms) {
  Yasqe.forkAutocompleter(from, { name, bulk: true, persistenceId: null, autoShow: false, get: () => terms }, false);
}
complete("class", "model-classes", classes);
complete("property", "model-properties", properties);
const declarations = Object.entries(prefixes).map(([prefix, namespace]) => `${prefix}: <${namespace}>`);
complete("prefixes", "model-prefixes", declarations);
// Not as a setting: that would be merged with YASQE's list, and complete twice.
Yasqe.defaults.autocompleters = ["variables", "model-classes", "model-properties", "model-prefixes"];

EntityTable.settings = settings;
Yasr.registerPlugin("table", EntityTable);
Yasr.defaults.errorRenderers = [async (error) => problemElement(error)];

const yasgui = new Yasgui(document.getElementById("editor"), {
  requestConfig: { endpoint, method: "POST", defaultGraphs: [], namedGraphs: [] },
  persistenceId: "vitrine-queries",
  populateFromUrl: false,
  autofocus: false,
  yasqe: {
    value: examples.find(({ name }) => name === "records-per-class").text,
    createShortLink: undefined,
    // Tab leaves the editor, as it leaves every other field.
    extraKeys: { Tab: false, "Shift-Tab": false },
  },
  yasr: { prefixes },
});

/** What a link brings: a query and its graphs, and nothing else. Earlier links have other names for the graphs. */
function linked() {
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

/** Open what a link brings in a tab, in the one that has it already if there is one, and run it. */
function openLinked() {
  const brought = linked();
  if (!brought) return;
  const { query, ...graphs } = brought;
  const wanted = String(parametersOf(query, graphs));
  const { persistentConfig } = yasgui;
  const same = persistentConfig.getTabs().find((id) => {
    const { yasqe, requestConfig } = persistentConfig.getTab(id);
    return String(parametersOf(yasqe.value, requestConfig)) === wanted;
  });
  if (same === undefined) yasgui.addTab(true, { yasqe: { value: query }, requestConfig: graphs });
  else yasgui.selectTabId(same);
  // What is edited afterwards is in the tab, so the address says no more what is shown.
  history.replaceState(null, "", endpoint);
  yasgui.getTab().query();
}
openLinked();
window.addEventListener("hashchange", openLinked);

async function solutions(query) {
  const { content } = await send(parametersOf(query), SOLUTIONS);
  return content === undefined ? undefined : JSON.parse(content).results.bindings;
}
watch(document.getElementById("editor"), solutions);

await showExamples(settings, {
  show: (text) => yasgui.getTab().setQuery(text),
  shown: () => yasgui.getTab().getQuery(),
  run: () => yasgui.getTab().query(),
  changed: (listener) => yasgui.on("tabSelect", listener),
  solutions,
});
document.body.dataset.ready = "true";
window.yasgui = yasgui;
