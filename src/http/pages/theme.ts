/** The theme of pages: the service's templates, any of which an institution's theme may replace, and the theme's stylesheet. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join as pathJoin, resolve } from "node:path";
import { RefusalError } from "../../base/named-error.js";
import { packageFile } from "../../base/package-files.js";
import { tagOf } from "../message/content.js";
import { type Html, NOTHING } from "./markup.js";

/** The templates, and the parts that each must include, so that no data of records is missing from pages. */
const TEMPLATES = {
  frame: ["title", "head", "site", "navigation", "content"],
  entity: ["heading", "pictures", "glance", "sections", "referring", "forms", "terms"],
  home: ["site", "endpoints"],
} as const;

type TemplateName = keyof typeof TEMPLATES;

/** The further parts that a template may include. */
const OPTIONAL: Readonly<Record<TemplateName, readonly string[]>> = {
  frame: ["path", "home", "search", "footer", "language", "direction", "languages", "skip", "collection"],
  entity: ["path", "site"],
  home: ["path", "text", "picture", "find", "examples", "services", "browse", "begin", "developers"],
};

/** Reads a template. Throws `RefusalError` for an unknown or a missing part. */
function templateOf(name: TemplateName, source: string, file: string) {
  // Replaces a fixed language in an institution's frame, as in `<html lang="nl">`: pages have several languages.
  const pieces = source
    .replace(/(<html\b[^>]*? lang=")[a-z-]*"/i, '$1{{language}}"{{direction}}')
    .split(/\{\{\s*(\w+)\s*\}\}/);
  const parts = pieces.filter((_, at) => at % 2 === 1);
  const known: readonly string[] = [...TEMPLATES[name], ...OPTIONAL[name]];
  const other = parts.find((each) => !known.includes(each));
  if (other !== undefined) throw new RefusalError(`${file} has {{${other}}}, not one of ${known.join(", ")}`);
  const lacking = TEMPLATES[name].filter((each) => !parts.includes(each));
  if (lacking.length > 0) throw new RefusalError(`${file} has no place for {{${lacking.join("}}, {{")}}}`);
  return {
    source: `${name} ${source}`,
    has: (part: string): boolean => parts.includes(part),
    fill: (values: Readonly<Record<string, Html>>): Html => {
      let filled = pieces[0]!;
      for (let at = 1; at < pieces.length; at += 2) filled += (values[pieces[at]!] ?? NOTHING) + pieces[at + 1]!;
      return filled as Html;
    },
  };
}

/** Loads a theme: any of `frame.html`, `entity.html`, `home.html` and `entity-{endpoint}.html`, and `theme.css`, which follows the service's own. Throws `RefusalError`. */
export function loadTheme(directory?: string) {
  const folder = directory === undefined ? undefined : resolve(directory);
  if (folder !== undefined && !(existsSync(folder) && statSync(folder).isDirectory()))
    throw new RefusalError(`${folder} is not a directory`);
  const files = new Set(folder === undefined ? [] : readdirSync(folder));
  const read = (name: TemplateName, file = `${name}.html`) => {
    const path = folder !== undefined && files.has(file) ? pathJoin(folder, file) : undefined;
    return templateOf(name, readFileSync(path ?? packageFile(`assets/pages/${file}`), "utf8"), path ?? file);
  };
  const templates = { frame: read("frame"), entity: read("entity"), home: read("home") };
  const named = [...files].filter((file) => /^entity-\w+\.html$/.test(file));
  const ofEndpoints = new Map(named.map((file) => [file, read("entity", file)]));
  const sources = [...Object.values(templates), ...ofEndpoints.values()].map(({ source }) => source);
  return {
    templates,
    entityTemplate: (endpoint: string) => ofEndpoints.get(`entity-${endpoint}.html`) ?? templates.entity,
    /** The directory of the theme, from which pages may load files; `undefined` without a theme. */
    directory: folder,
    hasStyle: files.has("theme.css"),
    digest: tagOf(sources.join("\n")),
  };
}
