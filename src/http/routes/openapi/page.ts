/** The description of the interface as a page to read. */
import { codeHtml, escapeHtml, linkTo } from "../../../base/html.js";
import { isJsonObject, type Json, type JsonObject } from "../../../rdf/record-graph.js";
import type { HtmlPage, Site } from "../../pages/site.js";

/** As much of an OpenAPI document as the page shows. */
interface Description {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
}

interface Operation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Json[];
  readonly responses: JsonObject;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly required?: boolean;
  readonly schema: { readonly enum?: readonly string[] };
}

const SAME_FOR_ALL = ["head", "options"];

/**
 * @param description what `openApi` made
 * @param examples addresses to try, by path
 */
export function openApiPage(description: JsonObject, site: Site, examples: ReadonlyMap<string, string>): HtmlPage {
  const { info, servers, tags, paths } = description as unknown as Description;
  const base = servers[0]!.url;
  const sections = tags.map(({ name, description: about }) => {
    const articles = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([method, { tags }]) => !SAME_FOR_ALL.includes(method) && tags.includes(name))
        .map(([method, operation]) => {
          const example = method === "get" ? examples.get(path) : undefined;
          return operationHtml(method, path, operation, description, example);
        }),
    );
    return `<h2>${escapeHtml(name)}</h2>\n<p>${escapeHtml(about)}</p>\n${articles.join("\n")}`;
  });
  // The description has no other language than English.
  return site.plain(
    site.words.file.page.interface,
    [
      '<div lang="en">',
      `<h1>${escapeHtml(info.title)}</h1>`,
      `<p>${escapeHtml(info.summary)} Version ${escapeHtml(info.version)} at ${linkTo(base)}.</p>`,
      `<p>${escapeHtml(info.description)}</p>`,
      "<p>All paths also answer <code>OPTIONS</code>, and those with <code>GET</code> also <code>HEAD</code>.",
      `The same for programs, with all headers: ${linkTo(`${base}/openapi.json`)}.</p>`,
      ...sections,
      "</div>",
    ].join("\n"),
    `${site.path}/openapi.html`,
  );
}

function operationHtml(
  method: string,
  path: string,
  { summary, description: more, parameters = [], responses }: Operation,
  description: JsonObject,
  example: string | undefined,
): string {
  const named = parameters.map((parameter) => resolved(parameter, description) as unknown as Parameter);
  const answers = Object.entries(responses).map(([status, response]) => {
    const { description: about, content = {} } = resolved(response, description) as JsonObject;
    return [status, String(about), Object.keys(content as object).join(", ")];
  });
  return [
    `<details><summary><h3>${method.toUpperCase()} <code>${escapeHtml(path)}</code></h3> ${codeHtml(summary)}</summary>`,
    more === undefined ? "" : `<p>${codeHtml(more)}</p>`,
    example === undefined ? "" : `<p>Try it: ${linkTo(example)}</p>`,
    named.length === 0 ? "" : table(["Parameter", "In", "Meaning"], named.map(parameterCells)),
    table(["Status", "Meaning", "Content"], answers),
    "</details>",
  ].join("\n");
}

function parameterCells({ name, in: place, description, required, schema }: Parameter): string[] {
  const values = schema.enum === undefined ? "" : ` One of: ${schema.enum.join(", ")}.`;
  return [name, required === true ? `${place}, required` : place, description + values];
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[], tag: "td" | "th"): string =>
    `<tr>${cells.map((cell) => `<${tag}>${codeHtml(cell)}</${tag}>`).join("")}</tr>`;
  const body = rows.map((cells) => row(cells, "td"));
  return `<table>\n<thead>${row(heads, "th")}</thead>\n<tbody>${body.join("\n")}</tbody>\n</table>`;
}

/** The target of a reference within the description; anything else is itself. */
function resolved(value: Json, description: JsonObject): Json {
  const reference = isJsonObject(value) ? value.$ref : undefined;
  if (typeof reference !== "string") return value;
  let found: Json = description;
  for (const key of reference.slice("#/".length).split("/")) found = (found as JsonObject)[key]!;
  return found;
}
