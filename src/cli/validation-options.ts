/** The options of validation that commands share: decisions, shapes, mending, reports. What understands them is read only when they are used. */
import { readFile } from "node:fs/promises";
import type { MendSelection } from "../load/mend/mender.js";
import type { ModelSettings } from "../model/settings.js";
import type { ShapesFile } from "../validate/shapes/shapes-graph.js";
import { type Option, type Options, UsageError } from "./options.js";

/** What an institution has decided about rules, in every command that validates. */
export const SEVERITY_OPTION: Option = {
  name: "severity",
  value: "RULE=WORD",
  many: true,
  help: "a rule's severity: warning, violation or off; or @FILE with a decision a line",
};

export const REPORT_OPTIONS: readonly Option[] = [
  {
    name: "report",
    value: "FILE",
    many: true,
    help: "write all results to a file: .json, .html, .csv, .ttl (SHACL) or .severity (to decide about rules)",
  },
  {
    name: "report-severity",
    value: "WORD",
    choices: ["warning", "violation"],
    default: "warning",
    help: "the least severity that report files have: violation leaves warnings out",
  },
  {
    name: "since",
    value: "FILE",
    help: "compare with an earlier report in .json: which records break a rule newly, no longer, still",
  },
];

/** Which rules of mending are applied, in every command that mends. */
export const MENDING_OPTIONS: readonly Option[] = [
  { name: "only", value: "RULE", many: true, help: "mend by these rules alone: vitrine mend --list names all" },
  { name: "except", value: "RULE", many: true, help: "mend by all rules but these" },
  { name: "also", value: "RULE", many: true, help: "mend by these rules as well, of those that are to be asked for" },
];

/** The rules of mending that the options select. Throws `InputError` for a name that none has. */
export async function selectionOf(options: Options): Promise<MendSelection> {
  const only = options.all("only");
  const selection = {
    ...(only.length === 0 ? {} : { only }),
    except: options.all("except"),
    also: options.all("also"),
  };
  const { selectRules } = await import("../load/mend/mender.js");
  selectRules(selection);
  return selection;
}

export const TARGETS_OPTION: Option = {
  name: "targets",
  value: "FILE",
  help: "write which shape is for which record, as other SHACL tools need it",
};

export const SHAPES_OPTION: Option = {
  name: "shapes",
  value: "FILE",
  many: true,
  help: "further rules of your own: SHACL Core in Turtle",
};

/**
 * By what records are validated: `--severity` and `--shapes`. Throws `UsageError` for files that cannot be read,
 * `SeverityError`, `SyntaxProblem` and `ShapesError`.
 */
export async function rulesOf(
  options: Options,
  model: ModelSettings,
): Promise<{ decisions: readonly string[]; shapes: readonly ShapesFile[] }> {
  const shapes = await Promise.all(
    options.all("shapes").map(async (name) => ({ name, text: await textOf(name, `--shapes ${name}`) })),
  );
  const rules = { decisions: await decisionsOf(options), shapes };
  // Made once here so that what is wrong is told before anything is read.
  const { Validator } = await import("../validate/validator.js");
  await Validator.make({ model, ...rules });
  return rules;
}

async function decisionsOf(options: Options): Promise<readonly string[]> {
  const { decisionsIn } = await import("../validate/severities.js");
  const decisions: string[] = [];
  for (const given of options.all("severity")) {
    if (!given.startsWith("@")) decisions.push(given);
    else decisions.push(...decisionsIn(await textOf(given.slice(1), `--severity ${given}`)));
  }
  return decisions;
}

/** A file's text. Throws `UsageError` that names the option. */
async function textOf(file: string, option: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(`${option}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
