import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openReadOnly } from "../../src/store/embedded/embedded-store.js";
import { until } from "./built.js";
import { place } from "./feeds.js";
import { lettingWrite } from "./here.js";
import { type Running, serve } from "./run.js";
import { workspaceForAll } from "./workspace.js";

const BASE = "http://museum.example/";
const IRI = `${BASE}place/a`;
const FORMS = ["application/ld+json", "text/turtle", "application/n-quads", "application/trig"];

const workspace = workspaceForAll();
const { path, file, vitrine, on } = workspace;
let service: Running;
/** What was answered for the record after each change, by form, and when that was; `null` where it was not there. */
const states: { readonly time: number; readonly bodies: Record<string, string> | null }[] = [];

async function load(label: string, ...options: string[]): Promise<void> {
  const named = place(IRI, label, { identified_by: [{ type: "Name", content: label }] });
  const { status, stderr } = await workspace.load([named], "--base-url", BASE, ...options);
  expect(status, stderr).toBe(0);
}

/** Remember what is answered now; the next change is some seconds later, as HTTP's dates know no less than one. */
async function remember(): Promise<void> {
  const running = await serve(["--store", path("store"), "--sparql-access", "off"]);
  const answers = await Promise.all(
    FORMS.map(async (accept) => {
      const answer = await fetch(`${running.url}/place/a`, { headers: { accept } });
      return [accept, answer.status === 200 ? await answer.text() : ""] as const;
    }),
  );
  await running.stop();
  const bodies = Object.fromEntries(answers);
  states.push({ time: Date.now(), bodies: bodies[FORMS[0]!] === "" ? null : bodies });
  vi.setSystemTime(Date.now() + 5_000);
}

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 60_000 });
  await load("one", "--keep=versions");
  await remember();
  await load("two");
  await remember();
  expect((await vitrine("delete", IRI)).status).toBe(0);
  await remember();
  await load("three");
  await remember();
  vi.useRealTimers();
  service = await serve(["--store", path("store"), "--sparql-access", "off"]);
});
afterAll(async () => {
  await service.stop();
});

function get(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url.replace(BASE, `${service.url}/`), { redirect: "manual", headers });
}

const date = (time: number): string => new Date(time).toUTCString();

describe("a Memento client", () => {
  it("finds at any time what was current then, byte for byte", async () => {
    for (const { time, bodies } of states) {
      for (const accept of FORMS) {
        const gate = await get(IRI, { "accept-datetime": date(time), accept });
        if (bodies === null) {
          expect(gate.status).toBe(404);
          continue;
        }
        expect(gate.status).toBe(302);
        expect(gate.headers.get("vary")).toContain("Accept-Datetime");
        const memento = await get(gate.headers.get("location")!, { accept });
        expect(memento.status).toBe(200);
        expect(await memento.text()).toBe(bodies[accept]);
        expect(Date.parse(memento.headers.get("memento-datetime")!)).toBeLessThanOrEqual(time);
        // A later version changes its links, and a withdrawal of the record hides it.
        expect(memento.headers.get("cache-control")).toBe("no-cache");
      }
    }
    // Before the first, the first.
    const early = await get(IRI, { "accept-datetime": date(0) });
    expect((await (await get(early.headers.get("location")!)).json()) as object).toMatchObject({ _label: "one" });
  });

  it("names a time as an rfc1123-date, or is told so (RFC 7089, 4.5.3)", async () => {
    for (const wrong of [
      "yesterday",
      "5",
      "2026-11-22",
      "2026-11-22T19:35:00Z",
      "Sunday, 22-Nov-26 19:35:00 GMT",
      "Sun, 22 Nov 2026 19:35:00 +0000",
    ]) {
      const answer = await get(IRI, { "accept-datetime": wrong });
      expect([wrong, answer.status]).toEqual([wrong, 400]);
      expect(answer.headers.get("vary")).toContain("Accept-Datetime");
    }
  });

  it("has a version's address with 304, too (RFC 9110, 15.4.5)", async () => {
    const version = await get(`${BASE}versions/1`, { accept: "text/turtle" });
    const [tag, location] = ["etag", "content-location"].map((name) => version.headers.get(name)!);
    expect(location).toBe(`${BASE}versions/1.ttl`);
    const again = await get(`${BASE}versions/1`, { accept: "text/turtle", "if-none-match": tag! });
    expect([again.status, again.headers.get("content-location")]).toEqual([304, location]);
  });

  it("chooses a version's form by profile, too, and is told of those that versions lack", async () => {
    const expanded = "http://www.w3.org/ns/json-ld#expanded";
    const chosen = await get(`${BASE}versions/1`, { "accept-profile": `<urn:none>, <${expanded}>;q=0.5` });
    expect(chosen.headers.get("content-type")).toBe(`application/ld+json;profile="${expanded}"`);
    const lacking = 'application/ld+json;profile="https://schema.org/"';
    expect((await get(`${BASE}versions/1`, { accept: lacking })).status).toBe(406);
    const other = await get(`${BASE}versions/1`, { accept: `${lacking}, text/turtle;q=0.1` });
    expect(other.headers.get("content-type")).toContain("text/turtle");
  });

  it("walks from the entity to the list of versions, and from version to version", async () => {
    const entity = await get(IRI);
    expect(entity.headers.get("vary")).toContain("Accept-Datetime");
    const link = entity.headers.get("link")!;
    expect(link).toContain(`<${IRI}>; rel="timegate"`);
    const map = /<([^>]+)>; rel="timemap"/.exec(link)![1]!;
    const list = await get(map);
    expect(list.headers.get("content-type")).toBe("application/link-format");
    const text = await list.text();
    const mementos = [...text.matchAll(/<([^>]+)>; rel="(first |last )?memento"; datetime="([^"]+)"/g)];
    expect(mementos.map(([, , end]) => end)).toEqual(["first ", undefined, "last "]);
    expect(text).toContain(`<${IRI}>; rel="original"`);
    const json = (await (await get(map, { accept: "application/json" })).json()) as {
      mementos: { list: { uri: string }[] };
      deleted: string[];
    };
    expect(json.mementos.list.map(({ uri }) => uri)).toEqual(mementos.map(([, uri]) => uri));
    expect(json.deleted).toHaveLength(1);
    // Backwards from the last, by the links of each.
    const labels: string[] = [];
    for (let url: string | undefined = mementos.at(-1)![1]!; url !== undefined; ) {
      const memento: Response = await get(url);
      labels.push(((await memento.json()) as { _label: string })._label);
      url = /<([^>]+)>; rel="prev memento"/.exec(memento.headers.get("link")!)?.[1];
    }
    expect(labels).toEqual(["three", "two", "one"]);
    expect((await get(`${mementos[0]![1]}.ttl`)).headers.get("content-type")).toContain("text/turtle");
    expect((await get(`${BASE}versions/999`)).status).toBe(404);
    expect((await get(`${BASE}versions?uri=urn:none`)).status).toBe(404);
    expect((await get(`${BASE}versions`)).status).toBe(400);
  });

  it("finds the history of what was deleted, and nothing where versions were not kept", async () => {
    const other = on("other");
    await other.load([place(`${BASE}place/b`, "unkept")], "--base-url", BASE);
    await other.load([place(`${BASE}place/b`, "kept")], "--base-url", BASE, "--keep=versions");
    const unkept = await other.vitrine("diff", `${BASE}place/b`, "--between", "1", "2");
    // The version that the option's own load replaced was kept already.
    expect(unkept.stdout).toContain('"unkept" -> "kept"');
    await other.vitrine("delete", `${BASE}place/b`);
    const running = await other.served();
    const ask = (time: number) =>
      fetch(`${running.url}/place/b`, { redirect: "manual", headers: { "accept-datetime": date(time) } });
    // After the deletion, the last that there was.
    const gates = [await ask(Date.now()), await ask(Date.now() + 86_400_000)];
    const gone = await fetch(`${running.url}/place/b`);
    const map = await fetch(`${running.url}/versions?uri=${BASE}place/b`, { headers: { accept: "application/json" } });
    const { mementos } = (await map.json()) as { mementos: { list: unknown[] } };
    expect(mementos.list).toHaveLength(2);
    for (const gate of gates) {
      expect([gate.status, gate.headers.get("location")]).toEqual([302, `${BASE}versions/2`]);
    }
    expect([gone.status, gone.headers.get("vary")]).toEqual([410, expect.stringContaining("Accept-Datetime")]);
    const links = gone.headers.get("link")!;
    for (const relation of ["original", "timegate"]) {
      expect(links).toContain(`<${BASE}place/b>; rel="${relation}"`);
    }
    expect(links).toContain('rel="timemap"; type="application/link-format"');
    expect(links).toMatch(/<http:\/\/museum\.example\/versions\/2>; rel="last memento"; datetime="[^"]+ GMT"/);
  });

  it("finds the versions at every address of the record, in the form that the address names", async () => {
    const spelt = on("spelt");
    const IRIS = ["place/ü", "place/d#it", "place/a"].map((path) => BASE + path);
    const [gone, moved] = [`${BASE}place/ö`, `${BASE}place/å`];
    for (const label of ["first", "second"]) {
      const documents = [...IRIS, gone, moved].map((id) => place(id, label));
      expect((await spelt.load(documents, "--base-url", BASE, "--keep=versions")).status).toBe(0);
    }
    expect((await spelt.vitrine("delete", gone)).status).toBe(0);
    expect((await spelt.vitrine("delete", moved, "--moved-to", IRIS[2]!)).status).toBe(0);
    const running = await spelt.served();
    const [ü, d, a] = IRIS as [string, string, string];
    for (const [path, iri, suffix] of [
      ["/place/%C3%BC", ü, ""],
      ["/place/%c3%bc", ü, ""],
      ["/place/%C3%BC.ttl", ü, ".ttl"],
      ["/place/d", d, ""],
      ["/place/d.nt", d, ".nt"],
      ["/place/%61", a, ""],
      ["/place/a.jsonld", a, ".jsonld"],
      // Versions have no pages.
      ["/place/a.html", a, ""],
      [`/entity?uri=${encodeURIComponent(d)}&format=ttl`, d, ".ttl"],
      [`/entity?uri=${encodeURIComponent(ü)}&format=html`, ü, ""],
      [`/entity?uri=${encodeURI(BASE)}place/%25C3%25BC&format=nq`, ü, ".nq"],
      ["/place/%C3%B6", gone, ""],
      ["/place/%C3%B6.ttl", gone, ".ttl"],
      ["/place/%C3%A5", moved, ""],
      ["/place/%C3%A5.ttl", moved, ".ttl"],
      [`/entity?uri=${encodeURIComponent(moved)}&format=nt`, moved, ".nt"],
    ] as const) {
      // The IRI, and its URI, which clients know from `original`.
      const [list, same] = await Promise.all(
        [iri, encodeURI(iri)].map(async (uri) => {
          const map = `${running.url}/versions?uri=${encodeURIComponent(uri)}`;
          return (await fetch(map, { headers: { accept: "application/json" } })).json();
        }),
      );
      expect(same).toEqual(list);
      const { mementos } = list as { mementos: Record<"first" | "last", { uri: string }> };
      for (const [time, { uri }] of [
        [0, mementos.first],
        [Date.now(), mementos.last],
      ] as const) {
        const headers = { "accept-datetime": date(time) };
        const gate = await fetch(running.url + path, { redirect: "manual", headers });
        expect([path, gate.status, gate.headers.get("location")]).toEqual([path, 302, uri + suffix]);
        expect(gate.headers.get("vary")).toContain("Accept-Datetime");
        const version = await fetch(uri.replace(BASE, `${running.url}/`) + suffix);
        expect(version.status).toBe(200);
      }
    }
  });

  it("is led to a version in the form that was asked for, also where documents have links of HAL", async () => {
    const running = await serve(["--store", path("store"), "--sparql-access", "off", "--hal"]);
    for (const suffix of [".jsonld", ".json", ".ttl"]) {
      const headers = { "accept-datetime": date(0) };
      const gate = await fetch(`${running.url}/place/a${suffix}`, { redirect: "manual", headers });
      expect([gate.status, gate.headers.get("location")]).toEqual([302, `${BASE}versions/1${suffix}`]);
    }
    await running.stop();
  });

  it("is led only to versions that were kept, also from the newest, whose links change with the next", async () => {
    const late = on("late");
    const loadAgain = async (label: string, ...options: string[]) =>
      expect((await late.load([place(IRI, label)], "--base-url", BASE, ...options)).status).toBe(0);
    await loadAgain("one");
    await loadAgain("two");
    await loadAgain("three", "--keep=versions");
    await loadAgain("four");
    const endWriting = lettingWrite(path("late"));
    const running = await late.served();
    const ask = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${running.url}/${path}`, { redirect: "manual", headers });
    const linked = ({ headers }: Response) =>
      [...headers.get("link")!.matchAll(/versions\/(\d+)>; rel="(\w+) memento"/g)].map(([, to, way]) => `${way} ${to}`);
    const early = await ask("place/a", { "accept-datetime": date(0) });
    expect([early.status, early.headers.get("location")]).toEqual([302, `${BASE}versions/2`]);
    expect(linked(await ask("versions/2"))).toEqual(["first 2", "next 3", "last 4"]);
    const newest = await ask("versions/4");
    expect(linked(newest)).toEqual(["first 2", "prev 3", "last 4"]);
    expect(newest.headers.get("last-modified")).toBeNull();
    const known = { "if-none-match": newest.headers.get("etag")! };
    expect((await ask("versions/4", known)).status).toBe(304);
    await loadAgain("five");
    await until(async () => (await ask("versions/5")).status === 200);
    const older = await ask("versions/4", known);
    expect(older.status).toBe(200);
    expect(linked(older)).toEqual(["first 2", "prev 3", "next 5", "last 5"]);
    expect(linked(await ask("versions/2"))).toEqual(["first 2", "next 3", "last 5"]);
    await running.stop();
    await endWriting();
  });

  it("gets the next form that it accepts of a version that RDF/XML cannot express", async () => {
    const odd = on("odd");
    await odd.load([place(IRI, "a \u0001")], "--base-url", BASE, "--keep=versions", "--on-invalid=accept");
    const running = await odd.served();
    const typeOf = async (accept: string) => {
      const { status, headers } = await fetch(`${running.url}/versions/1`, { headers: { accept } });
      return [status, headers.get("content-type")];
    };
    expect(await typeOf("application/rdf+xml, text/turtle;q=0.5")).toEqual([
      200,
      expect.stringContaining("text/turtle"),
    ]);
    expect(await typeOf("application/rdf+xml")).toEqual([406, expect.anything()]);
  });

  it.each([
    ["rebase", BASE, "http://elsewhere.example/"],
    ["delete", IRI],
    ["delete", IRI, "--moved-to", `${BASE}place/other`],
  ])("sees no version of a withdrawn record after %s", async (...command) => {
    const name = `withdrawn-${command.length}`;
    const { load, vitrine } = on(name);
    const other = place(`${BASE}place/other`, "other");
    for (const label of ["one", "two"]) await load([place(IRI, label), other], "--keep=versions");
    const findable = async (): Promise<string[]> => {
      await using reader = await openReadOnly(path(name));
      const versions = await Promise.all([1, 2, 3].map((change) => reader.versions.find(change)));
      return versions.flatMap((version) => (version === undefined ? [] : version.meta.label));
    };
    expect(await findable()).toEqual(["one", "other", "two"]);
    await load([place(IRI, "three")], "--keep=versions", "--hold", `iri=${IRI}`);
    expect(await findable()).toEqual(["other"]);
    expect((await vitrine(...command)).status).toBe(0);
    expect(await findable()).toEqual(["other"]);
    // A second move of the same IRI.
    const moves = file("moves.txt", `${IRI} ${command[0] === "rebase" ? command[2] : BASE}place/other\n`);
    expect((await vitrine("move", moves)).status).toBe(0);
    expect(await findable()).toEqual(["other"]);
    await load([place(IRI, "four")], "--keep=versions");
    expect(await findable()).toEqual(["one", "other", "two"]);
  });

  it("sees nothing of it where the store keeps none", async () => {
    const plain = on("plain");
    await plain.load([place(IRI, "plain")], "--base-url", BASE);
    const endWriting = lettingWrite(path("plain"));
    const running = await plain.served();
    const ask = () =>
      fetch(`${running.url}/place/a`, { redirect: "manual", headers: { "accept-datetime": date(Date.now()) } });
    const answer = await ask();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("vary")).not.toContain("Accept-Datetime");
    expect(answer.headers.get("link")).not.toContain("timemap");
    expect((await fetch(`${running.url}/versions?uri=${IRI}`)).status).toBe(404);

    // The first load that keeps versions is noticed by the service that runs.
    await plain.load([place(IRI, "kept")], "--keep=versions");
    await until(async () => (await ask()).status === 302);
    const entity = await fetch(`${running.url}/place/a`);
    expect(entity.headers.get("vary")).toContain("Accept-Datetime");
    expect(entity.headers.get("link")).toContain('rel="timegate"');
    const list = await fetch(`${running.url}/versions?uri=${IRI}`);
    expect(await list.text()).toContain('rel="first memento"');
    expect(JSON.stringify(await (await fetch(`${running.url}/openapi.json`)).json())).toContain("/versions");
    await running.stop();
    await endWriting();
  });
});

describe("diff", () => {
  it("says what changed between the last two versions, two times, or two changes", async () => {
    const diff = (...args: string[]) => vitrine("diff", IRI, ...args);
    expect((await diff()).stdout).toContain('_label: "two" -> "three"');
    const between = await diff("--between", "1", "2", "--json");
    expect(JSON.parse(between.stdout)).toMatchObject({ iri: IRI, from: { change: 1 }, to: { change: 2 } });
    const times = states.map(({ time }) => new Date(time).toISOString());
    expect((await diff("--between", times[0]!, times[3]!)).stdout).toContain('_label: "one" -> "three"');
    expect((await diff("--between", times[0]!, times[2]!)).status).toBe(2);
    expect((await diff("--between", "1")).status).toBe(2);
    for (const time of ["2030-02-30", "tomorrow 3"]) expect((await diff("--between", "1", time)).status).toBe(2);
    expect((await vitrine("diff", "urn:none")).status).toBe(2);
  });
});
