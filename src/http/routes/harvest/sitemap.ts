/** `/sitemap.xml` and its pages list the URLs for crawlers. `/robots.txt` names the paths that they are asked not to crawl. */
import { XML_DECLARATION, xmlElement, xmlText } from "../../../base/xml.js";
import { hasFacets, NUMBERS_A_BLOCK, type StoreWith } from "../../../store/store.js";
import type { Addresses } from "../../entity/addresses.js";
import { type Content, fixedContent, tagOf } from "../../message/content.js";
import { fromStore, ProblemError } from "../../message/problems/problems.js";
import { LANGUAGE_PARAMETER } from "../../pages/site.js";
import { type Operation, type RouteMaker, readRoute } from "../route.js";

/** How many record numbers a page covers. A record gets its number at creation and never changes pages. The protocol allows 50,000 URLs and 50 MB (sitemaps.org). */
const PAGE = NUMBERS_A_BLOCK;
/** How many numbers to look up in one turn of the event loop. */
const LOOKED_UP = 250;

const XML = "application/xml";
const NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";

/** Paths that are useless to crawlers of entities or costly to answer, and the variants of pages in chosen languages. */
const DISALLOWED = [
  ..."/sparql /search /related /reconcile /referring /browse".split(" "),
  // Not all of `/activity`: it is where some collections have their events.
  ..."/activity/page/ /activity/*/page/ /activity/change/ /activity/record? /activity/set?".split(" "),
  ..."/ldes /oai /versions /dumps /loads".split(" "),
  `/*?${LANGUAGE_PARAMETER}=`,
  `/*&${LANGUAGE_PARAMETER}=`,
];

export const sitemapRoutes: RouteMaker = ({ store, base, addresses, robots, site }) => {
  const ofIndex = { ...about("sitemap", "The pages of the sitemap."), conditions: "tags and dates" } as const;
  const ofPage = about("sitemapPage", "The addresses of some of the records, with when each was changed.");
  const sitemap = hasFacets(store, "lists")
    ? [
        readRoute("/sitemap.xml", "page", ofIndex, () => index(store, base)),
        readRoute("/sitemap/{number}.xml", "page", ofPage, ({ number }) => page(store, addresses, number)),
      ]
    : [];
  const rules = [
    "User-agent: *",
    ...DISALLOWED.map((each) => `Disallow: ${site.path}${each}`),
    "",
    ...(sitemap.length > 0 ? [`Sitemap: ${base}/sitemap.xml`] : []),
  ];
  const robotsOperation = { ...about("robots", "What crawlers may ask for."), types: ["text/plain"] };
  const text = fixedContent("text/plain; charset=utf-8", robots ?? `${rules.join("\n")}\n`);
  return [readRoute("/robots.txt", "page", robotsOperation, () => text), ...sitemap];
};

function about(id: string, summary: string): Operation {
  return { id, tag: "Harvest", summary, types: [XML], conditions: "tags" };
}

/** The sitemap index: the pages of all numbers given so far, each with the time when one of its records was last changed or deleted. */
async function index(store: StoreWith<"lists">, base: string): Promise<Content> {
  const [{ lastChange }, times] = await fromStore(() => Promise.all([store.stats(), store.lists.blockTimes()]));
  const pages = times.length === 0 ? [undefined] : times;
  const entries = pages.map((time, at) => entry("sitemap", `${base}/sitemap/${at + 1}.xml`, time)).join("");
  const body = `${XML_DECLARATION}<sitemapindex xmlns="${NAMESPACE}">\n${entries}</sitemapindex>\n`;
  return { ...fixedContent(XML, body), modified: lastChange ?? undefined };
}

async function page(store: StoreWith<"lists">, addresses: Addresses, number: number): Promise<Content> {
  const [{ sequence, lastChange }, { last }] = await fromStore(() =>
    Promise.all([store.stats(), store.lists.numbered(1, 0)]),
  );
  const pages = Math.max(1, Math.ceil(last / PAGE));
  if (number > pages) throw new ProblemError("not-found", `The sitemap has pages 1 to ${pages}.`);
  const first = (number - 1) * PAGE + 1;
  async function* body(): AsyncIterable<string> {
    yield `${XML_DECLARATION}<urlset xmlns="${NAMESPACE}">\n`;
    for (let at = first; at < first + PAGE && at <= last; at += LOOKED_UP) {
      const { records } = await fromStore(() => store.lists.numbered(at, LOOKED_UP));
      yield records.map(({ iri, modified }) => entry("url", addresses.url(iri), modified)).join("");
    }
    yield "</urlset>\n";
  }
  return { type: XML, body, tag: tagOf(`${addresses.state} ${number} ${sequence} ${lastChange}`) };
}

/** An entry: a URL, with the time of its last change in milliseconds since 1970. */
function entry(name: "sitemap" | "url", address: string, time: number | undefined): string {
  const lastmod = time === undefined ? "" : xmlElement("lastmod", {}, new Date(time).toISOString());
  return `${xmlElement(name, {}, xmlElement("loc", {}, xmlText(address)) + lastmod)}\n`;
}
