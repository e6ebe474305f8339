/** The report as one self-contained page: the summary, the rules by frequency with an example each, and the records with a search. */
import { hash } from "node:crypto";
import { grouped } from "../../base/counted.js";
import { escapeHtml, linkTo } from "../../base/html.js";
import { assetText } from "../../base/package-files.js";
import { shortened } from "../../base/shortened.js";
import { ruleName } from "../../model/rules/shapes.js";
import type { DocumentChange, IdentityProblem, RecordDifference, RecordResults, Result } from "../results.js";
import type { Further, ReportForm, ReportSummary } from "./forms.js";
import type { RuleCount } from "./tally.js";

/** The maximum number of records on the page, since a browser cannot handle more. The other forms have all records. */
const MAX_RECORDS = 5000;
const MAX_TEXT = 500;

/** The form of a report as a page. */
export function htmlForm(): ReportForm {
  const lists: Lists = { record: [], deletion: [], difference: [], identity: [] };
  /** Collects items, since everything is written at the end. */
  const listed =
    <Item>(kind: keyof Lists, html: (item: Item) => string) =>
    (item: Item, index: number): "" => {
      if (index < MAX_RECORDS) lists[kind].push(html(item));
      return "";
    };
  return {
    head: "",
    record: listed("record", recordOf),
    deletion: listed("deletion", differenceOf),
    difference: listed("difference", differenceOf),
    identity: listed("identity", ({ iri, problem }: IdentityProblem) => `<li>${linkTo(iri)} ${escapeHtml(problem)}`),
    tail: (summary, records, rules) => pageOf(summary, records, rules, lists),
  };
}

type Lists = Readonly<Record<"record" | keyof Further, string[]>>;

function pageOf(summary: ReportSummary, records: number, rules: readonly RuleCount[], lists: Lists): string {
  const [style, script] = [assetText("report.css"), assetText("report.js")];
  const policy = `default-src 'none'; style-src '${sourceOf(style)}'; script-src '${sourceOf(script)}'; base-uri 'none'; form-action 'none'`;
  const beyond =
    records > lists.record.length
      ? `<p>Only the first ${lists.record.length} of ${records} records are on this page: a report as .json or .csv has them all.</p>`
      : "";
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<title>Validation report</title>
<style>${style}</style>
<main>
<h1>Validation report</h1>
${summaryTable(summary)}
<h2>Rules</h2>
${rules.length === 0 ? "<p>No rule is broken.</p>" : rulesTable(rules)}
<h2>Records</h2>
<p><label for="search">Search for an IRI, a label, an identifier, a rule, words of a message</label>
<input id="search" type="search" autocomplete="off"> <output id="count"></output></p>
${beyond}
${lists.record.join("\n")}
${listOf("Records that the input lacks", lists.deletion)}
${listOf("IRIs that come back as something else", lists.identity)}
${listOf("Changes", lists.difference)}
</main>
<script>${script}</script>
</html>
`;
}

function listOf(title: string, items: readonly string[]): string {
  return items.length === 0 ? "" : `<h2>${title}</h2>\n<ul>\n${items.join("\n")}\n</ul>`;
}

function differenceOf({ iri, kind, label, identifiers, differences }: RecordDifference): string {
  const places = differences.map(({ property, before, after }) =>
    changeOf({ path: property, before, after, rule: kind }),
  );
  const about = [kind, label, ...identifiers].filter((each) => each !== "");
  return `<li>${linkTo(iri)} ${about.map((each) => escapeHtml(shortened(each, MAX_TEXT))).join(" · ")}${places.length === 0 ? "" : `<ul>${places.join("")}</ul>`}`;
}

/** The hash that makes a content security policy allow exactly this text to run (CSP 3, 2.3.1). */
function sourceOf(text: string): string {
  return `sha256-${hash("sha256", text, "base64")}`;
}

function summaryTable(summary: ReportSummary): string {
  const rows = Object.entries(summary).map(
    ([name, value]) => `<tr><th>${escapeHtml(name)}<td class="number">${grouped(value)}`,
  );
  return `<table>${rows.join("")}</table>`;
}

function rulesTable(rules: readonly RuleCount[]): string {
  const rows = rules.map(({ example, record, records, mendable, messages }) => {
    const messageHtml =
      messages.length === 1
        ? escapeHtml(example.message)
        : `<ul>${messages.map(({ message, results }) => `<li>${grouped(results)} × ${escapeHtml(message)}`).join("")}</ul>`;
    const found =
      example.value === null ? "" : `<br>found <code>${escapeHtml(shortened(example.value, MAX_TEXT))}</code>`;
    const at = example.path === "" ? "" : ` at <code>${escapeHtml(example.path)}</code>`;
    return (
      `<tr><td class="${example.severity}">${example.severity}<td class="number">${grouped(records)}` +
      `<td class="number">${grouped(mendable)}<td><button data-rule="${escapeHtml(ruleName(example.rule))}">${escapeHtml(ruleName(example.rule))}</button>` +
      `<br>${messageHtml}<br>for example ${record.iri === null ? escapeHtml(record.source) : linkTo(record.iri)}${at}${found}`
    );
  });
  return `<table><tr><th>Severity<th>Records<th>Mend repairs<th>Rule, what would be right, and an example${rows.join("")}</table>`;
}

function recordOf(record: RecordResults): string {
  const { iri, endpoint, label, identifiers, source, results, changes = [], isKept } = record;
  const about = [label, ...identifiers, endpoint ?? "no endpoint", source].filter((each) => each !== "");
  const kept = isKept ? "<p>The stored version stays.</p>" : "";
  return (
    `<article><h3>${iri === null ? escapeHtml(source) : linkTo(iri)}</h3>${about.map((each) => escapeHtml(shortened(each, MAX_TEXT))).join(" · ")}${kept}` +
    `<ul>${results.map(resultOf).join("")}${changes.map(changeOf).join("")}</ul></article>`
  );
}

function resultOf({ severity, path, message, value, rule }: Result): string {
  const where = path === "" ? "" : `<code>${escapeHtml(path)}</code>: `;
  const found = value === null ? "" : `; found <code>${escapeHtml(shortened(value, MAX_TEXT))}</code>`;
  return `<li><b class="${severity}">${severity}</b> ${where}${escapeHtml(message)}${found} (${escapeHtml(ruleName(rule))})`;
}

function changeOf({ path, before, after, rule }: DocumentChange): string {
  const values = [before, after].map(
    (value) => `<code>${escapeHtml(shortened(JSON.stringify(value), MAX_TEXT))}</code>`,
  );
  return `<li><b class="Change">Change</b> <code>${escapeHtml(path)}</code>: ${values.join(" became ")} (${escapeHtml(rule)})`;
}
