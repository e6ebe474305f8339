/** The functions whose mutants a run makes: one in PARTS, by a hash of its name and place (a plugin of Stryker). */
import { createHash } from "node:crypto";
import { declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin";

const { PARTS, FIRST_PART, RUN_PARTS } = process.env;

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, "drawn", {
    shouldIgnore(path) {
      if (!path.isFunction() || path.getFunctionParent() !== null) return undefined;
      const { id, key, start, end } = path.node;
      const hash = createHash("sha256")
        .update(`${id?.name ?? key?.name} ${start} ${end}`)
        .digest()
        .readUInt32BE();
      const isDrawn = (hash + Number(FIRST_PART)) % Number(PARTS) < Number(RUN_PARTS);
      return isDrawn ? undefined : "not drawn";
    },
  }),
];
