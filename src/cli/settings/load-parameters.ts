/** The options of a load that a service takes as parameters. */
import { HOLD_BY, HoldRuleError, holdRule } from "../../load/pipeline/hold.js";

/** The options of a load that a service takes as parameters: none of them names a file, or widens a limit. */
export const SENT_PARAMETERS: ReadonlySet<string> = new Set([
  "format",
  "divide",
  "severity",
  "on-invalid",
  "source",
  "sync",
  "max-delete",
  "max-invalid",
  "max-change",
  "strict-identity",
  "diff",
  "ordered",
  "mend",
  "rules",
  "hold",
  "dry-run",
]);

/** Whether a value stands for what a file says: `@FILE`, or `RULE=@FILE`. */
export function namesFile(value: string): boolean {
  return /^(?:[^=]*=)?@/.test(value);
}

/** The problem of a parameter's value, or `undefined`. A file that a value names would be one of the service's machine. */
export function parameterProblem(name: string, value: string): string | undefined {
  if (namesFile(value)) return `${name} is a value, not a file.`;
  if (name !== "hold") return undefined;
  try {
    if (holdRule(value) !== undefined) return undefined;
  } catch (error) {
    if (error instanceof HoldRuleError) return `hold: ${error.message}.`;
    throw error;
  }
  return `hold is a rule such as ${HOLD_BY.map((by) => `${by}=...`).join(" or ")}.`;
}
