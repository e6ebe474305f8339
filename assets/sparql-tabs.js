/** YASGUI in the place of the query field: held to this endpoint, with the model's terms and a table of its own. */
import { endpoint, language, linked, parametersOf, SOLUTIONS, send, solutions } from "./ask.js";
import { watch } from "./labels.js";
import { EntityTable, problemElement } from "./results.js";

const { Yasgui } = window;
const { Yasqe, Yasr, Tab } = Yasgui;

const GRAPH = "text/turtle";
/** Beyond so many characters a link carries its query in the fragment, which no server has to read. */
const LONGEST_LINK = 4_000;

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
function complete({ classes, properties, prefixes }) {
  const declarations = Object.entries(prefixes).map(([prefix, namespace]) => `${prefix}: <${namespace}>`);
  for (const [from, terms] of Object.entries({ class: classes, property: properties, prefixes: declarations })) {
    const made = { name: `model-${from}`, bulk: true, persistenceId: null, autoShow: false, get: () => terms };
    Yasqe.forkAutocompleter(from, made, false);
  }
  // Not as a setting: that would be merged with YASQE's list, and complete twice.
  Yasqe.defaults.autocompleters = ["variables", "model-class", "model-property", "model-prefixes"];
}

/** Put YASGUI where the form is, with the text and the caret of its field. */
export function begin(settings, form) {
  complete(settings);
  EntityTable.settings = settings;
  Yasr.registerPlugin("table", EntityTable);
  Yasr.defaults.errorRenderers = [async (error) => problemElement(error)];
  const { query: field } = form.elements;
  const { value, defaultValue, selectionStart, selectionEnd } = field;
  const isAsked = document.activeElement === field;
  const place = Object.assign(document.createElement("div"), { id: "yasgui", lang: "en" });
  form.replaceWith(place);
  const yasgui = new Yasgui(place, {
    requestConfig: { endpoint, method: "POST", defaultGraphs: [], namedGraphs: [] },
    persistenceId: "vitrine-queries",
    populateFromUrl: false,
    autofocus: false,
    yasqe: {
      value,
      createShortLink: undefined,
      // Tab leaves the editor, as it leaves every other field.
      extraKeys: { Tab: false, "Shift-Tab": false },
    },
    yasr: { prefixes: settings.prefixes },
  });
  // What was typed meanwhile takes no kept tab's place.
  if (value !== defaultValue && value !== yasgui.getTab().getQuery()) yasgui.addTab(true, { yasqe: { value } });
  openLinked(yasgui);
  window.addEventListener("hashchange", () => openLinked(yasgui));
  watch(place, solutions);
  if (isAsked) {
    const yasqe = yasgui.getTab().getYasqe();
    yasqe.setSelection(yasqe.posFromIndex(selectionStart), yasqe.posFromIndex(selectionEnd));
    yasqe.focus();
  }
  window.yasgui = yasgui;
  return yasgui;
}

/** Open what a link brings in a tab, in the one that has it already if there is one, and run it. */
function openLinked(yasgui) {
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
  history.replaceState(null, "", language ? `${endpoint}?${language}` : endpoint);
  yasgui.getTab().query();
}
