/** The setting that says which records a load holds. */
import { type HoldRule, type HoldRules, holdRule } from "../../load/pipeline/hold.js";
import type { EndpointName } from "../../model/tables/names.js";
import { irisIn } from "../loading/iri-lists.js";
import { absoluteIri, namedText } from "./common.js";
import { type Options, usable } from "./options.js";

/** The rules by which a load holds records, or `undefined` for none. Throws `UsageError`. */
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

/** The rules that are given, those of files written out. Throws `UsageError`. */
export async function givenHoldRules(options: Options): Promise<readonly HoldRule[]> {
  const rules: HoldRule[] = [];
  for (const given of options.all("hold")) {
    const rule = usable("--hold ", () => holdRule(given));
    if (rule !== undefined) rules.push(rule);
    else
      rules.push(...irisIn(await namedText(given, `--hold ${given}`)).map((value) => ({ by: "iri" as const, value })));
  }
  return rules;
}
