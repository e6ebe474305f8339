/** The theme of the pages: templates and stylesheets of the service, any of which an institution's theme may replace. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join as pathJoin, resolve } from "node:path";
import { RefusalError } from "../../base/named-error.js";
import { packageFile } from "../../base/package-files.js";
import { tagOf } from "../message/content.js";
import { type Html, NOTHING } from "./markup.js";

/** The templates, and what each has to have a place for, lest something that records say stays off their pages. */
const TEMPLATES = {
  frame: ["title", "head", "site", "navigation", "content"],
  entity: ["heading", "pictures", "glance", "sections", "referring", "forms", "terms"],
  home: ["site", "endpoints"],
} as const;

type TemplateName = keyof typeof TEMPLATES;

/** The parts that a template may name besides. */
const OPTIONAL: Readonly<Record<TemplateName, readonly string[]>> = {
  frame: ["path", "home", "search", "footer", "language", "languages", "skip", "collection"],
  entity: ["path", "site"],
  home: ["path", "text", "picture", "find", "examples", "services", "browse", "begin", "developers"],
};

const OWN = packageFile("assets/pages/");

class Template {
  readonly #parts: readonly string[];
  readonly #named: readonly string[];

  /** Throws `RefusalError` for a name that the template cannot have, or lacks. */
  constructor(
    readonly name: TemplateName,
    readonly source: string,
    file: string,
  ) {
    // A frame of an institution's own may name one language, though pages are in several.
    this.#parts = source.replace(/(<html\b[^>]*? lang=")[a-z-]*"/i, '$1{{language}}"').split(/\{\{\s*(\w+)\s*\}\}/);
    this.#named = this.#parts.filter((_, at) => at % 2 === 1);
    const known: readonly string[] = [...TEMPLATES[name], ...OPTIONAL[name]];
    const other = this.#named.find((each) => !known.includes(each));
    if (other !== undefined) throw new RefusalError(`${file} has {{${other}}}, which is none of ${known.join(", ")}`);
    const lacking = TEMPLATES[name].filter((each) => !this.has(each));
    if (lacking.length > 0) throw new RefusalError(`${file} has no place for {{${lacking.join("}}, {{")}}}`);
  }

  has(name: string): boolean {
    return this.#named.includes(name);
  }

  fill(values: Readonly<Record<string, Html>>): Html {
    let filled = this.#parts[0]!;
    for (let at = 1; at < this.#parts.length; at += 2) {
      filled += (values[this.#parts[at]!] ?? NOTHING) + this.#parts[at + 1]!;
    }
    return filled as Html;
  }
}

/**
 * The look of the pages. A theme's directory may have `theme.css`, loaded after the service's own stylesheet, any of
 * `frame.html`, `entity.html`, `home.html` and `entity-{endpoint}.html`, and files that these name.
 * Throws `RefusalError`.
 */
export function loadTheme(directory?: string) {
  const folder = directory === undefined ? undefined : resolve(directory);
  if (folder !== undefined && !(existsSync(folder) && statSync(folder).isDirectory())) {
    throw new RefusalError(`${folder} is no directory`);
  }
  const files = new Set(folder === undefined ? [] : readdirSync(folder));
  const read = (name: TemplateName, file = `${name}.html`): Template => {
    const path = folder !== undefined && files.has(file) ? pathJoin(folder, file) : undefined;
    return new Template(name, readFileSync(path ?? new URL(file, OWN), "utf8"), path ?? file);
  };
  const templates = { frame: read("frame"), entity: read("entity"), home: read("home") };
  const ofEndpoints = new Map<string, Template>();
  for (const file of files) {
    const endpoint = /^entity-(\w+)\.html$/.exec(file)?.[1];
    if (endpoint !== undefined) ofEndpoints.set(endpoint, read("entity", file));
  }
  const sources = [...Object.values(templates), ...ofEndpoints.values()].map(({ name, source }) => `${name} ${source}`);
  return {
    template: (name: TemplateName): Template => templates[name],
    entityTemplate: (endpoint: string): Template => ofEndpoints.get(endpoint) ?? templates.entity,
    /** The directory of files that pages of the theme may load; `undefined` for the service's own look. */
    directory: folder,
    hasStyle: files.has("theme.css"),
    /** The same as long as all templates are. */
    digest: tagOf(sources.join("\n")),
  };
}
