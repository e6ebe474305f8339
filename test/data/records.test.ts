/** The sample collection: names and number of its files, and the form of its documents by the field tables. */
import { describe, expect, test } from "vitest";
import { fieldOrder } from "../../src/model/layout.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { ENDPOINTS, endpointOf } from "../../src/model/tables/endpoints.js";
import type { Field } from "../../src/model/tables/fields.js";
import { classIri } from "../../src/model/vocabulary/vocabulary.js";
import { idsOf, isNode, type JsonValue, SAMPLE, valuesOf } from "./sample.js";
import { type TabledNode, walk } from "./walk.js";

const records = [...SAMPLE.values()];
const nodes = records.flatMap((record) => walk(record).map((at) => ({ ...at, record })));
const where = ({ record, path }: (typeof nodes)[number]) => `${record.path} ${path}`;

describe("the files", () => {
  test("are at least 120, and at least four for every endpoint", () => {
    expect(records.length).toBeGreaterThanOrEqual(120);
    for (const { name } of ENDPOINTS) {
      expect(records.filter(({ endpoint }) => endpoint === name).length, name).toBeGreaterThanOrEqual(4);
    }
  });

  test("are named after the id of their record, in the folder of its endpoint", () => {
    for (const { path, endpoint, document } of records) {
      expect(document.id).toBe(path);
      expect(document["@context"]).toBe(DEFAULT_MODEL.contextUri);
      const classes = [classIri(String(document.type)) ?? ""];
      expect(endpointOf(classes, idsOf(document, "classified_as"), DEFAULT_MODEL.vocabBase), path).toBe(endpoint);
    }
  });

  test("are written with two spaces per level and end in a line feed", () => {
    for (const { path, text, document } of records) {
      expect(text, path).toBe(`${JSON.stringify(document, undefined, 2)}\n`);
    }
  });
});

describe("in every document", () => {
  test("keys are properties of their node's table", () => {
    const unknown = nodes.flatMap((at) =>
      Object.keys(at.node)
        .filter((key) => !at.fields.some(({ property }) => property === key))
        .map((key) => `${where(at)}: ${key} in ${at.table}`),
    );
    expect(unknown).toEqual([]);
  });

  test("keys are in the order in which Vitrine writes them", () => {
    const disordered = nodes.filter(({ node }) => {
      const order = ["@context", "id", "type", ...fieldOrder(String(node.type))];
      const keys = Object.keys(node);
      return keys.join() !== order.filter((key) => keys.includes(key)).join();
    });
    expect(disordered.map(where)).toEqual([]);
  });

  test("required and recommended properties are present, except in examples of members", () => {
    const missing = nodes
      .filter(({ path }) => !path.startsWith("members_exemplified_by"))
      .flatMap((at) =>
        at.fields
          .filter(
            ({ requirement, own, property }) =>
              requirement !== "optional" && own !== true && at.node[property] === undefined,
          )
          .map(({ property }) => `${where(at)}: ${property}`),
      );
    expect(missing).toEqual([]);
  });

  test("values have the datatype, the class and the lexical form of their row", () => {
    const wrong = nodes.flatMap((at) =>
      at.fields.flatMap((field) => faults(at, field).map((fault) => `${where(at)}: ${fault}`)),
    );
    expect(wrong).toEqual([]);
  });

  test("arrays are not empty and have no value twice", () => {
    const faulty = nodes.filter(({ node }) =>
      Object.values(node).some((value) => {
        if (!Array.isArray(value)) return false;
        return value.length === 0 || new Set(value.map((each) => JSON.stringify(each))).size !== value.length;
      }),
    );
    expect(faulty.map(where)).toEqual([]);
  });
});

const LEXICAL_FORMS: Readonly<Record<string, RegExp>> = {
  timestamp: /^-?\d{4}-\d\d-\d\dT(00:00:00|23:59:59)Z$/,
  "media type": /^[a-z]+\/[a-z.+-]+$/,
  geometry: /^(POINT\(|POLYGON\(\(|\{)/,
  text: /^\S(.*\S)?$/s,
};

function faults({ node, table }: TabledNode, field: Field): string[] {
  const value = node[field.property];
  if (value === undefined) return [];
  const found: string[] = [];
  const { property, datatype, range, when, includes } = field;
  if (!hasDatatype(value, datatype)) found.push(`${property} is no ${datatype}`);
  if (when !== undefined && !when.some((each) => each === node.type)) found.push(`${property} is not for ${table}`);
  if (includes !== undefined && !idsOf(node, property).includes(`${DEFAULT_MODEL.vocabBase}/${includes}`)) {
    found.push(`${property} lacks ${includes}`);
  }
  for (const each of valuesOf(node, property)) {
    const type = isNode(each) ? String(each.type) : "";
    const classes: readonly string[] | "any" = "classes" in range ? range.classes : "any";
    if (isNode(each) && range.kind !== "structure" && classes !== "any" && !classes.includes(type)) {
      found.push(`${property} may not be a ${type}`);
    }
    if (range.kind === "literal" && typeof each === "string" && LEXICAL_FORMS[range.literal]?.test(each) === false) {
      found.push(`${property} is no ${range.literal}: ${each}`);
    }
  }
  return found;
}

function hasDatatype(value: JsonValue, datatype: Field["datatype"]): boolean {
  if (datatype === "array") return Array.isArray(value);
  if (datatype === "object") return isNode(value);
  if (datatype === "string or array") return typeof value === "string" || Array.isArray(value);
  return typeof value === datatype;
}
