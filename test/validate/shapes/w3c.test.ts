/** The W3C SHACL test suite (Core) on the validator of institutions' shapes; skipped if `../shared` lacks it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { Parser, type Quad, Writer } from "n3";
import { describe, expect, it } from "vitest";
import { SH } from "../../../src/model/rules/shapes.js";
import { formatTerm } from "../../../src/rdf/ntriples/writer.js";
import { RecordGraphBuilder } from "../../../src/rdf/record-graph.js";
import { iri, type Term } from "../../../src/rdf/terms.js";
import { Severities } from "../../../src/validate/severities.js";
import { rdfjsTerm } from "../../../src/validate/shapes/shacl-engine.js";
import { ShapesValidator } from "../../../src/validate/shapes/shapes-validator.js";
import { shareOf } from "../../extent.js";

const SUITE = resolve("../shared/w3c/shacl/core");
const MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";
const SHT = "http://www.w3.org/ns/shacl-test#";

const MENTIONS = "https://museum.example/mentions";

const BLANK = "the target is a blank node, whose label no other graph knows";
const SUBCLASSES = "a record's own subclasses are not followed, since a circle of them would not end";
const STRANGE = "refused: not well formed, and probably a mistake";

/** Tests that the validator does not pass, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "complex/shacl-shacl.ttl": "hundreds of nodes, each taken as a record of its own, take minutes",
  "misc/severity-002.ttl": "refused: reports know no severities but SHACL's",
  "node/class-001.ttl": SUBCLASSES,
  "node/class-002.ttl": BLANK,
  "node/class-003.ttl": SUBCLASSES,
  "node/datatype-001.ttl": BLANK,
  "node/maxExclusive-001.ttl": BLANK,
  "node/maxInclusive-001.ttl": BLANK,
  "node/maxLength-001.ttl": BLANK,
  "node/minExclusive-001.ttl": BLANK,
  "node/minLength-001.ttl": BLANK,
  "node/pattern-001.ttl": BLANK,
  "path/path-complex-001.ttl": SUBCLASSES,
  "path/path-strange-002.ttl": STRANGE,
  "path/path-unused-001.ttl": STRANGE,
  "property/class-001.ttl": SUBCLASSES,
  "property/qualifiedValueShape-001.ttl": STRANGE,
  "targets/targetClassImplicit-001.ttl": SUBCLASSES,
};

const files = existsSync(SUITE)
  ? readdirSync(SUITE, { recursive: true, encoding: "utf8" }).filter((file) =>
      /-\d{3}\.ttl$|^complex\/.*\.ttl$/.test(file),
    )
  : [];

interface Case {
  readonly shapes: readonly Quad[];
  readonly data: readonly Quad[];
  /** Focus node and constraint component of each result, sorted; `undefined` if the shapes must be refused. */
  readonly expected: readonly string[] | undefined;
}

function readFile(path: string): Quad[] {
  return new Parser({ baseIRI: `file://${path}`, blankNodePrefix: `_:${basename(path, ".ttl")}-` }).parse(
    readFileSync(path, "utf8"),
  );
}

function caseOf(file: string): Case | undefined {
  const path = join(SUITE, file);
  const quads = readFile(path);
  const objects = (subject: string, predicate: string): Quad["object"][] =>
    quads.flatMap((quad) => (quad.subject.value === subject && quad.predicate.value === predicate ? quad.object : []));
  const test = quads.find(({ predicate }) => predicate.value === `${MF}action`);
  if (test === undefined) return undefined;
  const [result] = objects(test.subject.value, `${MF}result`);
  const graph = (name: string): Quad[] => {
    const [given] = objects(test.object.value, SHT + name);
    const other = decodeURI(given!.value.replace("file://", ""));
    return other === path ? withoutManifest(quads) : readFile(other);
  };
  const expected =
    result!.value === `${SHT}Failure`
      ? undefined
      : objects(result!.value, `${SH}result`)
          .map(({ value }) => {
            const [focus] = objects(value, `${SH}focusNode`);
            const [component] = objects(value, `${SH}sourceConstraintComponent`);
            return `${formatTerm(rdfjsTerm(focus!))} ${component!.value.slice(SH.length)}`;
          })
          .sort();
  return { shapes: graph("shapesGraph"), data: graph("dataGraph"), expected };
}

/** The quads without the test's own description and its expected results. */
function withoutManifest(quads: readonly Quad[]): Quad[] {
  const described = new Set(
    quads.flatMap(({ subject, predicate }) =>
      predicate.value.startsWith(MF) || predicate.value.startsWith(SHT) ? subject.value : [],
    ),
  );
  for (const { subject, predicate, object } of quads) {
    const isLeading = [`${MF}result`, `${MF}action`, `${MF}entries`].includes(predicate.value);
    if (described.has(subject.value) && isLeading) addReached(object.value, quads, described);
  }
  return quads.filter(({ subject }) => !described.has(subject.value));
}

function addReached(from: string, quads: readonly Quad[], reached: Set<string>): void {
  if (reached.has(from)) return;
  reached.add(from);
  for (const { subject, predicate, object } of quads) {
    if (predicate.value === `${SH}sourceShape`) continue;
    if (subject.value === from && object.termType === "BlankNode") addReached(object.value, quads, reached);
  }
}

/** The validator's results for each node, taken as the record's own node. */
function found({ shapes, data }: Case): readonly string[] {
  const text = new Writer().quadsToString([...shapes]);
  const validator = new ShapesValidator([{ name: "shapes.ttl", text }]);
  const nodes = new Map<string, Term>();
  const targets = shapes.filter(({ predicate }) => predicate.value === `${SH}targetNode`);
  for (const { subject, object } of data) {
    for (const term of [rdfjsTerm(subject), rdfjsTerm(object)]) nodes.set(formatTerm(term), term);
  }
  // Targets that are not in the data are added, since only a record's own nodes are validated.
  for (const { object } of targets) nodes.set(formatTerm(rdfjsTerm(object)), rdfjsTerm(object));
  const all: string[] = [];
  for (const [key, term] of nodes) {
    const builder = new RecordGraphBuilder(term.termType === "NamedNode" ? term.value : "https://museum.example/1");
    for (const { subject, predicate, object } of data) {
      builder.add(
        builder.term(rdfjsTerm(subject)),
        builder.term(iri(predicate.value)),
        builder.term(rdfjsTerm(object)),
      );
    }
    for (const { object } of targets)
      builder.add(builder.iri(MENTIONS), builder.iri(MENTIONS), builder.term(rdfjsTerm(object)));
    for (const { focus, component } of validator.validate(builder.build(), new Severities())) {
      if (focus === key) all.push(`${focus} ${component!.slice(SH.length)}`);
    }
  }
  return all.sort();
}

describe("the W3C SHACL suite", () => {
  it.skipIf(files.length > 0)("is skipped: ../shared/w3c/shacl is absent", () => expect(files).toEqual([]));

  it.each(shareOf(files.filter((file) => !(file in EXCEPTIONS))))("%s", (file) => {
    const test = caseOf(file);
    if (test === undefined) return;
    if (test.expected === undefined) expect(() => found(test)).toThrow();
    else expect(found(test)).toEqual(test.expected);
  });
});
