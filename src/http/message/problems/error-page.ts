/** Problems as pages for people: what a browser gets where a program gets problem details. */
import { escapeHtml, linkTo } from "../../../base/html.js";
import type { Json } from "../../../rdf/record-graph.js";
import { type HtmlPage, SEARCH_PATH, type Site } from "../../pages/site.js";
import type { WholeAnswer } from "../answer.js";
import { negotiator, type Offer } from "../headers/negotiate.js";
import { PROBLEMS, type ProblemDetails, type ProblemName, problemType } from "./problems.js";

/** Programs come first: whoever has no preference gets what they can read. */
const OFFERS = ["application/problem+json", "application/json", "application/ld+json", "text/html"].map(
  (mediaType): Offer => ({ mediaType, profiles: [] }),
);
const negotiate = negotiator(OFFERS);

/** An answer in the form that the client prefers: a problem may become a page, all others stay as they are. */
export function forReader(answer: WholeAnswer, accept: string | undefined, site: Site): WholeAnswer {
  if (answer.problem === undefined || negotiate(accept)?.mediaType !== "text/html") return answer;
  const { headers } = answer;
  const { body, headers: own } = errorPage(answer.problem, site);
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!.toLowerCase();
    if (name !== "content-type" && name !== "content-length") kept.push(headers[at]!, headers[at + 1]!);
  }
  const described = ["Content-Type", "text/html; charset=utf-8", "Content-Length", String(Buffer.byteLength(body))];
  return { status: answer.status, headers: [...described, ...own, ...kept], body };
}

function errorPage({ title, status, detail, type, instance, members }: ProblemDetails, site: Site): HtmlPage {
  const rest = Object.entries(members).map(
    ([name, value]) => `<dt>${escapeHtml(name)}</dt>\n<dd>${valueHtml(value)}</dd>`,
  );
  return site.plain(
    `${status} ${title}`,
    [
      `<h1>${escapeHtml(title)}</h1>`,
      `<p>${escapeHtml(detail)}</p>`,
      ...(rest.length === 0 ? [] : [`<dl>\n${rest.join("\n")}\n</dl>`]),
      ways(site, status === 404 || status === 410 ? wordsOf(instance ?? "") : ""),
      `<p><small>Status ${status}${instance === undefined ? "" : ` for <code>${escapeHtml(instance)}</code>`}.`,
      `${linkTo(type, "What this means")}.</small></p>`,
    ].join("\n"),
  );
}

/** Where one can go from here. @param words that may find what was meant */
function ways({ base, isSearched }: Site, words = ""): string {
  const search = `${base}${SEARCH_PATH}?text=${encodeURIComponent(words.toWellFormed())}`;
  const links = [
    ...(isSearched && words !== "" ? [linkTo(search, `Search for “${words}”`)] : []),
    linkTo(`${base}/#browse`, "Browse the collection"),
    linkTo(`${base}/`, "Home"),
  ];
  return `<p>${links.join(" · ")}</p>`;
}

/** The words at the end of an address; none where it does not decode. */
function wordsOf(address: string): string {
  const end = /([^/?=]+?)(?:\.html)?\/?$/.exec(address.slice(-MAX_WORDS))?.[1] ?? "";
  try {
    return decodeURIComponent(end)
      .replace(/[-_+\s]+/g, " ")
      .trim();
  } catch {
    return "";
  }
}

/** Characters at the end of an address that are looked at for words. */
const MAX_WORDS = 100;

/** What a type of problem means, for whoever follows the link to its documentation. */
export function problemTypePage(site: Site, name: ProblemName): HtmlPage {
  const { base } = site;
  const { status, title, advice } = PROBLEMS[name];
  return site.plain(
    title,
    [
      `<h1>${escapeHtml(title)}</h1>`,
      `<p>${codeHtml(advice)}</p>`,
      `<p><small>Status ${status}, <code>${escapeHtml(problemType(base, name))}</code>.`,
      `${linkTo(`${base}/problems`, "All types of problems")}.</small></p>`,
      ways(site),
    ].join("\n"),
  );
}

/** All types of problems, each with where it is explained. */
export function problemTypesPage(site: Site): HtmlPage {
  const { base } = site;
  const rows = Object.entries(PROBLEMS).map(
    ([name, { status, title, advice }]) =>
      `<dt>${linkTo(problemType(base, name as ProblemName), `${status} ${title}`)}</dt>\n<dd>${codeHtml(advice)}</dd>`,
  );
  return site.plain("Problems", `<h1>What may go wrong</h1>\n<dl>\n${rows.join("\n")}\n</dl>\n${ways(site)}`);
}

/** Text with what stands between backticks as code. */
function codeHtml(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, "<code>$1</code>");
}

/** Values of extension members: addresses become links, lists lists, objects what they hold. */
function valueHtml(value: Json): string {
  if (Array.isArray(value)) return `<ul>${value.map((item) => `<li>${valueHtml(item)}</li>`).join("")}</ul>`;
  if (typeof value === "object" && value !== null) return Object.values(value).map(valueHtml).join(" ");
  return typeof value === "string" ? linkTo(value) : escapeHtml(String(value));
}
