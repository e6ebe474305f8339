/** Linksets: all links of an entity, as JSON and as text (RFC 9264). */
import { beforeAll, describe, expect, it } from "vitest";
import { graphOf } from "../../jsonld/documents.js";
import { BASE, PAINTING, publish, rawGet, serviceForAll } from "../service.js";

const LICENSE = "https://creativecommons.org/publicdomain/zero/1.0/";
const RIGHT = "https://rights.example/InC/";

const service = serviceForAll({ license: LICENSE });
beforeAll(async () => {
  const subject_to = [{ type: "Right", classified_as: [{ id: RIGHT, type: "Type" }] }];
  await publish(service.store, [graphOf(PAINTING), graphOf({ ...PAINTING, id: `${BASE}/object/ü`, subject_to })]);
});

async function body(path: string): Promise<string> {
  return (await rawGet(service.port, path)).body.toString();
}

type Target = { readonly href: string; readonly type?: string; readonly profile?: readonly string[] };
type Relations = Readonly<Record<string, readonly Target[]>>;

/** The links of a linkset by their anchor. */
async function contexts(path: string): Promise<ReadonlyMap<string, Relations>> {
  const { linkset }: { linkset: { anchor: string }[] } = JSON.parse(await body(path));
  return new Map(linkset.map(({ anchor, ...relations }) => [anchor, relations as Relations]));
}

describe("a linkset", () => {
  it("has all representations, the entity's types, and the documents that describe its kind", async () => {
    const entity = (await contexts("/object/1.linkset.json")).get(`${BASE}/object/1`)!;
    expect(entity["cite-as"]).toEqual([{ href: `${BASE}/object/1` }]);
    const ends = [".jsonld", ".json", ".ttl", ".nt", ".nq", ".trig", ".rdf", ".schema.jsonld", ".edm.rdf", ".html"];
    expect(entity.alternate!.map(({ href }) => href)).toEqual(ends.map((end) => `${BASE}/object/1${end}`));
    expect(entity.describedby).toContainEqual({ href: `${BASE}/shapes/object.ttl`, type: "text/turtle" });
    expect(entity.describedby).toContainEqual({
      href: `${BASE}/object/1.schema.jsonld`,
      type: "application/ld+json",
      profile: ["https://schema.org/"],
    });
    expect(entity.type!.map(({ href }) => href)).toEqual([
      "https://schema.org/AboutPage",
      "https://schema.org/VisualArtwork",
      "http://www.cidoc-crm.org/cidoc-crm/E22_Human-Made_Object",
    ]);
  });

  it("links each description back to the entity and to the licence of all descriptions", async () => {
    const all = await contexts("/object/1.linkset.json");
    const turtle = all.get(`${BASE}/object/1.ttl`)!;
    expect([turtle.describes, turtle.license]).toEqual([[{ href: `${BASE}/object/1` }], [{ href: LICENSE }]]);
    expect(all.get(`${BASE}/object/1`)!.license).toEqual([{ href: LICENSE }]);
    const ownRights = await contexts("/object/%C3%BC.linkset.json");
    expect(ownRights.get(`${BASE}/object/%C3%BC`)!.license).toEqual([{ href: RIGHT }]);
    expect(ownRights.get(`${BASE}/object/%C3%BC.ttl`)!.license).toEqual([{ href: LICENSE }]);
  });

  it.each(["/object/1", "/object/%C3%BC"])("says the same as text: %s", async (path) => {
    const links = [...(await contexts(`${path}.linkset.json`))].flatMap(([anchor, relations]) =>
      Object.entries(relations).flatMap(([relation, targets]) =>
        targets.map(({ href, type, profile }) => {
          const given = Object.entries({ type, profile: profile?.[0], anchor });
          const parameters = given.map(([name, value]) => (value === undefined ? "" : `; ${name}="${value}"`));
          return `<${href}>; rel="${relation}"${parameters.join("")}`;
        }),
      ),
    );
    expect((await body(`${path}.linkset.txt`)).trim().split(",\n").sort()).toEqual(links.sort());
  });
});
