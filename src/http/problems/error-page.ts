/** Problems as pages for people: what a browser gets where a program gets problem details. */
import type { Json } from "../../rdf/record-graph.js";
import type { WholeAnswer } from "../answer.js";
import { negotiator, type Offer } from "../headers/negotiate.js";
import { escapeHtml, linkTo, PAGE_HEADERS, page } from "../pages/html.js";
import type { ProblemDetails } from "./problems.js";

/** Programs come first: whoever has no preference gets what they can read. */
const OFFERS = ["application/problem+json", "application/json", "application/ld+json", "text/html"].map(
  (mediaType): Offer => ({ mediaType, profiles: [] }),
);
const negotiate = negotiator(OFFERS);

/** An answer in the form that the client prefers: a problem may become a page, all others stay as they are. */
export function forReader(answer: WholeAnswer, accept: string | undefined): WholeAnswer {
  if (answer.problem === undefined || negotiate(accept)?.mediaType !== "text/html") return answer;
  const { headers } = answer;
  const body = errorPage(answer.problem);
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!.toLowerCase();
    if (name !== "content-type" && name !== "content-length") kept.push(headers[at]!, headers[at + 1]!);
  }
  return {
    status: answer.status,
    headers: [
      "Content-Type",
      "text/html; charset=utf-8",
      "Content-Length",
      String(Buffer.byteLength(body)),
      ...PAGE_HEADERS,
      ...kept,
    ],
    body,
  };
}

function errorPage({ title, status, detail, type, instance, members }: ProblemDetails): string {
  const rest = Object.entries(members).map(
    ([name, value]) => `<dt>${escapeHtml(name)}</dt>\n<dd>${valueHtml(value)}</dd>`,
  );
  return page(
    `${status} ${title}`,
    [
      `<h1>${escapeHtml(title)}</h1>`,
      `<p>${escapeHtml(detail)}</p>`,
      ...(rest.length === 0 ? [] : [`<dl>\n${rest.join("\n")}\n</dl>`]),
      `<p><small>Status ${status}${instance === undefined ? "" : ` for <code>${escapeHtml(instance)}</code>`}.`,
      `${linkTo(type, "What this means")}.</small></p>`,
    ].join("\n"),
  );
}

/** Values of extension members: addresses become links, lists lists, objects what they hold. */
function valueHtml(value: Json): string {
  if (Array.isArray(value)) return `<ul>${value.map((item) => `<li>${valueHtml(item)}</li>`).join("")}</ul>`;
  if (typeof value === "object" && value !== null) return Object.values(value).map(valueHtml).join(" ");
  return typeof value === "string" ? linkTo(value) : escapeHtml(String(value));
}
