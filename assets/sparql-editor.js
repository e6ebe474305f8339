/** The query editor at /sparql: YASGUI with the model's prefixes, its classes and properties, and the example queries. */
const settings = await (await fetch("sparql/editor.json")).json();
const { prefixes, classes, properties, examples } = settings;
/** The endpoint where this page is from, by whatever address that was reached. */
const endpoint = new URL("sparql", location.href).href;
const { Yasgui } = window;
const { Yasqe } = Yasgui;

/** Completion from a list that is here already: nothing is fetched from elsewhere. */
function completer(from, name, terms, shape) {
  Yasqe.forkAutocompleter(from, { name, bulk: true, persistenceId: null, autoShow: false, get: () => terms, ...shape });
}

completer("class", "model-classes", classes);
completer("property", "model-properties", properties);
completer(
  "prefixes",
  "model-prefixes",
  Object.entries(prefixes).map(([prefix, namespace]) => `${prefix}: <${namespace}>`),
);

const first = examples.find(({ name }) => name === "records-per-class") ?? examples[0];

const yasgui = new Yasgui(document.getElementById("editor"), {
  requestConfig: { endpoint, method: "POST" },
  copyEndpointOnNewTab: true,
  persistenceId: "vitrine-sparql",
  yasqe: {
    value: first.text,
    autocompleters: ["variables", "model-classes", "model-properties", "model-prefixes"],
    prefixCcApi: null,
    createShortLink: undefined,
    collapsePrefixesOnLoad: false,
  },
  yasr: { prefixes },
});

const list = document.getElementById("examples");
for (const { name, comment, keywords, text } of examples) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = comment;
  button.title = keywords.join(", ");
  button.dataset.example = name;
  button.addEventListener("click", () => {
    document.getElementById("examples-box").open = false;
    yasgui.getTab().setQuery(text);
    yasgui.getTab().query();
  });
  const item = document.createElement("li");
  item.append(button);
  list.append(item);
}
document.body.dataset.ready = "true";
window.yasgui = yasgui;
