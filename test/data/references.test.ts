/** The references of the sample collection: their records exist, with the class and label that the references have. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { IMAGES, idsOf, isNode, type JsonNode, type JsonValue, nodesOf, SAMPLE } from "./sample.js";

const records = [...SAMPLE.values()];

/** A node that names another entity, and the record that it is in. */
interface Mention {
  readonly from: string;
  readonly id: string;
  readonly node: JsonNode;
}

const mentions: readonly Mention[] = records.flatMap(({ path, document }) =>
  mentionsIn(Object.values(document)).map((mention) => ({ from: path, ...mention })),
);
const isRelative = ({ id }: Mention) => !id.includes(":");
const relative = mentions.filter(isRelative);
const toImages = relative.filter(({ id }) => id.startsWith("images/"));
const toRecords = relative.filter(({ id }) => !id.startsWith("images/"));

function mentionsIn(value: JsonValue): { id: string; node: JsonNode }[] {
  if (Array.isArray(value)) return value.flatMap(mentionsIn);
  if (!isNode(value)) return [];
  const nested = Object.values(value).flatMap(mentionsIn);
  return typeof value.id === "string" ? [{ id: value.id, node: value }, ...nested] : nested;
}

describe("a reference within the collection", () => {
  test("names a record, or a part of its own record", () => {
    const dangling = toRecords.filter(({ from, id }) => !SAMPLE.has(id) && !id.startsWith(`${from}#`));
    expect(dangling.map(({ from, id }) => `${from} to ${id}`)).toEqual([]);
  });

  test("has the class and the label of that record", () => {
    const wrong = toRecords.filter(({ id, node }) => {
      const document = SAMPLE.get(id)?.document;
      return document !== undefined && (node.type !== document.type || node._label !== document._label);
    });
    expect(wrong.map(({ from, id }) => `${from} to ${id}`)).toEqual([]);
  });

  test("never names the record that it is in", () => {
    expect(toRecords.filter(({ from, id }) => from === id)).toEqual([]);
  });
});

test("every record is referred to, except images and provenance, which refer to others", () => {
  const named = new Set(toRecords.map(({ id }) => id));
  const alone = records.filter(
    ({ path, endpoint }) => !named.has(path) && !["digital", "provenance"].includes(endpoint),
  );
  expect(alone.map(({ path }) => path)).toEqual([]);
});

test("an id has the same description everywhere in a document, as it has when the document comes back", () => {
  const differing = records.flatMap(({ path }) => {
    const said = new Map<string, string>();
    return mentions
      .filter(({ from }) => from === path)
      .filter(({ id, node }) => {
        const first = said.get(id) ?? JSON.stringify(node);
        said.set(id, first);
        return first !== JSON.stringify(node);
      })
      .map(({ id }) => `${path}: ${id}`);
  });
  expect(differing).toEqual([]);
});

test("an external identifier has one class and one label", () => {
  const said = new Map<string, string>();
  for (const { id, node } of mentions.filter((mention) => !isRelative(mention))) {
    const what = `${String(node.type)} ${String(node._label)}`;
    expect(said.get(id) ?? what, id).toBe(what);
    said.set(id, what);
  }
});

test("every external identifier is from a vocabulary or site that data/README.md names", () => {
  const readme = readFileSync("data/README.md", "utf8");
  const hosts = mentions.filter((mention) => !isRelative(mention)).map(({ id }) => new URL(id).host);
  expect([...new Set(hosts)].filter((host) => !readme.includes(host))).toEqual([]);
});

test("the paths that data/README.md names are records", () => {
  const readme = readFileSync("data/README.md", "utf8");
  const paths = [...readme.matchAll(/`([a-z]+\/[a-z0-9-]+)`/g)].map(([, path]) => path!);
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => path !== "test/data" && !SAMPLE.has(path))).toEqual([]);
});

test("every picture file that a record names exists, and every picture is named", () => {
  expect(toImages.map(({ id }) => id.slice("images/".length)).filter((name) => !IMAGES.includes(name))).toEqual([]);
  expect(IMAGES.filter((name) => !toImages.some(({ id }) => id === `images/${name}`))).toEqual([]);
});

describe("a picture", () => {
  const pictures = records.filter(({ document }) =>
    idsOf(document, "access_point").some((id) => id.startsWith("images/")),
  );

  test.each(pictures.map(({ path, document }) => [path, document] as const))(
    "%s is as its record describes it",
    (_, document) => {
      const file = `data/${idsOf(document, "access_point")[0]}`;
      const svg = readFileSync(file, "utf8");
      const [, width, height] =
        /^<svg [^>]*width="(\d+)" height="(\d+)" role="img" aria-label="[^"]+">/.exec(svg) ?? [];
      const pixels = measured(document, "concept/pixel");
      expect(pixels).toEqual([Number(width), Number(height)]);
      for (const bytes of measured(document, "concept/byte")) expect(bytes).toBe(Buffer.byteLength(svg));
      expect(document.format).toBe("image/svg+xml");
      expect(idsOf(document, "digitally_shows")).toHaveLength(1);
    },
  );

  test("has tiles if its record names a tile service", () => {
    const { width, height, tiles } = JSON.parse(readFileSync("data/images/chi-rho-page/info.json", "utf8"));
    const [{ width: side, scaleFactors }] = tiles;
    for (const factor of scaleFactors) {
      for (let x = 0; x < width; x += side * factor) {
        for (let y = 0; y < height; y += side * factor) {
          const region = [x, y, Math.min(side * factor, width - x), Math.min(side * factor, height - y)];
          const size = region.slice(2).map((each) => Math.ceil(each / factor));
          expect(existsSync(`data/images/chi-rho-page/${region}/${size}/0/default.jpg`), `${region}`).toBe(true);
        }
      }
    }
  });

  test("loads nothing from elsewhere", () => {
    for (const name of IMAGES.filter((each) => each.endsWith(".svg"))) {
      expect(readFileSync(`data/images/${name}`, "utf8"), name).not.toMatch(
        /<(image|script|style|foreignObject)|(href|src)=/,
      );
    }
  });
});

/** The values of a record's dimensions in one unit. */
function measured(document: JsonNode, unit: string): JsonValue[] {
  return nodesOf(document, "dimension")
    .filter((dimension) => idsOf(dimension, "unit").includes(unit))
    .map(({ value }) => value ?? null);
}
