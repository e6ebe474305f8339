/** Results in the query editor: a table whose cells are built as elements, never as text of HTML, and problems in words. */
import { language } from "./ask.js";

const { table: YasguiTable } = window.Yasgui.Yasr.plugins;

const XSD = "http://www.w3.org/2001/XMLSchema#";
const NUMBERS = new Set(
  "integer decimal double float long int short byte nonNegativeInteger positiveInteger unsignedLong unsignedInt"
    .split(" ")
    .map((name) => XSD + name),
);
/** Datatypes that the value shows by itself. */
const PLAIN = new Set([...NUMBERS, ...["string", "boolean", "date", "dateTime"].map((name) => XSD + name)]);

function isNumber({ type, datatype }) {
  return type === "literal" && NUMBERS.has(datatype);
}

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** YASGUI's table, with what the answer says in the place of what its templates make of it. */
export class EntityTable extends YasguiTable {
  /** What `editor.json` has. */
  static settings;
  helpReference = undefined;

  /** A solution without variables is shown by its number. */
  canHandleResults() {
    return super.canHandleResults() || this.yasr.results?.getBindings()?.length > 0;
  }

  #bindings() {
    const { results } = this.yasr;
    // YASR's own reading replaces {{name}} in literals by other values.
    if (results?.getType() === "json") return JSON.parse(results.getOriginalResponseAsString()).results.bindings;
    return results?.getBindings() ?? [];
  }

  getRows() {
    const variables = this.yasr.results?.getVariables() ?? [];
    return this.#bindings().map((binding, row) => [row + 1, ...variables.map((name) => binding[name] ?? "")]);
  }

  getColumns() {
    const width = `${String(this.#bindings().length).length + 2}ch`;
    return super.getColumns().map((column, index) => {
      if (index === 0) return { ...column, title: "#", width };
      const { render } = column;
      return {
        ...column,
        render: (data, purpose, ...more) => {
          if (data === "" || purpose === "display") return render(data, purpose, ...more);
          return isNumber(data) ? Number(data.value) : data.value;
        },
      };
    });
  }

  /** A cell as HTML that the browser itself has written from elements, so that values are encoded wherever they stand. */
  getCellContent(value, prefixes) {
    return element("div", {}, element("span", {}, ...this.#shown(value, prefixes))).outerHTML;
  }

  #shown(value, prefixes) {
    if (value.type === "uri") return iriElements(value.value, prefixes);
    if (value.type === "bnode") return [`_:${value.value}`];
    const { value: text, datatype, "xml:lang": language } = value;
    if (isNumber(value)) return [element("span", { className: "number" }, text)];
    if (language) return [text, element("sup", {}, language)];
    return datatype === undefined || PLAIN.has(datatype)
      ? [text]
      : [text, element("sup", {}, shortened(datatype, prefixes))];
  }

  download(name) {
    const variables = this.yasr.results?.getVariables() ?? [];
    const rows = this.#bindings().map((binding) => variables.map((variable) => binding[variable]?.value ?? ""));
    return {
      getData: () => [variables, ...rows].map((row) => `${row.map(csvField).join(",")}\r\n`).join(""),
      contentType: "text/csv",
      title: "Download as CSV",
      filename: `${name || "result"}.csv`,
    };
  }
}

function csvField(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A term of the model leads to where it is defined, every other IRI to its entity here, with a second link to itself. */
function iriElements(iri, prefixes) {
  const text = shortened(iri, prefixes);
  if (!/^https?:/i.test(iri)) return [text];
  const { classes, properties, base } = EntityTable.settings;
  const elsewhere = { href: iri, target: "_blank", rel: "noopener noreferrer" };
  if (classes.includes(iri) || properties.includes(iri))
    return [element("a", { className: "iri", ...elsewhere }, text)];
  const address = `entity?uri=${encodeURIComponent(iri)}${language && `&${language}`}`;
  const here = element("a", { className: "iri", href: address, title: iri }, text);
  if (iri.startsWith(base)) return [here];
  return [here, " ", element("a", { className: "source", title: `${iri}, where it is from`, ...elsewhere }, "↗")];
}

function shortened(iri, prefixes = {}) {
  for (const [prefix, namespace] of Object.entries(prefixes)) {
    if (iri.startsWith(namespace)) return `${prefix}:${iri.slice(namespace.length)}`;
  }
  return iri;
}

/** A problem of the service: what it is, and the sentence that says what to do. */
export function problemElement({ status, statusText, text }) {
  return element(
    "div",
    { className: "problem", role: "alert" },
    element("strong", {}, `${statusText} (${status})`),
    element("p", {}, text),
  );
}
