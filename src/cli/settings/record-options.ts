/** Options that decide what becomes of records: rules, mending, reports, holding, keeping. The modules that validate and mend are imported only when needed. */
import type { MendSelection } from "../../load/mend/mender.js";
import { HOLD_BY, type HoldRule, HoldRuleError, holdRule, listedRule } from "../../load/pipeline/hold.js";
import type { ModelSettings } from "../../model/settings.js";
import type { Keeps } from "../../store/writable-store.js";
import { irisIn, listLines } from "../loading/iri-lists.js";
import { absoluteIri, namedText } from "./common.js";
import { argument, type FileSettings, type Flags, type Option, type Options, UsageError, usable } from "./options.js";

export const KEEP: Option = argument(
  "keep WHAT",
  "which versions the store keeps from now on: none, the last one of deleted records, or all; versions already kept stay (docs/use/harvest.md)",
  { choices: ["nothing", "deleted", "versions"] satisfies readonly Keeps[] },
);

/** The load setting for what the store keeps; `undefined` leaves it as it is. */
export function keepingOf(options: Options): { readonly keeps: Keeps | undefined } {
  return { keeps: options.text("keep") as Keeps | undefined };
}

/** The rules by which a load of a source holds records, or `undefined` if none are given. Throws `UsageError`. @param ofService further rules */
export async function holdRulesOf(options: Options, source?: string, baseUrl?: string, ofService?: readonly string[]) {
  const rules = await givenHoldRules(options, ofService);
  if (rules.length === 0) return undefined;
  const absolute = (rule: HoldRule) =>
    rule.by === "iri" ? { ...rule, value: absoluteIri(rule.value, baseUrl) } : rule;
  return usable("--hold: ", () => rules.filter(({ by, value }) => by !== "source" || value === source).map(absolute));
}

/** The given rules, with those from files as one rule for each IRI. Throws `UsageError`. */
export async function givenHoldRules(options: Options, more: readonly string[] = []): Promise<readonly HoldRule[]> {
  const rules = [...more, ...options.all("hold")].map(async (given): Promise<readonly HoldRule[]> => {
    const rule = usable("--hold ", () => holdRule(given));
    if (rule !== undefined) return [rule];
    const lines = listLines(await namedText(given, `--hold ${given} is no rule such as class=..., and`));
    return lines.map(({ text, line }) =>
      usable(`--hold ${given}:${line}: `, () => listedRule(text, `${given}:${line}`)),
    );
  });
  return (await Promise.all(rules)).flat();
}

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
  const severities = await import("../../validate/severities.js");
  const shapes = await Promise.all(
    options.all("shapes").map(async (name) => ({ name, text: await namedText(name, `--shapes ${name}`) })),
  );
  const decided = async (given: string): Promise<readonly string[]> =>
    given.startsWith("@") ? severities.decisionsIn(await namedText(given.slice(1), `--severity ${given}`)) : [given];
  const rules = { decisions: (await Promise.all(options.all("severity").map(decided))).flat(), shapes };
  // A validator is made here so that errors are reported before any input is read.
  const { Validator } = await import("../../validate/validator.js");
  try {
    await Validator.make({ model, ...rules });
  } catch (error) {
    throw error instanceof severities.SeverityError ? new UsageError(`--severity ${error.message}`) : error;
  }
  return rules;
}

/** The load options that a service takes as parameters. None of them names a file or raises a limit of its settings. */
export const SENT_PARAMETERS: ReadonlySet<string> = new Set([
  ...["format", "divide", "severity", "on-invalid", "source", "sync", "max-delete", "max-invalid", "max-change"],
  ...["strict-identity", "diff", "ordered", "mend", "rules", "hold", "dry-run"],
]);

/** Whether a value stands for the contents of a file: `@FILE` or `RULE=@FILE`. */
export function namesFile(value: string): boolean {
  return /^(?:[^=]*=)?@/.test(value);
}

/** Refuse limits that a sender set higher than the service's settings file does, and severities if the file decides them for loads. Throws `UsageError`. @param decided the service's severities, which then came in place of the sender's */
export function ensureNoneRaised(sent: Flags["values"], file: FileSettings, decided: readonly string[] = []): void {
  if (decided.length === 0 && sent.has("severity") && file.has("severity"))
    throw new UsageError("severity is decided by the service's settings");
  for (const name of ["max-delete", "max-invalid", "max-change"]) {
    const [asked, limit] = [sent.get(name), file.get(name)?.value];
    if (typeof asked !== "string" || typeof limit !== "string" || isWithin(asked, limit)) continue;
    throw new UsageError(
      `${name} ${asked} is not within the ${limit} of the service's settings: ask for less, in the same unit`,
    );
  }
}

/** Whether a limit is no higher than another. A number and a percentage cannot be compared without the store. */
function isWithin(asked: string, limit: string): boolean {
  const isOfUnit = /^\d+(?:\.\d+)?%?$/.test(asked) && asked.endsWith("%") === limit.endsWith("%");
  return isOfUnit && Number.parseFloat(asked) <= Number.parseFloat(limit);
}

/** The problem with a parameter's value, or `undefined`. A value must not name a file: it would be one of the service's machine. `severity` must not overrule the service's own. */
export function parameterProblem(service: Options, name: string, value: string): string | undefined {
  if (namesFile(value)) return `${name} is a value, not a file.`;
  const decided = service.all("severity");
  if (name === "severity" && decided.length > 0 && !decided.includes(value))
    return "severity is decided by the service's settings.";
  if (name !== "hold") return undefined;
  try {
    if (holdRule(value) !== undefined) return undefined;
  } catch (error) {
    if (error instanceof HoldRuleError) return `hold: ${error.message}.`;
    throw error;
  }
  return `hold is a rule such as ${HOLD_BY.map((by) => `${by}=...`).join(" or ")}.`;
}
