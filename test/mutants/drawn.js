/**
 * The functions, and initial values of objects, whose mutants a run makes: one in PARTS, by a hash of its name and place (a
 * plugin of Stryker). What runs once, when a module is read, has none: each would want a run of all tests.
 */
import { createHash } from "node:crypto";

const { PARTS, FIRST_PART, RUN_PARTS } = process.env;

function isDrawn({ id, key, start, end }) {
  const hash = createHash("sha256")
    .update(`${id?.name ?? key?.name} ${start} ${end}`)
    .digest()
    .readUInt32BE();
  return (hash + Number(FIRST_PART)) % Number(PARTS) < Number(RUN_PARTS);
}

function holdsFunctions(path) {
  let holds = false;
  path.traverse({
    Function(inner) {
      holds = true;
      inner.stop();
    },
  });
  return holds;
}

/** As `declareValuePlugin` of Stryker's interface writes it. */
export const strykerPlugins = [
  {
    kind: "Ignore",
    name: "drawn",
    value: {
      shouldIgnore(path) {
        if (path.getFunctionParent() !== null) return undefined;
        if (path.isFunction()) return isDrawn(path.node) ? undefined : "not drawn";
        if (holdsFunctions(path)) return undefined;
        if (path.isClassProperty() || path.isClassPrivateProperty())
          return isDrawn(path.node) ? undefined : "not drawn";
        return path.findParent((outer) => outer.isClass()) === null ? "read once" : undefined;
      },
    },
  },
];
