/** Content negotiation: the headers that real clients send, the rules of RFC 9110, 12.5.1, and arbitrary input. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Addresses } from "../../../../src/http/entity/addresses.js";
import {
  chosenLanguage,
  MAX_LANGUAGES,
  MAX_PROFILES,
  MAX_RANGES,
  negotiate,
  negotiator,
  type Offer,
  parseAccept,
  parseAcceptLanguage,
  parseAcceptProfile,
  wantedLanguages,
} from "../../../../src/http/message/headers/negotiate.js";
import { DEFAULT_SITE, navigation, Site } from "../../../../src/http/pages/site.js";
import { representations } from "../../../../src/http/representations/representations.js";
import { DEFAULT_MODEL } from "../../../../src/model/settings.js";
import { ANY_CODE_POINT } from "../../../generated-texts.js";
import { forAll, runsOf } from "../../../properties.js";

const LINKED_ART = DEFAULT_MODEL.contextUri;
const EXPANDED = "http://www.w3.org/ns/json-ld#expanded";
const COMPACTED = "http://www.w3.org/ns/json-ld#compacted";

/** The representations that are data. Another test covers what browsers get. */
const offers = representations({
  model: DEFAULT_MODEL,
  documents: { document: () => ({}), text: () => undefined, expanded: () => [] },
  site: new Site(new Addresses({ baseUrl: "http://data.museum.example" }), DEFAULT_SITE, navigation({})),
}).filter(({ format }) => format !== "schema" && format !== "html");

function chosen(header: string | undefined): string | undefined {
  return negotiate(header, offers)?.format;
}

/** The header that each client sends by default, or for the format that its user asked for. */
const CLIENTS: readonly (readonly [client: string, header: string | undefined, format: string | undefined])[] = [
  ["no header (RFC 9110: any media type)", undefined, "jsonld"],
  ["an empty header", "", "jsonld"],
  ["curl, wget, Node's fetch, Python requests and so the LUX harvester", "*/*", "jsonld"],
  [
    "Chrome",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
    "jsonld",
  ],
  ["Firefox", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "jsonld"],
  [
    "Firefox before 132",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    "jsonld",
  ],
  ["Safari", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "jsonld"],
  ["an image element in Chrome", "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", "jsonld"],
  ["axios", "application/json, text/plain, */*", "json"],
  ["a client of the Linked Art API", `application/ld+json;profile="${LINKED_ART}"`, "jsonld"],
  ["the same, without the necessary quotation marks", `application/ld+json;profile=${LINKED_ART}`, "jsonld"],
  [
    "a LUX harvester",
    `application/ld+json;profile="${LINKED_ART}", application/ld+json, application/json;q=0.9`,
    "jsonld",
  ],
  ["jsonld.js", "application/ld+json, application/json", "jsonld"],
  ["PyLD", "application/ld+json, application/json;q=0.5", "jsonld"],
  ["RDFLib, no format given", "application/rdf+xml,text/rdf+n3;q=0.9,application/xhtml+xml;q=0.5, */*;q=0.1", "rdf"],
  ["RDFLib, format turtle", "text/turtle,application/x-turtle, */*;q=0.1", "ttl"],
  ["RDFLib, format json-ld", "application/ld+json, application/json;q=0.9, */*;q=0.1", "jsonld"],
  ["RDFLib's old plugin, which writes p for q", "application/ld+json, application/json;p=0.9, */*;q=0.1", "jsonld"],
  [
    "Jena",
    "text/turtle,application/n-triples;q=0.9,application/ld+json;q=0.8,application/rdf+xml;q=0.7,*/*;q=0.3",
    "ttl",
  ],
  [
    "rapper 2.0.14",
    "application/rdf+xml, text/rdf;q=0.6, application/n-triples, text/plain;q=0.1, text/turtle, application/x-turtle, application/turtle, text/n3;q=0.3, text/rdf+n3;q=0.3, application/rdf+n3;q=0.3, application/x-trig, application/rss;q=0.8, application/rss+xml;q=0.8, text/rss;q=0.8, application/xml;q=0.3, text/xml;q=0.3, application/atom+xml;q=0.3, text/html;q=0.2, application/xhtml+xml;q=0.4, text/html;q=0.6, application/xhtml+xml;q=0.8, text/x-nquads, */*;q=0.1",
    "rdf",
  ],
  [
    "Ruby's RDF.rb 3.1.15",
    "text/turtle, text/rdf+turtle, application/turtle;q=0.2, application/x-turtle;q=0.2, application/ld+json, application/x-ld+json, application/n-triples, text/plain;q=0.2, application/rdf+xml, application/n-quads, text/x-nquads;q=0.2, */*;q=0.1",
    "ttl",
  ],
  ["Protege", "application/rdf+xml, application/xml; q=0.7, text/xml; q=0.6, text/plain; q=0.1, */*; q=0.09", "rdf"],
  [
    "Comunica",
    "application/n-quads,application/trig;q=0.95,application/ld+json;q=0.9,application/n-triples;q=0.8,*/*;q=0.1",
    "jsonld",
  ],
  ["the RDF Browser extension", "text/turtle,application/n-triples;q=0.9,application/rdf+xml;q=0.7,*/*;q=0.5", "ttl"],
  ["Java's HttpURLConnection", "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", "jsonld"],
  ["Internet Explorer", "text/html, application/xhtml+xml, */*", "jsonld"],
  ["an XML tool", "application/rdf+xml, application/xml;q=0.5", "rdf"],
  ["OWLAPI", "application/rdf+xml, application/xml; q=0.7, text/xml; q=0.6, text/plain; q=0.1, */*; q=0.09", "rdf"],
  [
    "Jena, for a dataset",
    "application/trig,application/n-quads;q=0.9,application/ld+json;q=0.8,text/turtle;q=0.7,*/*;q=0.3",
    "jsonld",
  ],
  [
    "Apache Any23",
    "text/html;q=0.5, text/turtle, application/n-triples;q=0.9, application/rdf+xml;q=0.8, application/n-quads;q=0.7, */*;q=0.1",
    "ttl",
  ],
  [
    "Googlebot",
    "text/html,application/xhtml+xml,application/signed-exchange;v=b3,application/xml;q=0.9,*/*;q=0.8",
    "jsonld",
  ],
  ["a client that wants only quads", "application/n-quads", "nq"],
  ["a client that wants quads, or else links", "application/trig, application/linkset+json;q=0.1", "trig"],
  ["a client that wants quads, or else JSON", "application/trig, application/json;q=0.9", "trig"],
  ["a client that wants quads, or else anything", "application/trig, application/n-quads;q=0.9, */*;q=0.1", "trig"],
  ["an image viewer", "image/*", undefined],
];

describe("the headers of real clients", () => {
  it.each(CLIENTS)("%s", (_client, header, format) => {
    expect(chosen(header)).toBe(format);
  });
});

/** RFC 9110, 12.5.1, whose wording the titles use; JSON-LD 1.1, appendix C, for profiles. */
const RULES: readonly (readonly [rule: string, header: string, format: string | undefined])[] = [
  ["type and subtype are case-insensitive", "TEXT/Turtle", "ttl"],
  ["a range of a type", "text/*", "ttl"],
  ["a range of a type takes its default", "application/*", "jsonld"],
  ["quality decides", "text/turtle;q=0.5, application/n-triples;q=0.6", "nt"],
  ["quality decides before precision", "text/turtle;q=0.5, */*", "jsonld"],
  ["the most specific range decides the quality", "*/*, application/ld+json;q=0.1, application/json;q=0.1", "ttl"],
  ["q=0 is not acceptable", "text/turtle;q=0", undefined],
  ["q=0 on one leaves the rest", "application/ld+json;q=0, application/json;q=0.0, text/*;q=0.000, */*;q=0.5", "nt"],
  ["q=0 for everything but one", "*/*;q=0, application/n-triples;q=0.001", "nt"],
  ["a named type before a wildcard of the same quality", "*/*, text/turtle", "ttl"],
  ["the first of equals", "application/n-triples, text/turtle", "nt"],
  ["the parameter Q", "text/turtle;Q=0.1, application/n-triples;q=0.2", "nt"],
  ["white space around everything", " text/turtle ; q=0.1 ,\tapplication/n-triples ; q=0.2 ", "nt"],
  ["parameters after the weight are ignored", "text/turtle;q=0.9;profile=x, application/n-triples;q=0.8", "ttl"],
  ["the charset makes no difference", "text/turtle;charset=utf-8", "ttl"],
  ["a parameter that no representation has", "application/json;indent=4", "json"],
  ["... refuses nothing", "application/json;indent=4;q=0, application/json", "json"],
  ["... and gives way to the plain range", "text/turtle;x=y, text/turtle;q=0.1, application/n-triples;q=0.5", "nt"],
  ["empty elements", ",, text/turtle ,,", "ttl"],
  [
    "malformed elements are skipped",
    "text, /, a/b/c, te xt/turtle, */turtle, text/turtle;q=x, application/n-triples",
    "nt",
  ],
  ["a weight above 1 is malformed", "text/turtle;q=2, application/n-triples;q=0.1", "nt"],
  ["a header of only malformed elements is ignored", "text, turtle", "jsonld"],
  ["a comma in a quoted string", 'text/turtle;x="a,text/html", application/n-triples;q=0.1', "ttl"],
  [
    "an escaped quotation mark",
    'text/turtle;x="a\\",application/n-triples;y=\\"";q=0.1, application/n-triples;q=0.2',
    "nt",
  ],
  ["an open quotation mark", 'application/n-triples, text/turtle;x="', "nt"],
  ["the profile of the expanded form", `application/ld+json;profile="${EXPANDED}"`, "expanded"],
  ["the profile of the compacted form", `application/ld+json;profile="${COMPACTED}"`, "jsonld"],
  ["a profile on application/json", `application/json;profile="${LINKED_ART}"`, "json"],
  ["an unknown profile is ignored", 'application/ld+json;profile="http://example.org/other"', "jsonld"],
  ["... also before another type", 'application/ld+json;profile="http://example.org/other", text/turtle', "jsonld"],
  [
    "... and refusing one refuses nothing",
    'application/ld+json;profile="http://example.org/other";q=0, */*;q=0.1',
    "jsonld",
  ],
  ["several profiles, one unknown", `application/ld+json;profile="http://example.org/other ${EXPANDED}"`, "expanded"],
  ["several profiles of one form", `application/ld+json;profile="${EXPANDED}  ${COMPACTED} ${LINKED_ART}"`, "jsonld"],
  ["a profile in single words", `application/ld+json;PROFILE="${EXPANDED}"`, "expanded"],
  ["profiles are case-sensitive", `application/ld+json;profile="${EXPANDED.toUpperCase()}"`, "jsonld"],
  ["a profile refused", `application/ld+json;profile="${LINKED_ART}";q=0, application/ld+json`, "expanded"],
  ["profiles by quality", `application/ld+json;profile="${EXPANDED}";q=0.2, application/ld+json;q=0.1`, "expanded"],
];

describe("the rules", () => {
  it.each(RULES)("%s: %s", (_rule, header, format) => {
    expect(chosen(header)).toBe(format);
  });

  it("give the qualities of RFC 9110's table, with erratum 7138", () => {
    const header = "text/*;q=0.3, text/plain;q=0.7, text/plain;format=flowed, text/plain;format=fixed;q=0.4, */*;q=0.5";
    const quality = (mediaType: string, rivalQuality: number): boolean =>
      negotiate(`${header}, rival/rival;q=${rivalQuality}`, [
        { mediaType: "rival/rival", profiles: [] },
        { mediaType, profiles: [] },
      ])?.mediaType === mediaType;
    for (const [mediaType, expected] of [
      ["text/plain", 0.7],
      ["text/html", 0.3],
      ["image/jpeg", 0.5],
    ] as const) {
      expect([quality(mediaType, expected - 0.1), quality(mediaType, expected + 0.1)]).toEqual([true, false]);
    }
  });
});

const token = fc.stringMatching(/^[a-z*!+.-]{1,8}$/);
const weight = fc.oneof(fc.constantFrom("0", "1", "0.5", "0.001", ".2", "2", "x", ""), fc.string({ maxLength: 3 }));
const element = fc
  .record({
    type: token,
    subtype: token,
    parameters: fc.array(fc.tuple(token, fc.string({ maxLength: 9 }))),
    q: weight,
  })
  .map(({ type, subtype, parameters, q }) =>
    [`${type}/${subtype}`, ...parameters.map(([name, value]) => `${name}="${value}"`), `q=${q}`].join(";"),
  );
const knownElement = fc.constantFrom(...offers.map(({ contentType }) => contentType), "*/*", "text/*", "application/*");
const header = fc.oneof(
  fc.string({ unit: ANY_CODE_POINT }),
  fc.string({ unit: fc.constantFrom(...'aq*/;,="\\ .01') }),
  fc.array(fc.oneof(element, knownElement), { maxLength: 6 }).map((elements) => elements.join(",")),
);

describe("any header", () => {
  it("gives one of the offers or none", () => {
    forAll([header], runsOf(2_000), (text) => {
      const outcome = negotiate(text, offers);
      expect(outcome === undefined || offers.includes(outcome)).toBe(true);
    });
  });

  it("parses into ranges with weights from 0 to 1", () => {
    forAll([header], runsOf(2_000), (text) => {
      for (const { type, subtype, weight } of parseAccept(text)) {
        expect(type).not.toBe("");
        expect(subtype).not.toBe("");
        expect(weight >= 0 && weight <= 1).toBe(true);
      }
    });
  });

  it("never gives a type that is refused by name", () => {
    forAll([fc.constantFrom(...offers), header], runsOf(2_000), (refused, rest) => {
      // Quotation marks in the rest could make the refusal part of a string, so the refusal comes first.
      expect(negotiate(`${refused.mediaType};q=0,${rest}`, [bare(refused)])).toSatisfy(
        (outcome: unknown) => outcome === undefined || parseAccept(rest).some(names(refused)),
      );
    });
  });

  it("always finds a type that is accepted by name, whatever else the header has", () => {
    forAll([fc.constantFrom(...offers), fc.array(element, { maxLength: 5 })], runsOf(2_000), (wanted, others) => {
      expect(negotiate([wanted.mediaType, ...others].join(","), offers)).toBeDefined();
    });
  });

  it("gives the same result from the cache as when computed", () => {
    const choose = negotiator(offers);
    forAll([header], runsOf(1_000), (text) => {
      const first = choose(text);
      expect(first).toBe(negotiate(text, offers));
      expect(choose(text)).toBe(first);
    });
  });
});

/** An offer without profiles, which only its media type can select. */
function bare({ mediaType }: Offer): Offer {
  return { mediaType, profiles: [] };
}

function names({ mediaType }: Offer): (range: { type: string; subtype: string; weight: number }) => boolean {
  return ({ type, subtype, weight }) => `${type}/${subtype}` === mediaType && weight > 0;
}

describe("Accept-Profile (Content Negotiation by Profile, 7.1)", () => {
  it.each([
    ["<urn:a>", ["urn:a"]],
    ["<urn:a>;q=0.2, <urn:b>", ["urn:b", "urn:a"]],
    ["<urn:a,b>; q=0.2,<urn:c> ;q=0", ["urn:a,b"]],
    ["<urn:a>;q=2, <urn:b>;q=x", []],
    ["urn:a", []],
    ["", []],
  ])("reads %j", (header, profiles) => {
    expect(parseAcceptProfile(header)).toEqual(profiles);
  });

  it("never selects what Accept refuses, and something exactly when Accept alone does", () => {
    forAll(
      [fc.string(), fc.constantFrom("text/turtle", "*/*", "application/json;q=0.1", "image/png")],
      runsOf(2_000),
      (wish, accept) => {
        const chosen = negotiate(accept, offers, wish);
        expect(chosen === undefined).toBe(negotiate(accept, offers) === undefined);
        if (chosen !== undefined) expect(negotiate(accept, [chosen])).toBe(chosen);
      },
    );
  });
});

describe("ranges that match an offer equally well", () => {
  const TYPES = ["text/turtle", "application/n-triples", "application/json"];
  const offered = TYPES.map((mediaType): Offer => ({ mediaType, profiles: [] }));

  it.each([
    ["text/turtle;q=0.2, text/turtle;q=0.9, application/n-triples;q=0.5", "text/turtle"],
    ["text/turtle;q=0.9, text/turtle;q=0.2, application/n-triples;q=0.5", "text/turtle"],
    ["text/turtle;q=0.2, text/turtle;q=0.4, application/n-triples;q=0.5", "application/n-triples"],
    ["application/n-triples, text/turtle", "application/n-triples"],
    ["text/turtle;q=0.5, application/n-triples;q=0.5", "text/turtle"],
    ["application/*, text/turtle", "text/turtle"],
    ["text/turtle;q=0, */*", "application/n-triples"],
    ["*/*;q=0, text/turtle", "text/turtle"],
    ["*/*;q=0", undefined],
    ['text/turtle;q="0.5", application/n-triples;q="0.9"', "application/n-triples"],
    ['text/turtle;a="x;q=0", application/n-triples;q=0.5', "text/turtle"],
    ['text/turtle;profile=", application/n-triples', "text/turtle"],
    ["text/turtle;q=0.5;x=1, application/n-triples;q=0.6;q=0.1", "application/n-triples"],
    [" Text/Turtle ; Q=1 ", "text/turtle"],
    ["text/turtle/x, application/json", "application/json"],
    ["*/turtle, application/json", "application/json"],
  ])("%j gets %s", (header, mediaType) => expect(negotiate(header, offered)?.mediaType).toBe(mediaType));

  it("choose a dataset when no type is named", () => {
    const dataset: Offer = { mediaType: "application/trig", profiles: [], holds: "quads" };
    for (const header of [undefined, "*/*", "application/*, text/*;q=0.5"])
      expect(negotiate(header, [dataset, ...offered])).toBe(dataset);
  });

  it("are cached by header, up to a length", () => {
    const remembered = negotiator(offered);
    for (const header of ["text/turtle", "application/json", "text/turtle", `text/turtle;x=${"a".repeat(2_000)}`])
      for (const _ of [1, 2]) expect(remembered(header)).toBe(negotiate(header, offered));
  });
});

describe("a media range", () => {
  const plain = { type: "text", subtype: "html", profiles: [], otherParameters: false, weight: 1 };

  it.each([
    ["text/html", plain],
    [" Text/HTML ; Charset=utf-8", plain],
    ["text/html;;", plain],
    ["text/html; =x", plain],
    ["text/html; level", { ...plain, otherParameters: true }],
    ["text/html; q=.5; level=1", { ...plain, weight: 0.5 }],
    ["text/html; q = 0.5", { ...plain, weight: 0.5 }],
    ['text/html; q="0.5"', { ...plain, weight: 0.5 }],
    ['text/html; profile=" urn:a\turn:b  "', { ...plain, profiles: ["urn:a", "urn:b"] }],
    ["text/html; profile=urn:a", { ...plain, profiles: ["urn:a"] }],
    ['text/html; profile="urn:a', { ...plain, profiles: ["urn:a"] }],
    ['text/html; profile=urn:a"', { ...plain, profiles: ['urn:a"'] }],
    ['text/html; profile="', plain],
    ["text/html; profile", plain],
    ["*/*", { ...plain, type: "*", subtype: "*" }],
    ["*", { ...plain, type: "*", subtype: "*" }],
    ["text/*", { ...plain, subtype: "*" }],
  ])("%j is read", (element, range) => expect(parseAccept(element)).toEqual([range]));

  it.each(["", "text", "text/", "/html", "text/html/x", "*/html", "te xt/html", "text/html;q", "text/html;q=1.1"])(
    "%j is not one",
    (element) => expect(parseAccept(`${element}, text/html`)).toEqual([plain]),
  );

  it("matches a type only by its whole name", () => {
    const offers = [
      { mediaType: "texts/html", profiles: [] },
      { mediaType: "text/html", profiles: [] },
    ];
    expect(negotiate("text/*", offers)).toBe(offers[1]);
    expect(negotiate("text/html", offers)).toBe(offers[1]);
    expect(negotiate("text/tml, */*;q=0.1", offers)).toBe(offers[0]);
  });
});

describe("a reader's languages", () => {
  it("are wanted without their regions, each once", () => {
    expect(wantedLanguages("de-CH, de;q=0.9, fr-CA;q=0.8")).toEqual({ languages: ["de", "fr"], chosen: undefined });
    expect(wantedLanguages(undefined)).toEqual({ languages: [], chosen: undefined });
    expect(wantedLanguages("")).toEqual({ languages: [], chosen: undefined });
  });

  it("are the one language that the address chose", () => {
    expect(wantedLanguages(chosenLanguage("pt-br"))).toEqual({ languages: ["pt"], chosen: "pt-br" });
    expect(wantedLanguages(`fr, ${chosenLanguage("nl")};q=0.5`).chosen).toBeUndefined();
  });
});

describe("Accept-Language (RFC 9110, 12.5.4)", () => {
  it.each([
    ["de", ["de"]],
    ["en-GB;q=0.5, DE-ch, fr;q=0.9, *;q=0.1", ["de-ch", "fr", "en-gb"]],
    ["de;q=0, en;q=x, fr;q=2, _, it", ["it"]],
    ["de, de;q=0.5", ["de"]],
    ["", []],
  ])("reads %j", (header, languages) => {
    expect(parseAcceptLanguage(header)).toEqual(languages);
  });
});

describe("a limit", () => {
  it("applies to the ranges of Accept", () => {
    const behind = (ranges: number) => [...new Array<string>(ranges).fill("image/png"), "text/turtle"].join();
    expect(chosen(behind(MAX_RANGES - 1))).toBe("ttl");
    expect(chosen(behind(MAX_RANGES))).toBeUndefined();
  });

  it("applies to the profiles of a range", () => {
    const behind = (profiles: number) =>
      `application/ld+json;profile="${[...new Array<string>(profiles).fill("urn:x"), EXPANDED].join(" ")}"`;
    expect(chosen(behind(MAX_PROFILES - 1))).toBe("expanded");
    expect(chosen(behind(MAX_PROFILES))).toBe("jsonld");
  });

  it("applies to the profiles of Accept-Profile", () => {
    const behind = (profiles: number) => [...new Array<string>(profiles).fill("<urn:x>"), `<${EXPANDED}>`].join();
    expect(negotiate("*/*", offers, behind(MAX_PROFILES - 1))?.format).toBe("expanded");
    expect(negotiate("*/*", offers, behind(MAX_PROFILES))?.format).toBe("jsonld");
  });

  it("applies to the languages of Accept-Language", () => {
    const behind = (languages: number) => [...new Array<string>(languages).fill("_"), "de"].join();
    expect(parseAcceptLanguage(behind(MAX_LANGUAGES - 1))).toEqual(["de"]);
    expect(parseAcceptLanguage(behind(MAX_LANGUAGES))).toEqual([]);
  });

  // Quadratic time would exceed the runner's own timeout: 31 KB took 1.5 s each, and these are ten times as long.
  it("keeps every header quick to read", () => {
    const hostile = ["<", "<urn:x>;", "<urn:x>,", ";q=", " ", "\t;", ",", '"', "\\", "a/a;", "q=0 ", "de-", "de ;"];
    for (const piece of hostile) {
      const header = piece.repeat(320_000 / piece.length);
      negotiate(header, offers, `${header}>`);
      negotiate(header, offers, `<${EXPANDED}>,`.repeat(400));
      parseAcceptLanguage(`de${header}x`);
    }
  });
});
