/** The examples in the query editor: those that the collection has something for, with values that exist in it. */

/** Characters that an IRI reference cannot have (SPARQL 1.1 Query, IRIREF). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are exactly what the grammar leaves out
const NOT_IN_IRI = /[\u0000-\u0020<>"{}|^`\\]/g;

/** The IRI as it stands in a query; whatever it is, it ends where it should. */
function reference(iri) {
  return `<${iri.replace(NOT_IN_IRI, encodeURIComponent)}>`;
}

/** The properties that the collection uses, of those that the examples need; `undefined` when it cannot be asked. */
async function propertiesInUse(examples, solutions) {
  const needed = [...new Set(examples.flatMap(({ uses }) => uses))].map((iri) => `<${iri}>`).join(" ");
  const found = await solutions(
    `SELECT ?property { VALUES ?property { ${needed} } FILTER EXISTS { ?subject ?property ?object } }`,
  );
  return found && new Set(found.map(({ property }) => property.value));
}

/**
 * @param open resolves to YASGUI
 * @param solutions asks a query, resolves to its bindings
 */
export async function showExamples({ examples }, open, solutions) {
  const list = document.getElementById("examples");
  for (const example of examples) {
    const { name, comment, keywords } = example;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = comment;
    button.title = keywords.join(", ");
    button.dataset.example = name;
    button.addEventListener("click", () => choose(example, open, solutions));
    const item = document.createElement("li");
    item.append(button);
    list.append(item);
  }
  const used = await propertiesInUse(examples, solutions).catch(() => undefined);
  for (const { name, uses } of examples) {
    const fits = used === undefined || uses.every((property) => used.has(property));
    list.querySelector(`[data-example="${name}"]`).parentElement.hidden = !fits;
  }
}

const form = document.getElementById("parameter");
const field = form.querySelector("input");

function hideParameter() {
  form.hidden = true;
}

/** Show an example and run it, with the first value that the collection has for its parameter. */
async function choose({ text, parameter }, open, solutions) {
  document.getElementById("examples-box").open = false;
  const yasgui = await open();
  const show = (query) => {
    yasgui.getTab().setQuery(query);
    yasgui.getTab().query();
  };
  if (parameter === undefined) {
    hideParameter();
    show(text);
    return;
  }
  const found = (await solutions(parameter.suggestions).catch(() => undefined)) ?? [];
  let { value } = parameter;
  const fill = (query, other) => {
    const filled = query.replaceAll(reference(value), reference(other));
    value = other;
    show(filled);
  };
  form.querySelector("label").textContent = parameter.name;
  form.querySelector("datalist").replaceChildren(...found.map(({ value, label }) => option(value.value, label?.value)));
  field.value = found[0]?.value.value ?? value;
  form.hidden = false;
  yasgui.once("tabSelect", hideParameter);
  form.onsubmit = (event) => {
    event.preventDefault();
    fill(yasgui.getTab().getQuery(), field.value);
  };
  fill(text, field.value);
}

function option(value, label = "") {
  const made = document.createElement("option");
  made.value = value;
  made.label = label;
  return made;
}
