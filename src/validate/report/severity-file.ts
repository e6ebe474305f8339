/** The start of a severity file: every broken rule with its frequency, each decision as a comment that waits to be uncommented. */
import { ruleName } from "../../model/rules/shapes.js";
import type { ReportForm } from "./report.js";
import { type RuleCount, Tally } from "./tally.js";

const HEAD = `# Decisions for --severity @FILE: RULE=violation, RULE=warning or RULE=off, the last that fits a rule holds.
# Take the # from a line to decide so. Without a decision each rule stays as severe as it says.
`;

export function severityForm(): ReportForm {
  const tally = new Tally();
  return {
    head: HEAD,
    record(record) {
      tally.add(record);
      return "";
    },
    tail: () => tally.rules().map(decisionOf).join(""),
  };
}

/** What cannot be decided upon is said, and no more. */
const UNDECIDABLE = /^(?:document\.loss|input\.owner|record\.document|record\.value)$/;

function decisionOf({ example, records }: RuleCount): string {
  const rule = ruleName(example.rule);
  const words = `${records} ${records === 1 ? "record" : "records"}, ${example.severity.toLowerCase()}: ${example.message}`;
  const decided = example.severity === "Violation" ? "warning" : "off";
  const decision = UNDECIDABLE.test(rule) ? `# ${rule} cannot be decided upon` : `#${rule}=${decided}`;
  return `\n# ${words.replace(/\s+/g, " ")}\n${decision}\n`;
}
