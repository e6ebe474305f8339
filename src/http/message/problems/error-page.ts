/** Problems as HTML pages: what a browser gets in place of problem details. */
import type { IncomingMessage } from "node:http";
import { codeHtml, escapeHtml, linkTo } from "../../../base/html.js";
import { unescaped } from "../../../base/plain-text.js";
import { isJsonObject, type Json } from "../../../rdf/record-graph.js";
import type { Publication } from "../../entity/publication.js";
import { html, text } from "../../pages/markup.js";
import { type HtmlPage, SEARCH_PATH, type Site } from "../../pages/site.js";
import { fill, fillHtml } from "../../pages/words/words.js";
import { suffixesOf } from "../../representations/representation.js";
import { type Answer, headersWithout, type ProblemDetails, varyingBy } from "../answer.js";
import { typeNegotiator, wantedLanguages } from "../headers/negotiate.js";
import { PROBLEM_NAMES, PROBLEMS, type ProblemName, problemType, TITLES } from "./problems.js";

/** The types for programs come first: a client without a preference gets problem details. */
const negotiate = typeNegotiator(["application/problem+json", "application/json", "application/ld+json", "text/html"]);

/** The answer in the form that the client prefers: a problem may become a page; other answers stay as they are. @param exchange the request, with its path below the base URL */
export function forReader(
  answer: Answer,
  exchange: { readonly request: Pick<IncomingMessage, "headers">; readonly target: string },
  { site, representations }: Pick<Publication, "site" | "representations">,
): Answer {
  const sent = exchange.request.headers;
  if (answer.problem === undefined || negotiate(sent.accept) !== "text/html") return answer;
  const read = site.for(wantedLanguages(sent["accept-language"]));
  const address = read.path + exchange.target;
  const { body, headers: own } = errorPage(answer.problem, read, address, suffixesOf(representations));
  const kept = headersWithout(answer.headers, "content-type", "content-length");
  const described = ["Content-Type", "text/html; charset=utf-8", "Content-Length", String(Buffer.byteLength(body))];
  return varyingBy({ status: answer.status, headers: [...described, ...own, ...kept], body }, "Accept-Language");
}

function errorPage(details: ProblemDetails, site: Site, address: string, suffixes: readonly string[]): HtmlPage {
  const { status, detail, type, instance, members } = details;
  const { error, problem } = site.words.file;
  const name = type.slice(type.lastIndexOf("/") + 1) as ProblemName;
  const title = problem[name];
  // Leave out members whose value the detail already contains, unless it is to be a link.
  const isSaid = (value: Json): boolean =>
    typeof value === "string" && detail.includes(value) && !/^https?:/.test(value);
  const more = Object.entries(members).filter(([, value]) => !isSaid(value));
  const rest = more.map(([member, value]) => `<dt>${escapeHtml(member)}</dt>\n<dd>${valueHtml(value, site)}</dd>`);
  const path = html`<code>${text(instance ?? "")}</code>`;
  const sentence = members.referrers === undefined ? VISITORS[name] : "onlyMentioned";
  return site.plain(
    `${status} ${title}`,
    [
      `<h1>${escapeHtml(title)}</h1>`,
      ...(sentence === undefined ? [] : [`<p>${escapeHtml(error[sentence])}</p>`]),
      // The detail is always in English.
      `<p lang="en">${codeHtml(detail)}</p>`,
      ...(rest.length === 0 ? [] : [`<dl lang="en">\n${rest.join("\n")}\n</dl>`]),
      linksOnward(site, status === 404 || status === 410 ? wordsOf(instance ?? "", suffixes) : ""),
      `<p><small>${instance === undefined ? fill(error.status, { status: String(status) }) : fillHtml(error.statusFor, { status: text(String(status)), address: path })}`,
      `${linkIn(site, type, error.meaning)}.</small></p>`,
    ].join("\n"),
    address,
  );
}

/** The sentences in the visitor's language, by problem, under their names in the words. */
const VISITORS: Partial<Record<ProblemName, "gone" | "notAcceptable" | "notFound" | "tooMany" | "unavailable">> = {
  gone: "gone",
  "not-acceptable": "notAcceptable",
  "not-found": "notFound",
  "too-many-requests": "tooMany",
  unavailable: "unavailable",
  internal: "unavailable",
};

/** The links onward from an error page. @param sought words to search for */
function linksOnward(site: Site, sought = ""): string {
  const { error } = site.words.file;
  const search = `${site.base}${SEARCH_PATH}?text=${encodeURIComponent(sought.toWellFormed())}`;
  const isSearchable = site.searchPath !== undefined && sought !== "";
  const links = [
    ...(isSearchable ? [linkIn(site, search, fill(error.search, { words: sought }))] : []),
    linkIn(site, `${site.base}/#browse`, error.browse),
    linkIn(site, `${site.base}/`, error.home),
  ];
  return `<p>${links.join(" · ")}</p>`;
}

/** Words to search for, from the end of the path or of the IRI in `?uri=`: `night watch` for `/object/night-watch.jsonld`. */
function wordsOf(address: string, suffixes: readonly string[]): string {
  const [path = ""] = address.split("?", 1);
  const iri = unescaped(new URLSearchParams(address.slice(path.length)).get("uri") ?? path);
  const end = /([^/?=]+?)\/?$/.exec(iri.slice(-MAX_WORDS))?.[1] ?? "";
  const suffix = suffixes.find((each) => end.endsWith(each)) ?? "";
  return end
    .slice(0, end.length - suffix.length)
    .replace(/[-_+\s]+/g, " ")
    .trim();
}

const MAX_WORDS = 100;

/** The page of a missing record for hosts of static files, which know no more about it. @param path its path from the service's root */
export function missingPage(site: Site, path: string): HtmlPage {
  const { error, problem } = site.words.file;
  const title = problem["not-found"];
  const content = [`<h1>${escapeHtml(title)}</h1>`, `<p>${escapeHtml(error.notFound)}</p>`, linksOnward(site)];
  return site.plain(title, content.join("\n"), site.path + path);
}

/** The page that documents a type of problem, to which problems link. */
export function problemTypePage(site: Site, name: ProblemName): HtmlPage {
  const { base } = site;
  const [status, advice] = PROBLEMS[name];
  return site.plain(
    site.words.file.problem[name],
    [
      `<h1 lang="en">${escapeHtml(TITLES[name])}</h1>`,
      `<p lang="en">${codeHtml(advice)}</p>`,
      `<p lang="en"><small>Status ${status}, <code>${escapeHtml(problemType(base, name))}</code>.`,
      `${linkIn(site, `${base}/problems`, "All types of problems")}.</small></p>`,
      linksOnward(site),
    ].join("\n"),
    problemType(site.path, name),
  );
}

/** The page that lists all types of problems, each with a link to its own page. */
export function problemTypesPage(site: Site): HtmlPage {
  const { base } = site;
  const rows = PROBLEM_NAMES.map((name) => {
    const [status, advice] = PROBLEMS[name];
    return `<dt>${linkIn(site, problemType(base, name), `${status} ${TITLES[name]}`)}</dt>\n<dd>${codeHtml(advice)}</dd>`;
  });
  const content = `<h1 lang="en">Types of problems</h1>\n<dl lang="en">\n${rows.join("\n")}\n</dl>\n${linksOnward(site)}`;
  return site.plain(site.words.file.error.problems, content, `${site.path}/problems`);
}

/** The HTML of an extension member's value: a URL becomes a link, an array a list in which nothing is twice, and an object its first value with a link to its `url`, or without one its values. */
function valueHtml(value: Json, site: Site): string {
  const inHtml = (each: Json): string => valueHtml(each, site);
  if (Array.isArray(value)) return `<ul>${[...new Set(value.map((item) => `<li>${inHtml(item)}</li>`))].join("")}</ul>`;
  if (isJsonObject(value) && "url" in value) return linkIn(site, String(value.url), String(Object.values(value)[0]));
  if (isJsonObject(value)) return Object.values(value).map(inHtml).join(" ");
  return typeof value === "string" ? linkIn(site, value) : escapeHtml(String(value));
}

/** A link in the reader's language. */
function linkIn(site: Site, url: string, words = url): string {
  return linkTo(site.link(url), words);
}
