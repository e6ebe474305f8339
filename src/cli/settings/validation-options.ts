/** The validation options that commands share: decisions, shapes, mending, reports. The modules that interpret them are imported only when needed. */
import type { MendSelection } from "../../load/mend/mender.js";
import type { ModelSettings } from "../../model/settings.js";
import { irisIn } from "../loading/iri-lists.js";
import { namedText } from "./common.js";
import { argument, type Option, type Options, UsageError } from "./options.js";

/** The options for the files that a validation writes, for every command that validates. */
export const REPORT_OPTIONS: readonly Option[] = [
  argument("report FILE...", "write all results to a file: .json, .html, .csv or .ttl (SHACL)", { isMain: true }),
  argument(
    "since FILE",
    "compare with an earlier .json report: which records newly break a rule, no longer do, or still do",
  ),
];

/** The option for the mending rules to apply, for every command that mends. */
export const MENDING_RULES: Option = argument(
  "rules RULE...",
  "apply only this mending rule; no-RULE: all but this one; +RULE: also this one, which is off by default; +actors-as-groups=IRI|@FILE: for Actors with these IRIs or classifications",
);

/** The beginning of a value that lists Actors that are Groups. */
const LISTED = "+actors-as-groups=";

/** The mending rules that the options select. Throws `InputError` for an unknown rule, `UsageError` for a file that cannot be read. */
export async function mendSelectionOf(options: Options): Promise<MendSelection> {
  const all = options.all("rules");
  const isList = (rule: string): boolean => rule.startsWith(LISTED);
  const given = all.filter((rule) => !isList(rule));
  const signed = (sign: string): string[] =>
    given.filter((rule) => rule.startsWith(sign)).map((rule) => rule.slice(sign.length));
  const only = given.filter((rule) => !/^(?:\+|no-)/.test(rule));
  const lists = all.filter(isList).map(async (each) => {
    const list = each.slice(LISTED.length);
    return list.startsWith("@") ? irisIn(await namedText(list.slice(1), `--rules ${each}`)) : [list];
  });
  const groups = (await Promise.all(lists)).flat();
  const selection = { ...(only.length === 0 ? {} : { only }), except: signed("no-"), also: signed("+"), groups };
  const { selectRules } = await import("../../load/mend/mender.js");
  selectRules(selection);
  return selection;
}

/** The rules that records are validated by, from `--severity` and `--shapes`. Throws `UsageError`, `SyntaxProblem` and `ShapesError`. */
export async function rulesOf(options: Options, model: ModelSettings) {
  const shapes = await Promise.all(
    options.all("shapes").map(async (name) => ({ name, text: await namedText(name, `--shapes ${name}`) })),
  );
  const rules = { decisions: await decisionsOf(options), shapes };
  // A validator is made here so that errors are reported before any input is read.
  const { Validator } = await import("../../validate/validator.js");
  const severities = await import("../../validate/severities.js");
  try {
    await Validator.make({ model, ...rules });
  } catch (error) {
    throw error instanceof severities.SeverityError ? new UsageError(`--severity ${error.message}`) : error;
  }
  return rules;
}

async function decisionsOf(options: Options): Promise<readonly string[]> {
  const { decisionsIn } = await import("../../validate/severities.js");
  const decisions = options.all("severity").map(async (given) => {
    return given.startsWith("@") ? decisionsIn(await namedText(given.slice(1), `--severity ${given}`)) : [given];
  });
  return (await Promise.all(decisions)).flat();
}
