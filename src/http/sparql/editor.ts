/** The query editor that a browser gets at `/sparql`: its page, YASGUI served locally, and the data for completion and examples. */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { lazily } from "../../base/lazily.js";
import { assetText, packageFile } from "../../base/package-files.js";
import type { ModelSettings } from "../../model/settings.js";
import { FIELD_TABLES } from "../../model/tables/endpoints.js";
import { fieldIri } from "../../model/tables/fields.js";
import { classIri, PREFIXES } from "../../model/vocabulary/vocabulary.js";
import { type Content, fixedContent } from "../message/content.js";
import { wantedLanguages } from "../message/headers/negotiate.js";
import { type Html, html, join, text } from "../pages/markup.js";
import type { Site } from "../pages/site.js";
import type { Words } from "../pages/words/words.js";
import type { ServedFile } from "../routes/route.js";
import { FORMAT_NAMES, type ProtocolQuery } from "./endpoint.js";
import { exampleQuery } from "./example-query.js";

const yasgui = createRequire(import.meta.url).resolve("@zazuko/yasgui/build/yasgui.min.js");

/** The hash of the only inline style of YASGUI, for the handles between columns. */
const HANDLES = "sha256-zCK2EVMoPc04mRF/g5CotUvxbJPWS+8V0b+s9ptqQIk=";
/** Nothing loads from other origins, and texts of results cannot bring styles; YASGUI embeds some images as `data:` URLs. */
const POLICY =
  `default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' '${HANDLES}'; font-src 'self' data:; ` +
  "img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const SCRIPTS = ["editor", "ask", "tabs", "examples", "labels", "results"];

/** The files of the editor under `/sparql/`. @param base the base URL without a final slash */
export function editorFiles(model: ModelSettings, base: string): readonly ServedFile[] {
  const script = "text/javascript; charset=utf-8";
  const style = "text/css; charset=utf-8";
  return [
    ["yasgui.js", script, () => readFileSync(yasgui, "utf8")],
    ["yasgui.css", style, () => readFileSync(yasgui.replace(/\.js$/, ".css"), "utf8")],
    ...SCRIPTS.map((name): ServedFile => [`${name}.js`, script, () => assetText(`sparql-${name}.js`)]),
    ["editor.css", style, () => assetText("sparql-editor.css")],
    ["editor.json", "application/json", () => JSON.stringify(editorData(model, base))],
  ];
}

/** The editor's data: the base URL, the prefixes, the classes and properties of the field tables, and the examples. */
function editorData(model: ModelSettings, base: string): object {
  const named = FIELD_TABLES.flatMap(({ classes, fields }) => classes.map((name) => ({ name, fields })));
  const classes = new Set(named.map(({ name }) => classIri(name)));
  const properties = new Set(
    named.flatMap(({ name, fields }) => fields.flatMap((each) => fieldIri(each.property, name) ?? [])),
  );
  return {
    base: `${base}/`,
    prefixes: { ...PREFIXES, aat: `${model.vocabBase}/` },
    classes: [...classes].sort(),
    properties: [...properties].sort(),
    examples: examples(base),
  };
}

/** The examples of `docs/publish/queries`, for this collection. */
function examples(base: string) {
  const folder = packageFile("docs/publish/queries/");
  return readdirSync(folder)
    .filter((file) => file.endsWith(".ttl"))
    .sort()
    .map((file) => {
      const { text, ...example } = exampleQuery(readFileSync(new URL(file, folder), "utf8"), file, `${base}/`);
      return { name: file.replace(/\.ttl$/, ""), ...example, text: text.trim() };
    });
}

/** The content of the page. Its form works without a script; the examples are in English. */
function content({ editor, page }: Words["file"], { text: query, defaultGraphs, namedGraphs }: ProtocolQuery): Html {
  const hidden = (name: string, graphs: readonly string[]): Html =>
    join(graphs.map((graph) => html`<input type="hidden" name="${text(name)}" value="${text(graph)}">\n`));
  const graphs = html`${hidden("default-graph-uri", defaultGraphs)}${hidden("named-graph-uri", namedGraphs)}`;
  const formats = FORMAT_NAMES.map((name) => html`<option>${text(name)}</option>`);
  return html`<article class="plain"><h1>${text(page.sparql)}</h1>
<p>${text(editor.about)}</p></article>
<details id="examples-box">
<summary>${text(editor.examples)}</summary>
<ul id="examples" lang="en"></ul>
</details>
<form id="parameter" hidden>
<label for="value" lang="en"></label>
<input id="value" list="values" required spellcheck="false" autocomplete="off">
<datalist id="values"></datalist>
<button>${text(editor.run)}</button>
</form>
<div id="editor">
<form method="post" action="sparql">
<label for="query">${text(editor.query)}</label>
<textarea id="query" name="query" lang="en" spellcheck="false" autocomplete="off">
${text(query)}</textarea>
${graphs}<noscript><label>${text(editor.format)} <select name="format" lang="en">${join(formats)}</select></label></noscript>
<button>${text(editor.run)}</button>
</form>
</div>
`;
}

const HEAD = html`<link rel="stylesheet" href="sparql/editor.css">
<script type="module" src="sparql/editor.js"></script>
`;

/** Returns a function that makes the editor's page in the reader's language. */
export function editorPage(all: Site): (acceptLanguage: string | undefined, query?: ProtocolQuery) => Content {
  const first = lazily(() => examples(all.base).find(({ name }) => name === "records-per-class")!.text);
  return (acceptLanguage, query = { text: first(), defaultGraphs: [], namedGraphs: [] }) => {
    const site = all.for(wantedLanguages(acceptLanguage));
    const { words } = site;
    const address = `${site.path}/sparql`;
    const { body } = site.page({ title: words.file.page.sparql, address, head: HEAD }, content(words.file, query));
    const headers = ["Content-Language", words.language, "Content-Security-Policy", POLICY];
    return { ...fixedContent("text/html; charset=utf-8", body, headers), vary: "Accept-Language" };
  };
}
