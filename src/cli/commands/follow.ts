/** `vitrine follow`: keeps a store equal to what another service publishes. */
import { setTimeout as sleep } from "node:timers/promises";
import { MAX_TIMER } from "../../base/timer.js";
import { StoreLockedError } from "../../store/errors.js";
import type { CommandDefinition } from "../main/command.js";
import { ExitStatus } from "../main/exit-status.js";
import { argument, UsageError } from "../settings/options.js";
import { KEEP } from "../settings/record-options.js";
import { READING_SETTINGS, settings } from "../settings/table.js";

export const followCommand: CommandDefinition = {
  operands: "URL",
  summary: "keeps this store equal to another service: first by its dump, then by its change stream",
  notes: [
    "URL is the address of a Vitrine, of a dataset described in VoID or DCAT, or of a change stream (IIIF Change Discovery). Records are",
    "fetched, validated and loaded in batches, as with load. An interrupted batch is repeated, and the next run continues where the last ended.",
    "Requests go only to the host of URL. Records remember --source, by default the host, so a store can follow several services.",
  ],
  examples: [
    "follow https://data.museum.example/",
    "follow https://data.museum.example/activity/person --source museum --every 1h",
  ],
  options: [
    argument("source NAME", "the name of the feed, which the records remember; by default the host of URL", {
      isMain: true,
    }),
    argument("every TIME", "repeat at this interval (15m, 1h); without it, run once", { isMain: true }),
    argument("afresh", "forget the position of the last run, and read all again"),
    argument("mend", "mend invalid records", { isMain: true }),
    KEEP,
    ...settings("on-invalid", "hold", "connections", "batch"),
    ...READING_SETTINGS,
  ],
  changesStore: () => true,
  async run(options, terminal) {
    const url = options.positionals[0]!;
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new UsageError(`${url} is not an http or https address`);
    const every = options.text("every");
    const interval = every === undefined ? undefined : durationOf(every);
    const following = await import("../../harvest/follow/client.js");
    const { visit } = await import("../loading/follow-visit.js");
    const { stderr, interrupted } = terminal;
    using client = new following.Client({
      url,
      connections: options.number("connections")!,
      signal: interrupted,
      onWait: (reason, seconds) => stderr.line(`waiting ${seconds} s: ${reason}`),
    });
    for (let isKnown = false; ; ) {
      try {
        const refused = await visit(client, options, terminal, isKnown);
        if (interval === undefined) return refused === 0 ? ExitStatus.done : ExitStatus.someInvalid;
        isKnown = true;
      } catch (error) {
        if (interrupted.aborted && interval !== undefined) return ExitStatus.done;
        if (!(error instanceof following.FollowError) && !(error instanceof StoreLockedError)) throw error;
        if (interval === undefined)
          throw new UsageError(`${error.message}; loaded records stay, and the next run continues from there`);
        stderr.line(`vitrine: ${error.message}; trying again`);
        isKnown = false;
      }
      await sleep(interval, undefined, { signal: interrupted }).catch(() => {});
      if (interrupted.aborted) return ExitStatus.done;
    }
  },
};

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration such as `90s`, `15m`, `1h` or `7d`, in milliseconds. Throws `UsageError`. */
function durationOf(text: string): number {
  const [, number, unit] = /^([1-9]\d{0,8})([smhd])$/.exec(text) ?? [];
  const duration = number === undefined ? Number.NaN : Number(number) * UNITS[unit as keyof typeof UNITS];
  if (duration <= MAX_TIMER) return duration;
  throw new UsageError(`--every ${text} is not a duration such as 15m, 1h or 1d, up to 24d`);
}
