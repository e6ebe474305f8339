/** The client and the target of a request, from the connection or from a trusted proxy's headers. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { clientOf, targetUriOf } from "../../../../src/http/message/headers/forwarded.js";

const HEADERS: IncomingHttpHeaders = {
  host: "inner:3000",
  "x-forwarded-for": "203.0.113.9, 198.51.100.7",
  "x-forwarded-host": "forged.example, Data.Museum.example",
  "x-forwarded-proto": "https",
};

function client(remoteAddress: string, headers: IncomingHttpHeaders = {}, trustProxy = false): string {
  return clientOf({ headers, socket: { remoteAddress } } as unknown as IncomingMessage, trustProxy);
}

describe("without a trusted proxy", () => {
  it("only the connection and the Host header count", () => {
    expect(client("192.0.2.1", HEADERS)).toBe("192.0.2.1");
    expect(targetUriOf(HEADERS, false)).toEqual({ host: "inner:3000", scheme: undefined });
  });
});

describe("the requested address", () => {
  it("is the target's own when the target is in absolute form (RFC 9112, 3.2.2)", () => {
    expect(targetUriOf({ host: "a" }, false, "http://B.example:8080/x?y").host).toBe("b.example:8080");
    expect(targetUriOf({ host: "a" }, true, "https://b.example?x").host).toBe("b.example");
    expect(targetUriOf({ host: "a", "x-forwarded-host": "c" }, true, "http://b.example/").host).toBe("c");
    expect(targetUriOf({ host: "a" }, false, "*").host).toBe("a");
  });

  it("is unknown when nothing states it", () => {
    expect(targetUriOf({}, false).host).toBeUndefined();
    expect(targetUriOf({}, true, "https:///x")).toEqual({ host: "", scheme: undefined });
    expect(targetUriOf({ host: "a" }, false, "http://b.example/c").host).toBe("b.example");
  });

  it("has a port only at its end", () => {
    expect(targetUriOf({ host: "[a:443::1]" }, false).host).toBe("[a:443::1]");
    const behind = (host: string, proto: string) =>
      targetUriOf({ "x-forwarded-host": host, "x-forwarded-proto": proto }, true).host;
    expect(behind("[a:443::1]", "https")).toBe("[a:443::1]");
    expect(behind("[a:80::1]", "http")).toBe("[a:80::1]");
  });

  it("is the same with and without the scheme's default port", () => {
    expect(targetUriOf({ host: "a:443" }, false).host).toBe("a");
    expect(targetUriOf({ host: "a:80" }, false).host).toBe("a");
    expect(targetUriOf({ host: "a:8080" }, false).host).toBe("a:8080");
    const behind = (host: string, proto: string) =>
      targetUriOf({ "x-forwarded-host": host, "x-forwarded-proto": proto }, true).host;
    expect([behind("a:443", "https"), behind("a:80", "http")]).toEqual(["a", "a"]);
    expect([behind("a:80", "https"), behind("a:443", "http")]).toEqual(["a:80", "a:443"]);
  });
});

describe("behind a trusted proxy", () => {
  it("the last value counts, whatever the client sent before", () => {
    expect(client("192.0.2.1", HEADERS, true)).toBe("198.51.100.7");
    expect(targetUriOf(HEADERS, true)).toEqual({ host: "data.museum.example", scheme: "https" });
  });

  it("Forwarded says the same", () => {
    const forwarded =
      'for=203.0.113.9;host=forged, For="[2001:db8:cafe::17]:4711";proto=HTTPS;host="Data.Museum.example"';
    expect(client("192.0.2.1", { forwarded }, true)).toBe("2001:db8:cafe:0::/64");
    expect(targetUriOf({ host: "inner", forwarded }, true)).toEqual({ host: "data.museum.example", scheme: "https" });
  });

  it("the connection counts when the proxy says nothing", () => {
    for (const forwarded of ["", "for", "for=", ";;", "by=x"]) {
      expect(client("192.0.2.1", { forwarded }, true)).toBe("192.0.2.1");
    }
    expect(targetUriOf({ host: "a" }, true)).toEqual({ host: "a", scheme: undefined });
  });
});

describe("clients", () => {
  it.each([
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["192.0.2.1:1234", "192.0.2.1"],
    ["2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"],
    ["2001:DB8:0000:1::5", "2001:db8:0:1::/64"],
    ["::1", "0:0:0:0::/64"],
    ["unknown", "unknown"],
    ["", ""],
  ])("with the address %s are named %s", (address, network) => {
    expect(client(address)).toBe(network);
  });

  it("have names of a limited length", () => {
    expect(client("", { "x-forwarded-for": "x".repeat(10_000) }, true).length).toBeLessThan(100);
  });
});

describe("a client's network", () => {
  it.each([
    ["2001:DB8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["1::2:3:4:5:6:7", "1:0:2:3::/64"],
    ["2001:0db8:0000:0001::", "2001:db8:0:1::/64"],
    ["fe80:0:0:0:1:2:3:4", "fe80:0:0:0::/64"],
    ["[2001:db8::1]:443", "2001:db8:0:0::/64"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["192.0.2.7:51000", "192.0.2.7"],
  ])("of %s is %s", (address, network) => {
    expect(client(address)).toBe(network);
    expect(client("198.51.100.1", { "x-forwarded-for": address }, true)).toBe(network);
  });

  it("is cut to the length of the longest address", () => expect(client("a".repeat(100)).length).toBe(64));
});
