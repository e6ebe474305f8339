/** Options that change what a load does with records: what the store keeps, which records are held, and which options a service takes as parameters. */
import { HOLD_BY, type HoldRule, HoldRuleError, type HoldRules, holdRule } from "../../load/pipeline/hold.js";
import type { EndpointName } from "../../model/tables/names.js";
import type { Keeps } from "../../store/writable-store.js";
import { irisIn } from "../loading/iri-lists.js";
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

/** The rules by which a load holds records, or `undefined` if there are none. Throws `UsageError`. */
export async function holdRulesOf(
  options: Options,
  source: string | undefined,
  baseUrl: string | undefined,
): Promise<HoldRules | undefined> {
  const rules = await givenHoldRules(options);
  if (rules.length === 0) return undefined;
  const valuesOf = (by: HoldRule["by"]): string[] => rules.filter((rule) => rule.by === by).map(({ value }) => value);
  return {
    classes: valuesOf("class"),
    endpoints: valuesOf("endpoint") as EndpointName[],
    classifications: valuesOf("classification"),
    isAll: source !== undefined && valuesOf("source").includes(source),
    iris: usable("--hold: ", () => valuesOf("iri").map((iri) => absoluteIri(iri, baseUrl))),
  };
}

/** The given rules, with those from files as one rule for each IRI. Throws `UsageError`. */
export async function givenHoldRules(options: Options): Promise<readonly HoldRule[]> {
  const rules = options.all("hold").map(async (given): Promise<readonly HoldRule[]> => {
    const rule = usable("--hold ", () => holdRule(given));
    if (rule !== undefined) return [rule];
    const lines = irisIn(await namedText(given, `--hold ${given} is no rule such as class=..., and`));
    return lines.map((line) => usable(`--hold ${given}: `, () => holdRule(`iri=${line}`)!));
  });
  return (await Promise.all(rules)).flat();
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

/** Refuse limits that a sender set higher than the service's settings file does. Throws `UsageError`. */
export function ensureNoneRaised(sent: Flags["values"], file: FileSettings): void {
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
