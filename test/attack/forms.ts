/** What the attacks send, as data: raw requests, targets, updates, headers and terms, each with what must come out. */

/** Bytes on a connection, and the statuses of all answers that come on it: a request that is refused ends it. */
export interface RawForm {
  readonly name: string;
  readonly bytes: string;
  readonly statuses: readonly number[];
  /** What another version of Node answers. */
  readonly or?: readonly number[];
}

const HOST = "Host: data.museum.example\r\n";
const HIDDEN = "GET /object/2 HTTP/1.1\r\nHost: x\r\n\r\n";
const CLOSE = "Connection: close\r\n";

/** A request whose body another reader would divide otherwise. */
const smuggled = (name: string, headers: string, body = `0\r\n\r\n${HIDDEN}`): RawForm => ({
  name,
  bytes: `POST /sparql HTTP/1.1\r\n${HOST}${headers}\r\n${body}`,
  statuses: [400],
});

const refused = (name: string, bytes: string, status = 400): RawForm => ({ name, bytes, statuses: [status] });

export const RAW_FORMS: readonly RawForm[] = [
  smuggled("a length and chunks", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n"),
  smuggled("chunks and a length", "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n"),
  smuggled("two lengths", "Content-Length: 0\r\nContent-Length: 5\r\n"),
  smuggled("two equal lengths", "Content-Length: 5\r\nContent-Length: 5\r\n"),
  smuggled("a list of lengths", "Content-Length: 5, 6\r\n"),
  smuggled("a negative length", "Content-Length: -1\r\n"),
  smuggled("a signed length", "Content-Length: +5\r\n"),
  smuggled("a hexadecimal length", "Content-Length: 0x5\r\n"),
  smuggled("a length with a letter", "Content-Length: 5a\r\n"),
  smuggled("an empty length", "Content-Length: \r\n"),
  smuggled("a length beyond 64 bits", "Content-Length: 99999999999999999999\r\n"),
  smuggled("a length with a space within", "Content-Length: 1 0\r\n"),
  smuggled("an unknown coding", "Transfer-Encoding: xchunked\r\n"),
  smuggled("chunked not last", "Transfer-Encoding: chunked, identity\r\n"),
  smuggled("chunked twice", "Transfer-Encoding: chunked, chunked\r\n"),
  smuggled("a space before the colon", "Transfer-Encoding : chunked\r\n"),
  smuggled("a tab before the colon", "Transfer-Encoding\t: chunked\r\n"),
  smuggled("a vertical tab in the coding", "Transfer-Encoding: \x0bchunked\r\n"),
  smuggled("a folded header", "Transfer-Encoding:\r\n chunked\r\n Content-Length: 5\r\n"),
  smuggled("a header without a name", ": value\r\n"),
  smuggled("a header without a colon", "Transfer-Encoding chunked\r\n"),
  smuggled("a chunk size with a sign", "Transfer-Encoding: chunked\r\n", `+5\r\nhello\r\n0\r\n\r\n${HIDDEN}`),
  smuggled(
    "a chunk size in hexadecimal notation",
    "Transfer-Encoding: chunked\r\n",
    `0x5\r\nhello\r\n0\r\n\r\n${HIDDEN}`,
  ),
  smuggled("a chunk size beyond 64 bits", "Transfer-Encoding: chunked\r\n", `fffffffffffffffff\r\nhello\r\n0\r\n\r\n`),
  smuggled("a chunk without its end", "Transfer-Encoding: chunked\r\n", `5\r\nhelloXX0\r\n\r\n${HIDDEN}`),
  smuggled("a bare line feed after a chunk size", "Transfer-Encoding: chunked\r\n", `5\nhello\r\n0\r\n\r\n${HIDDEN}`),
  refused("a bare line feed in the head", `GET /object/1 HTTP/1.1\r\n${HOST}X: y\nZ: 1\r\n\r\n`),
  refused("a bare carriage return in the head", `GET /object/1 HTTP/1.1\r\n${HOST}X: y\rZ: 1\r\n\r\n`),
  refused("a null in a header", `GET /object/1 HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`),
  refused("a null in the path", `GET /object/\0 HTTP/1.1\r\n${HOST}\r\n`),
  refused("a space in the path", `GET /object/1 2 HTTP/1.1\r\n${HOST}\r\n`),
  refused("a tab for a space", `GET\t/object/1\tHTTP/1.1\r\n${HOST}\r\n`),
  refused("no version", `GET /object/1\r\n${HOST}\r\n`),
  refused("another version", `GET /object/1 HTTP/1.2\r\n${HOST}\r\n`),
  refused("HTTP/2's preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  refused("a method in lower case", `get /object/1 HTTP/1.1\r\n${HOST}\r\n`, 501),
  refused("an unknown method", `FETCH /object/1 HTTP/1.1\r\n${HOST}\r\n`, 501),
  refused("two Hosts", `GET /object/1 HTTP/1.1\r\n${HOST}${HOST}\r\n`),
  refused("no Host", "GET /object/1 HTTP/1.1\r\n\r\n"),
  refused("a TLS greeting", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
  refused("a head that is too large", `GET /object/1 HTTP/1.1\r\n${HOST}X: ${"a".repeat(40_000)}\r\n\r\n`, 431),
  {
    // Their bytes are within the limit. Node 20 reads the first 2,000 of them; newer versions refuse so many.
    name: "9,000 headers",
    bytes: `GET /object/1 HTTP/1.1\r\n${HOST}${CLOSE}${"X: y\r\n".repeat(9_000)}\r\n`,
    statuses: [200],
    or: [431],
  },
  {
    name: "two requests at once",
    bytes: `GET /object/1 HTTP/1.1\r\n${HOST}\r\nGET /object/2 HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
    statuses: [200, 200],
  },
  {
    name: "a GET with a body, and what follows it",
    bytes: `GET /object/1 HTTP/1.1\r\n${HOST}Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}GET /object/1 HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
    statuses: [200, 200],
  },
];

/** Odd targets: each is answered with the status, and none by a failure or by a file of the machine. */
export const TARGETS: readonly (readonly [target: string, status: number])[] = [
  ["/../../../../etc/passwd", 404],
  ["/images/../../../../etc/passwd", 404],
  ["/images/%2e%2e/%2e%2e/etc/passwd", 404],
  ["/images/..%2f..%2fetc%2fpasswd", 404],
  ["/images/..%5c..%5cetc%5cpasswd", 404],
  ["/assets/../package.json", 404],
  ["/assets/%2e%2e/package.json", 404],
  ["/assets/theme/../../package.json", 404],
  ["/%00", 404],
  ["/object/1%00.ttl", 404],
  ["/object/%ff%fe", 404],
  ["/object/%zz", 400],
  ["/object/%", 400],
  ["/object/%E0%80%AF", 404],
  ["/object/1%0d%0aSet-Cookie:%20a=b", 404],
  ["//evil.example/object/1", 404],
  ["/\\evil.example", 400],
  ["/object/1/../2", 404],
  ["/object/1;x=y", 404],
  ["/object//1", 404],
  ["/.git/config", 404],
  ["/.env", 404],
  ["/store/data.mdb", 404],
  ["/__proto__", 404],
  ["/constructor", 404],
  ["/toString", 404],
  ["/entity", 400],
  ["/entity?uri=", 400],
  ["/entity?uri=file:///etc/passwd", 404],
  ["/entity?uri=http://169.254.169.254/latest/meta-data/", 404],
  ["/entity?uri=javascript:alert(1)", 404],
  ["/entity?uri=%3Cscript%3E", 400],
  ["/frames/__proto__.json", 404],
  ["/frames/..%2f..%2fpackage.json", 404],
  ["/shapes/constructor.ttl", 404],
  ["/schemas/object.json/..", 404],
  ["/activity/page/0", 404],
  ["/activity/page/-1", 404],
  ["/activity/page/1e99", 404],
  ["/activity/page/99999999999999999999", 404],
  ["/problems/__proto__", 404],
  ["/browse/constructor", 404],
  ["/browse/object?after=%00", 400],
  ["/referring?uri=x&property=__proto__&after=1.99999999999999999", 400],
  [`/${"a/".repeat(3_900)}`, 404],
  [`/${"a".repeat(9_000)}`, 414],
  [`/?${"x=y&".repeat(1_900)}`, 200],
  ["/?__proto__[x]=y", 200],
];

/** Queries that would change the collection if anything took them. */
export const UPDATES: readonly string[] = [
  "INSERT DATA { <urn:a> <urn:b> <urn:c> }",
  "DELETE DATA { <urn:a> <urn:b> <urn:c> }",
  "DELETE WHERE { ?s ?p ?o }",
  "DELETE { ?s ?p ?o } INSERT { ?s ?p 1 } WHERE { ?s ?p ?o }",
  "INSERT { ?s ?p 1 } WHERE { ?s ?p ?o }",
  "WITH <urn:g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }",
  "CLEAR ALL",
  "CLEAR DEFAULT",
  "CLEAR SILENT GRAPH <urn:g>",
  "DROP ALL",
  "DROP NAMED",
  "CREATE GRAPH <urn:g>",
  "COPY DEFAULT TO <urn:g>",
  "MOVE <urn:g> TO DEFAULT",
  "ADD <urn:g> TO DEFAULT",
  "LOAD <file:///etc/passwd>",
  "LOAD <http://127.0.0.1:1/> INTO GRAPH <urn:g>",
  "SELECT * { ?s ?p ?o } ; DROP ALL",
  "SELECT * { SERVICE <http://127.0.0.1:1/sparql> { ?s ?p ?o } }",
  "SELECT * FROM <file:///etc/passwd> { ?s ?p ?o } ; CLEAR ALL",
];

/** Values that are hostile in a header, each of some 30 KB or odd. */
export const HEADER_BOMBS: readonly (readonly [name: string, value: string])[] = [
  ["Accept-Profile", "<".repeat(31_000)],
  ["Accept-Profile", "<https://linked.art/ns/v1/linked-art.json>,".repeat(700)],
  ["Accept", "text/turtle;q=0.1,".repeat(1_700)],
  ["Accept", `application/ld+json;profile="${"a ".repeat(15_000)}"`],
  ["Accept", `${";".repeat(31_000)}`],
  ["Accept", `a/b;${'c="\\'.repeat(7_000)}`],
  ["Accept-Encoding", "gzip;q=0,".repeat(3_400)],
  ["Accept-Encoding", `${" ".repeat(31_000)}br`],
  ["Accept-Language", "de-CH-1996,".repeat(2_800)],
  ["Accept-Language", `${"-".repeat(31_000)}`],
  ["If-None-Match", '"a",'.repeat(7_700)],
  ["If-None-Match", '"'.repeat(31_000)],
  ["If-Modified-Since", "Sun, ".repeat(6_000)],
  ["Forwarded", 'for="[::1]";'.repeat(2_500)],
  ["X-Forwarded-For", "1.2.3.4, ".repeat(3_400)],
  ["Range", `bytes=${"0-1,".repeat(7_500)}`],
  ["Cookie", `${"a=b; ".repeat(6_000)}`],
  ["Expect", "x".repeat(100)],
  ["Upgrade", "h2c, websocket"],
  ["Content-Encoding", "gzip"],
];

/** Names and values of hostile headers, of which sets are made at random. */
export const HEADER_NAMES = [...new Set(HEADER_BOMBS.map(([name]) => name)), "__proto__", "constructor", "Via", "TE"];
export const HEADER_VALUES = [
  "",
  "*",
  "*/*;q=0",
  ",,,,",
  ";;;",
  '"',
  "\\",
  "<>",
  "%00",
  "q=1e999",
  "text/turtle;q=-1",
  "text/turtle;q=NaN",
  'application/ld+json;profile="',
  "Thu, 99 Foo 9999 99:99:99 GMT",
  '"a", W/"b", *',
  "bytes=-1",
  "\u00ff\u00fe",
  "jndi:ldap://x",
  "<script>alert(1)</script>",
];

/** Hostile texts, as they may stand in any place of a record. */
export const TEXTS = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "</script><script>alert(1)</script>",
  "]]><!--",
  "{{constructor.constructor('alert(1)')()}}",
  "\u202Egnp.exe",
  "\u001b]0;owned\u0007",
  "\u0000\u0001\u009b31m",
  "'; DROP TABLE records; --",
  '"""\\"\\u0022',
  "\r\nSet-Cookie: a=b",
  "__proto__",
  "\ud83d\ude00".repeat(100),
  "a".repeat(100_000),
];
