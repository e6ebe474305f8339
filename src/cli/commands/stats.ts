/** `vitrine stats`: the numbers of records, triples and changes in the store. */
import { grouped } from "../../base/counted.js";
import { openStore } from "../../store/open.js";
import { isoTime, type StoreStats } from "../../store/record.js";
import type { CommandDefinition } from "../main/command.js";
import { columns } from "../main/text-table.js";

export const statsCommand: CommandDefinition = {
  summary: "shows records per endpoint, triples, invalid records, last change",
  examples: ["stats", "stats --json"],
  async run(options, { stdout }) {
    await using store = await openStore({ directory: options.required("store") });
    const stats = await store.stats();
    const held = store.held.stats().records;
    stdout.write(options.isSet("json") ? `${JSON.stringify(machineStats(stats, held))}\n` : table(stats, held));
  },
};

/** The statistics as `--json` prints them. */
function machineStats({ lastChange, sources = {}, ...stats }: StoreStats, held: number): object {
  const { records, triples, invalid, endpoints, sequence, baseUrl } = stats;
  return {
    ...{ records, triples, invalid, endpoints, sequence, lastChange: isoTime(lastChange), baseUrl },
    ...(Object.keys(sources).length > 0 && { sources }),
    ...(held > 0 && { held }),
  };
}

function table(stats: StoreStats, held: number): string {
  const rows = [
    ["records", grouped(stats.records)],
    ...Object.entries(stats.endpoints).map(([name, count]) => [`  ${name}`, grouped(count)]),
    ...Object.entries(stats.sources ?? {}).map(([name, count]) => [`source ${name}`, grouped(count)]),
    ["triples", grouped(stats.triples)],
    ["invalid", grouped(stats.invalid)],
    ...(held > 0 ? [["held", grouped(held)]] : []),
    ["sequence", String(stats.sequence)],
    ["last change", isoTime(stats.lastChange) ?? "never"],
    ["base URL", stats.baseUrl ?? "none"],
  ];
  return `${columns(rows).join("\n")}\n`;
}
