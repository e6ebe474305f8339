/** Rules for hosts of files: they follow from the representations, a new one included. */
import { expect, it } from "vitest";
import { hostFiles } from "../../../src/cli/site/host-rules.js";
import { Publication } from "../../../src/http/entity/publication.js";
import { navigation } from "../../../src/http/pages/site.js";
import type { RepresentationMaker } from "../../../src/http/representations/representation.js";
import { REPRESENTATIONS } from "../../../src/http/representations/representations.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";

const count: RepresentationMaker = () => ({
  version: 1,
  mediaType: "text/x-count",
  contentType: "text/x-count",
  profiles: [],
  suffix: ".count",
  write: ({ graph }) => String(graph.triples.length / 3),
});

const { jsonld, ttl, schema, html, linkset } = REPRESENTATIONS;
const makers = { jsonld: jsonld!, ttl: ttl!, schema: schema!, html: html!, linkset: linkset!, count };
const settings = { model: DEFAULT_MODEL, baseUrl: "https://data.museum.example/art" };
const files = new Map(hostFiles(new Publication(settings, navigation({}), makers)));

it("choose the first form that is listed, and by profile what has the default's media type", () => {
  const map = files.get("_host/nginx-map.conf")!;
  const choices = [...map.matchAll(/^ {2}"~\*(.*)" (.*);$/gm)].map(([, accept, suffix]) => [accept!, suffix!] as const);
  const formFor = (accept: string) => choices.find(([pattern]) => new RegExp(pattern, "i").test(accept))?.[1];
  for (const [accept, suffix] of [
    ["*/*", undefined],
    ["application/ld+json, text/turtle", undefined],
    ['application/ld+json;profile="https://schema.org/", text/html', ".schema.jsonld"],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "/index.html"],
    // Comunica
    ["application/n-quads,application/ld+json;q=0.9,text/turtle;q=0.6,text/html;q=0.2", undefined],
    ["TEXT/TURTLE, text/html;q=0.5", ".ttl"],
    ["image/*, text/x-count;q=0.5, text/html;q=0.4", ".count"],
  ] as const)
    expect([accept, formFor(accept)]).toEqual([accept, suffix]);
  expect(map).toContain("  default .jsonld;\n");
});

it("give every form its media type", () => {
  const headers = files.get("_headers");
  expect(headers).toContain("/art/*.count\n  Content-Type: text/x-count\n");
  // Cloudflare Pages joins the values of all rules that match, such as one for `.schema.jsonld`.
  expect(headers?.match(/^.*jsonld\n.*$/gm)).toEqual(["/art/*.jsonld\n  Content-Type: application/ld+json"]);
  expect(files.get(".htaccess")).toContain("<FilesMatch \"\\.count$\">\n  ForceType 'text/x-count'\n");
  expect(files.get("_host/nginx-site.conf")).toContain("text/x-count count;");
});

it("take a base URL literally in the patterns of nginx, and decoded", () => {
  const baseUrl = "https://data.museum.example/c++/l%27%C3%A9t%C3%A9%201";
  const named = new Publication({ ...settings, baseUrl }, navigation({}), makers);
  const rules = new Map(hostFiles(named)).get("_host/nginx-site.conf")!;
  expect(rules.match(/(?:rewrite|location(?: =)?) ".*?"/g)).toEqual([
    `location "/c++/l'été 1/"`,
    `rewrite "^/c\\+\\+/l'été 1/(activity(?:/page/[0-9]+)?)$"`,
    `rewrite "^/c\\+\\+/l'été 1/(ldes(?:/page/[0-9]+)?)$"`,
    `rewrite "^/c\\+\\+/l'été 1/context$"`,
    `rewrite "^(/c\\+\\+/l'été 1/.+)/$"`,
    `location = "/c++/l'été 1/.well-known/void"`,
  ]);
});
