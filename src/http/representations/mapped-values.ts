/** The values of a mapping row: those at the end of its path that have its classes and classifications. */
import { digitsOf } from "../pages/amounts.js";
import { nodeLabel } from "../pages/caption.js";
import type { ResourceDescription } from "../pages/description.js";

/** The forms of values that all mappings share. */
type ValueForm =
  | "reference"
  | "text"
  | "plain"
  /** A single date of a time-span; its first and its last day, month or year. */
  | "date"
  | "begin"
  | "end"
  /** A number with its kind of dimension and its unit, as text. */
  | "size";

/** A row of a mapping: the values, the property or element that they become, and their form. */
export interface MappingRow<Form extends string | object> {
  /** The path of properties from the entity; `part*` stands for the node itself and all its parts. */
  readonly from: readonly string[];
  /** Only values of the path's first step that have one of these classifications. They are identifiers under `{vocab_base}`. */
  readonly only?: readonly string[];
  /** Only values of one of the `classes`, and only values of no class in `except`. */
  readonly classes?: readonly string[];
  readonly except?: readonly string[];
  readonly to: string;
  readonly as: ValueForm | Form;
  readonly most?: number;
  /** Whether the row applies only if no earlier row gave the property `to`. */
  readonly otherwise?: true;
}

type AnyRow = MappingRow<string | object>;

/** Returns a function that makes rows of a mapping. A path is written in steps, such as `produced_by/timespan`; the empty path leads to the node itself. */
export function rowMaker<Row extends AnyRow>() {
  return (from: string, to: string, as: Row["as"], more?: Omit<Row, "from" | "to" | "as">) =>
    ({ from: from === "" ? [] : from.split("/"), to, as, ...more }) as AnyRow as Row;
}

/** The values that a row selects, starting at a node. @param vocabulary `{vocab_base}` with a final slash */
export function valuesOfRow(description: ResourceDescription, node: number, row: AnyRow, vocabulary: string) {
  const { from, only, classes, except } = row;
  const kinds = only?.map((kind) => vocabulary + kind);
  let nodes = [node];
  for (const [at, term] of from.entries()) {
    const next = (each: number) => (term === "part*" ? withParts(description, each) : description.values(each, term));
    nodes = [...new Set(nodes.flatMap(next))];
    if (at === 0 && kinds !== undefined)
      nodes = nodes.filter((each) => description.written(each, "classified_as").some((kind) => kinds.includes(kind)));
  }
  const isOf = (names: readonly string[], value: number) => names.some((name) => description.isOf(value, name));
  return nodes.filter(
    (value) => (classes === undefined || isOf(classes, value)) && (except === undefined || !isOf(except, value)),
  );
}

/** The IRIs of a node's rights: first those that it names, then their equivalents. */
export function rightsIris(description: ResourceDescription, node: number): string[] {
  const path = ["subject_to", "classified_as"];
  return [...description.written(node, ...path), ...description.written(node, ...path, "equivalent")];
}

/** The text of a dimension, such as `Height: 140 centimetre`; `undefined` if it has no number. */
export function sizeInWords(description: ResourceDescription, dimension: number): string | undefined {
  const number = digitsOf(description.text(dimension, "value") ?? "");
  if (number === undefined) return undefined;
  const [kind, unit] = ["classified_as", "unit"].map((term) => {
    const [named = -1] = description.values(dimension, term);
    return nodeLabel(description, named);
  });
  return `${kind === undefined ? "" : `${kind}: `}${number}${unit === undefined ? "" : ` ${unit}`}`;
}

/** A node, its parts, and their parts, each once: nodes may be parts of each other. */
function withParts(description: ResourceDescription, node: number): number[] {
  const found = new Set<number>();
  const waiting = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    waiting.push(...description.values(next, "part").toReversed());
  }
  return [...found];
}
