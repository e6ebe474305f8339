/** `vitrine stats`: what the store holds. */
import { grouped } from "../../base/counted.js";
import { openStore } from "../../store/open.js";
import type { StoreStats } from "../../store/record.js";
import type { Command } from "../main/command.js";
import { ExitStatus } from "../main/exit-status.js";

export const statsCommand: Command = {
  name: "stats",
  operands: "",
  summary: "shows records per endpoint, triples, invalid records, last change",
  examples: ["stats", "stats --json"],
  options: [],
  async run(options, { stdout }) {
    await using store = await openStore({ directory: options.required("store") });
    const stats = await store.stats();
    const held = store.held.stats().records ?? 0;
    stdout.write(options.isSet("json") ? `${JSON.stringify(machineStats(stats, held))}\n` : table(stats, held));
    return ExitStatus.done;
  },
};

/** The statistics as `--json` prints them (DESIGN.md, Reports). */
function machineStats(stats: StoreStats, held: number): object {
  const { records, triples, invalid, endpoints, sequence, baseUrl, sources = {} } = stats;
  const ofSources = Object.keys(sources).length > 0 ? { sources } : {};
  return {
    records,
    triples,
    invalid,
    endpoints,
    sequence,
    lastChange: isoTime(stats.lastChange),
    baseUrl,
    ...ofSources,
    ...(held > 0 ? { held } : {}),
  };
}

function table(stats: StoreStats, held: number): string {
  const rows: [string, string][] = [
    ...Object.entries(stats.endpoints).map(([name, count]): [string, string] => [`  ${name}`, grouped(count)]),
    ...Object.entries(stats.sources ?? {}).map(([name, count]): [string, string] => [`source ${name}`, grouped(count)]),
    ["triples", grouped(stats.triples)],
    ["invalid", grouped(stats.invalid)],
    ...(held > 0 ? [["held", grouped(held)] as [string, string]] : []),
    ["sequence", String(stats.sequence)],
    ["last change", isoTime(stats.lastChange) ?? "never"],
    ["base URL", stats.baseUrl ?? "none"],
  ];
  const all: [string, string][] = [["records", grouped(stats.records)], ...rows];
  const width = 2 + Math.max(12, ...all.map(([name]) => name.length));
  return all.map(([name, value]) => `${name.padEnd(width)}${value}\n`).join("");
}

function isoTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
