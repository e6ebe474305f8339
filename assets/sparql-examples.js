/** The examples in the query editor: those that the collection has something for, with values that exist in it. */

/** Characters that an IRI reference cannot have (SPARQL 1.1 Query, IRIREF). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are exactly what the grammar leaves out
const NOT_IN_IRI = /[\u0000-\u0020<>"{}|^`\\]/g;

/** The IRI as it stands in a query; whatever it is, it ends where it should. */
function reference(iri) {
  return `<${iri.replace(NOT_IN_IRI, encodeURIComponent)}>`;
}

/** The properties that the collection uses, of those that the examples need; `undefined` when it cannot be asked. */
async function propertiesInUse(examples, editor) {
  const needed = [...new Set(examples.flatMap(({ uses }) => uses))].map((iri) => `<${iri}>`).join(" ");
  const found = await editor.solutions(
    `SELECT ?property { VALUES ?property { ${needed} } FILTER EXISTS { ?subject ?property ?object } }`,
  );
  return found && new Set(found.map(({ property }) => property.value));
}

/** @param editor what the page does: `show`, `shown`, `run`, `changed` and `solutions` */
export async function showExamples({ examples }, editor) {
  // On a small screen they would be all that one sees.
  document.getElementById("examples-box").open = matchMedia("(min-width: 40rem)").matches;
  const list = document.getElementById("examples");
  for (const example of examples) {
    const { name, comment, keywords } = example;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = comment;
    button.title = keywords.join(", ");
    button.dataset.example = name;
    button.addEventListener("click", () => choose(example, editor));
    const item = document.createElement("li");
    item.append(button);
    list.append(item);
  }
  editor.changed(hideParameter);
  const used = await propertiesInUse(examples, editor).catch(() => undefined);
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
async function choose({ text, parameter }, editor) {
  document.getElementById("examples-box").open = false;
  if (parameter === undefined) {
    hideParameter();
    editor.show(text);
    editor.run();
    return;
  }
  const found = (await editor.solutions(parameter.suggestions).catch(() => undefined)) ?? [];
  let { value } = parameter;
  const fill = (query, other) => {
    const filled = query.replaceAll(reference(value), reference(other));
    value = other;
    editor.show(filled);
    editor.run();
  };
  form.querySelector("label").textContent = parameter.name;
  form.querySelector("datalist").replaceChildren(...found.map(({ value, label }) => option(value.value, label?.value)));
  field.value = found[0]?.value.value ?? value;
  form.hidden = false;
  form.onsubmit = (event) => {
    event.preventDefault();
    fill(editor.shown(), field.value);
  };
  fill(text, field.value);
}

function option(value, label = "") {
  const made = document.createElement("option");
  made.value = value;
  made.label = label;
  return made;
}
