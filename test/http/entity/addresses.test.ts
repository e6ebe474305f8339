/** Addresses: request targets as IRIs and back, and the spellings of an IRI (RFC 3986, RFC 3987). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Addresses, pathOf } from "../../../src/http/entity/addresses.js";
import { equivalents, MALFORMED_ENCODING, toUri } from "../../../src/http/entity/iri-equivalents.js";
import { iriProblem } from "../../../src/rdf/terms.js";
import { ANY_CODE_POINT, webPath } from "../../generated-texts.js";
import { forAll, runsOf } from "../../properties.js";

describe("the path of a request target", () => {
  it.each([
    ["/object/1", "/object/1"],
    ["/object/1?a=b&c", "/object/1?a=b&c"],
    ["http://example.org/object/1", "/object/1"],
    ["HTTPS://example.org:8080?a", "/?a"],
    ["http://example.org", "/"],
    ["//example.org/object", "//example.org/object"],
  ])("%s", (target, path) => {
    expect(pathOf(target)).toBe(path);
  });

  it.each(["*", "object/1", "", "example.org:80", "ftp://example.org/a"])("is undefined: %j", (target) => {
    expect(pathOf(target)).toBeUndefined();
  });
});

const addressesOf = ([baseUrl = "", ...otherBaseUrls]: readonly string[]): Addresses =>
  new Addresses({ baseUrl, otherBaseUrls });

describe("what a path names", () => {
  const plain = new Addresses({ baseUrl: "http://localhost:3000/" });
  const deep = new Addresses({ baseUrl: "https://data.museum.org/collection" });

  it("is the base URL and the path, with the query and any trailing slash as they are", () => {
    expect(plain.named("/object/1?x=1").iris).toEqual(["http://localhost:3000/object/1?x=1"]);
    expect(plain.named("/object/").iris).toEqual(["http://localhost:3000/object/"]);
    expect(deep.named("/object/1").iris).toEqual(["https://data.museum.org/collection/object/1"]);
  });

  it("is the same in every spelling of a base URL with Unicode in its path", () => {
    const unicode = new Addresses({ baseUrl: "https://data.example/musée/" });
    expect([unicode.base, unicode.path]).toEqual(["https://data.example/mus%C3%A9e", "/mus%C3%A9e"]);
    expect(unicode.url("https://data.example/musée/1")).toBe("https://data.example/mus%C3%A9e/1");
    for (const path of ["/mus%C3%A9e/1", "/mus%c3%a9e/1", "/musée/1"]) {
      expect(unicode.servicePath(path)).toBe("/1");
      expect(unicode.named(path).iris).toContain(`https://data.example${path}`);
    }
  });

  it("is also the origin and the path, for a proxy that keeps the base URL's path", () => {
    expect(deep.named("/collection/object/1").iris).toEqual([
      "https://data.museum.org/collection/collection/object/1",
      "https://data.museum.org/collection/object/1",
    ]);
    expect(deep.servicePath("/collection/health")).toBe("/health");
    expect(deep.servicePath("/collection")).toBe("/");
    expect(deep.servicePath("/collections/health")).toBe("/collections/health");
    expect(deep.servicePath("/health")).toBe("/health");
  });

  it.each([
    ["/entity?uri=http%3A%2F%2Fvocab.getty.edu%2Faat%2F300033618", "http://vocab.getty.edu/aat/300033618"],
    ["/entity?uri=http://vocab.getty.edu/aat/300033618", "http://vocab.getty.edu/aat/300033618"],
    ["/entity?x=1&uri=urn:a%26b&y", "urn:a&b"],
    ["/entity?uri=urn:a+b", "urn:a+b"],
    ["/entity?uri=urn:%C3%A4", "urn:ä"],
    ["/entity?uri=urn:a%23b", "urn:a#b"],
  ])("is the IRI in the parameter: %s", (path, iri) => {
    expect(plain.named(path)).toEqual({
      iris: [`http://localhost:3000${path}`, iri],
      likeliest: iri,
      lacksParameter: false,
    });
  });

  it.each([
    "/entity",
    "/entity?",
    "/entity?uri=",
    "/entity?uri",
    "/entity?iri=urn:a",
    "/entity?uri=%FF",
    "/entity?uri=urn:a&uri=urn:b",
  ])("is nothing under /entity without one parameter: %s", (path) => {
    expect(plain.named(path).iris).toHaveLength(1);
    expect(plain.named(path).lacksParameter).toBe(true);
    expect(deep.named(`/collection${path}`).lacksParameter).toBe(true);
  });

  it("does not take the parameter of a path that only begins with /entity", () => {
    expect(plain.named("/entity/1?uri=urn:a").lacksParameter).toBe(false);
  });

  it("is first under the base URL of the requested host, then under the others", () => {
    const several = addressesOf(["https://data.museum.org/c", "http://Old.museum.org/", "https://old.museum.org"]);
    const asked = (host?: string, scheme?: string) => several.named("/1", { host, scheme }).iris;
    expect(asked("old.museum.org")[0]).toBe("http://Old.museum.org/1");
    expect(asked("old.museum.org", "https")).toEqual([
      "https://old.museum.org/1",
      "http://Old.museum.org/1",
      "https://data.museum.org/c/1",
    ]);
    for (const host of ["data.museum.org", "elsewhere.org", undefined]) {
      expect(asked(host)[0]).toBe("https://data.museum.org/c/1");
      expect(asked(host)).toHaveLength(3);
    }
    expect(several.named("/c/1", { host: undefined, scheme: undefined }).likeliest).toBe("https://data.museum.org/c/1");
    expect(several.url("http://Old.museum.org/ä")).toBe("http://Old.museum.org/%C3%A4");
    expect(several.url("urn:a")).toBe("https://data.museum.org/c/entity?uri=urn%3Aa");
  });

  it("is itself first, if base URLs of one origin are below each other", () => {
    const nested = ["http://a.org/c", "http://a.org", "http://b.org", "http://a.org/c/d"] as const;
    for (const bases of [nested, nested.toReversed()]) {
      const several = addressesOf(bases);
      for (const path of ["/1", "/c/1", "/c/d/1", "/cd/1"]) {
        const { iris } = several.named(path, { host: "a.org", scheme: "http" });
        expect(iris[0]).toBe(`http://a.org${path}`);
        expect(new Set(iris).size).toBe(iris.length);
        expect(several.servicePath(path)).toBe(path === "/cd/1" ? path : "/1");
      }
    }
    // `PUT` writes below the first, which a proxy may have stripped.
    expect(addressesOf(nested).named("/1").likeliest).toBe("http://a.org/c/1");
    expect(addressesOf(nested).named("/c/1").likeliest).toBe("http://a.org/c/1");
  });
});

const iri = fc
  .tuple(
    fc.constantFrom("http://localhost:3000/", "https://example.org/", "urn:x:"),
    webPath,
    fc.string({ unit: "grapheme" }),
  )
  .map(([start, path, end]) => start + path + end)
  .filter((text) => iriProblem(text) === undefined && !MALFORMED_ENCODING.test(text) && text.isWellFormed());

describe("the URL of an entity", () => {
  const addresses = new Addresses({ baseUrl: "http://localhost:3000" });

  it.each([
    ["http://localhost:3000/object/1?a=b", "http://localhost:3000/object/1?a=b"],
    ["http://localhost:3000/ä", "http://localhost:3000/%C3%A4"],
    ["http://localhost:30001/a", "http://localhost:3000/entity?uri=http%3A%2F%2Flocalhost%3A30001%2Fa"],
    ["http://localhost:3000/a#b", "http://localhost:3000/entity?uri=http%3A%2F%2Flocalhost%3A3000%2Fa%23b"],
    ["http://localhost:3000/a'b", "http://localhost:3000/a'b"],
    ["http://localhost:3000/a?b='c", "http://localhost:3000/entity?uri=http%3A%2F%2Flocalhost%3A3000%2Fa%3Fb%3D'c"],
    ["http://localhost:3000/a/../b", "http://localhost:3000/entity?uri=http%3A%2F%2Flocalhost%3A3000%2Fa%2F..%2Fb"],
    ["http://localhost:3000/%2E", "http://localhost:3000/entity?uri=http%3A%2F%2Flocalhost%3A3000%2F%252E"],
    ["http://localhost:3000/ä/%20", "http://localhost:3000/%C3%A4/%20"],
    [
      "http://localhost:3000/ä/%C3%B6",
      "http://localhost:3000/entity?uri=http%3A%2F%2Flocalhost%3A3000%2F%C3%A4%2F%25C3%25B6",
    ],
    ["http://localhost:3000/a/..b/.c", "http://localhost:3000/a/..b/.c"],
    ["urn:ä\r\nSet-Cookie: a=b", "http://localhost:3000/entity?uri=urn%3A%C3%A4%0D%0ASet-Cookie%3A%20a%3Db"],
  ])("%s", (entity, url) => {
    expect(addresses.url(entity)).toBe(url);
  });

  it("is a URI, whose path names the entity again", () => {
    forAll([iri], runsOf(1_000), (entity) => {
      const url = addresses.url(entity);
      expect(url).toMatch(/^[!-~]+$/);
      const path = pathOf(new URL(url).href)!;
      const spellings = addresses.named(path).iris.flatMap((named) => [named, ...equivalents(named)]);
      expect(spellings).toContain(entity);
    });
  });
});

describe("the spellings of an IRI", () => {
  it.each([
    ["http://a/plain-path_1.x", []],
    ["http://a/~user", ["http://a/%7Euser", "http://a/%7euser"]],
    ["http://a/ä", ["http://a/%C3%A4", "http://a/%c3%a4"]],
    ["http://a/%C3%A4", ["http://a/ä", "http://a/%c3%a4"]],
    ["http://a/%c3%a4", ["http://a/ä", "http://a/%C3%A4"]],
    [
      "http://a/%C3%a4/ö",
      ["http://a/ä/ö", "http://a/%C3%A4/%C3%B6", "http://a/%C3%A4/ö", "http://a/%c3%a4/%c3%b6", "http://a/%c3%a4/ö"],
    ],
    [
      "http://a/%7euser%2Dx",
      ["http://a/~user-x", "http://a/%7Euser-x", "http://a/%7Euser%2Dx", "http://a/%7euser-x", "http://a/%7euser%2dx"],
    ],
    ["http://a/a%2fb", ["http://a/a%2Fb"]],
    ["http://a/%F0%9F%96%BC", ["http://a/🖼", "http://a/%f0%9f%96%bc"]],
    // What is not UTF-8 stays as it is; the spelling with a joiner comes last.
    ["http://a/%FF", ["http://a/%ff"]],
    ["http://a/%E2%80%8C", ["http://a/%e2%80%8c", "http://a/\u200c"]],
    ["http://a/\u200c", ["http://a/%E2%80%8C", "http://a/%e2%80%8c"]],
    ["http://a/%C2%A0", ["http://a/%c2%a0", "http://a/\u00a0"]],
  ])("%s", (spelling, others) => {
    expect(equivalents(spelling)).toEqual(others);
  });

  it("never decode reserved characters, so they never become another IRI", () => {
    for (const reserved of [..."!#$&'()*+,/:;=?@[]%"]) {
      const encoded = `http://a/x%${reserved.charCodeAt(0).toString(16)}y`;
      for (const spelling of equivalents(encoded)) expect(spelling.toLowerCase()).toBe(encoded);
    }
  });

  it("are IRIs of the same URI", () => {
    forAll([iri], runsOf(2_000), (one) => {
      for (const other of equivalents(one)) {
        expect(iriProblem(other)).toBeUndefined();
        expect(decodeURI(toUri(other).toUpperCase())).toBe(decodeURI(toUri(one).toUpperCase()));
      }
    });
  });

  it("accept any text", () => {
    forAll([fc.string({ unit: ANY_CODE_POINT })], runsOf(2_000), (text) => {
      expect(toUri(text)).toMatch(/^[!-~]*$/);
      for (const other of equivalents(text)) expect(other).not.toBe(text);
    });
  });
});
