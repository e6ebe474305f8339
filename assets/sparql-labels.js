/** What YASGUI leaves unsaid: labels of the entities in results, and names of fields for those who hear the page. */

/** IRIs that one query asks labels of. */
const MOST = 100;

/** Labels by IRI, once asked for; empty where there is none. */
const labels = new Map();
/** The links that were looked at. */
const labelled = new WeakSet();

/** Names for fields, and the roles of tabs undone: beside them stands a button, which no list of tabs may have. */
function name(editor) {
  for (const area of editor.querySelectorAll(".CodeMirror textarea:not([aria-label])")) {
    area.setAttribute("aria-label", "Query");
    // Who has no mouse scrolls a long query, too.
    area.closest(".CodeMirror").querySelector(".CodeMirror-scroll").tabIndex = 0;
  }
  for (const select of editor.querySelectorAll("select.tableSizer:not([aria-label])")) {
    select.setAttribute("aria-label", "Rows of a page");
  }
  for (const element of editor.querySelectorAll('[role="tablist"], [role="tab"], [role="tabpanel"]')) {
    element.removeAttribute("role");
    element.removeAttribute("aria-selected");
  }
}

/** The label of each entity before its link in the table, where a narrow column keeps it. */
async function label(editor, solutions) {
  const links = () =>
    [...editor.querySelectorAll('.yasr td a.iri[href^="entity?"]')].filter((link) => !labelled.has(link));
  const unknown = [...new Set(links().map(({ title }) => title))].filter((iri) => !labels.has(iri)).slice(0, MOST);
  if (unknown.length > 0) {
    for (const iri of unknown) labels.set(iri, "");
    const values = unknown.filter((iri) => !/[\s<>"{}|^`\\]/.test(iri)).map((iri) => `<${iri}>`);
    const found = await solutions(
      `SELECT ?iri (SAMPLE(?label) AS ?name) { VALUES ?iri { ${values.join(" ")} } ?iri <http://www.w3.org/2000/01/rdf-schema#label> ?label } GROUP BY ?iri`,
    ).catch(() => undefined);
    for (const { iri, name: text } of found ?? []) labels.set(iri.value, text.value);
  }
  // While it was asked, the table may have been drawn anew.
  for (const link of links()) {
    const text = labels.get(link.title);
    if (!text) continue;
    labelled.add(link);
    const shown = document.createElement("span");
    shown.className = "label";
    shown.textContent = text;
    link.before(shown, " ");
  }
}

/** @param solutions asks a query, resolves to its bindings */
export function watch(editor, solutions) {
  let waits = false;
  const look = () => {
    waits = false;
    name(editor);
    void label(editor, solutions);
  };
  new MutationObserver(() => {
    if (!waits) requestAnimationFrame(look);
    waits = true;
  }).observe(editor, { childList: true, subtree: true });
  look();
}
