/** `vitrine usage`: what was read how often, for boards and funders. */

import { counted, grouped } from "../base/counted.js";
import { readUsage, type UsagePeriod } from "../http/usage.js";
import { openStore } from "../store/open.js";
import type { Store } from "../store/store.js";
import type { Command } from "./command.js";
import { ExitStatus } from "./exit-status.js";
import { UsageError } from "./options.js";
import { columns } from "./table.js";

/** Records that are named with their labels. */
const MOST_READ = 10;

export const usageCommand: Command = {
  name: "usage",
  operands: "",
  summary: "requests by month, endpoint and representation, robots apart, and the records that are read most",
  notes: [
    "A running service counts answers of 200 and 304 and writes the counts to the store's folder once a minute. Whoever says to be a",
    "robot, or says nothing, is counted as one. Nothing is kept of who asks. count-usage: off in the settings file turns it off.",
  ],
  examples: ["usage", "usage --month 2026-11 --json"],
  options: [{ name: "month", kind: "argument", value: "YYYY-MM", help: "this month alone" }],
  async run(options, { stdout }) {
    const directory = options.required("store");
    const month = options.text("month");
    if (month !== undefined && !/^\d{4}-\d{2}$/.test(month))
      throw new UsageError(`--month ${month} is no month: write 2026-11`);
    const store = await openStore({ directory });
    try {
      const periods = readUsage(directory).filter((period) => month === undefined || period.month === month);
      const shown = await Promise.all(periods.map((period) => withLabels(period, store)));
      stdout.write(options.isSet("json") ? `${JSON.stringify(shown)}\n` : shown.map(words).join("\n"));
      return ExitStatus.done;
    } finally {
      await store.close();
    }
  },
};

interface Shown extends Omit<UsagePeriod, "read"> {
  readonly read: readonly { readonly iri: string; readonly label: string; readonly requests: number }[];
}

async function withLabels({ month, counts, read }: UsagePeriod, store: Store): Promise<Shown> {
  const most = read
    .slice(0, MOST_READ)
    .map(async ([iri, requests]) => ({ iri, label: await labelOf(iri, store), requests }));
  return { month, counts, read: await Promise.all(most) };
}

async function labelOf(iri: string, store: Store): Promise<string> {
  try {
    return (await store.find(iri))?.meta.label ?? "";
  } catch {
    return "";
  }
}

function words({ month, counts, read }: Shown): string {
  const sum = (isBot: boolean): number =>
    counts.reduce((all, count) => (count.isBot === isBot ? all + count.requests : all), 0);
  const rows = counts.map(({ endpoint, representation, isBot, requests }) => [
    endpoint,
    representation,
    isBot ? "robots" : "people",
    grouped(requests),
  ]);
  const lines = columns(rows, { numbers: [3] }).map((line) => `  ${line}\n`);
  const most = read.map(
    ({ iri, label, requests }) => `  ${grouped(requests)}  ${label === "" ? "" : `${label} `}<${iri}>\n`,
  );
  const head = `${month}: ${counted(sum(false), "request")} of people and programs, ${grouped(sum(true))} of robots\n`;
  return `${head}${lines.join("")}${most.length === 0 ? "" : `read most, robots apart:\n${most.join("")}`}`;
}
