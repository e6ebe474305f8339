/** All commands, in one list from which the command line, its help, its settings and its documentation follow. */
import { didYouMean } from "../../base/did-you-mean.js";
import { UsageError } from "../settings/options.js";
import type { Command, CommandDefinition } from "./command.js";

/** Each command is imported only on demand, since importing all takes longer than most take to run. */
const COMMANDS: Readonly<Record<string, () => Promise<CommandDefinition>>> = {
  load: async () => (await import("../commands/load.js")).loadCommand,
  validate: async () => (await import("../commands/validate.js")).validateCommand,
  mend: async () => (await import("../commands/mend.js")).mendCommand,
  explain: async () => (await import("../commands/explain.js")).explainCommand,
  release: async () => (await import("../commands/release.js")).releaseCommand,
  delete: async () => (await import("../commands/delete.js")).deleteCommand,
  move: async () => (await import("../commands/delete.js")).moveCommand,
  rebase: async () => (await import("../commands/rebase.js")).rebaseCommand,
  serve: async () => (await import("../commands/serve.js")).serveCommand,
  engine: async () => (await import("../commands/engine.js")).engineCommand,
  get: async () => (await import("../commands/get.js")).getCommand,
  find: async () => (await import("../commands/find.js")).findCommand,
  query: async () => (await import("../commands/query.js")).queryCommand,
  export: async () => (await import("../commands/export.js")).exportCommand,
  dump: async () => (await import("../commands/dump.js")).dumpCommand,
  site: async () => (await import("../commands/site.js")).siteCommand,
  follow: async () => (await import("../commands/follow.js")).followCommand,
  diff: async () => (await import("../commands/diff.js")).diffCommand,
  profile: async () => (await import("../commands/profile.js")).profileCommand,
  purge: async () => (await import("../commands/purge.js")).purgeCommand,
  "check-links": async () => (await import("../commands/check-links.js")).checkLinksCommand,
  stats: async () => (await import("../commands/stats.js")).statsCommand,
  check: async () => (await import("../commands/check.js")).checkCommand,
  token: async () => (await import("../commands/token.js")).tokenCommand,
  backup: async () => (await import("../commands/backup.js")).backupCommand,
  restore: async () => (await import("../commands/backup.js")).restoreCommand,
  config: async () => (await import("../commands/config.js")).configCommand,
  completion: async () => (await import("../commands/completion.js")).completionCommand,
};

/** The names of the commands, in the order of the help. */
export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS);

/** The command with a name. Throws `UsageError` if there is none. */
export async function commandNamed(name: string): Promise<Command> {
  if (Object.hasOwn(COMMANDS, name)) return read(name);
  const suggestion = didYouMean(name, COMMAND_NAMES);
  throw new UsageError(`there is no command ${JSON.stringify(name)}${suggestion}; vitrine help lists all`);
}

/** All commands, in the order of the help. */
export function allCommands(): Promise<readonly Command[]> {
  return Promise.all(COMMAND_NAMES.map(read));
}

async function read(name: string): Promise<Command> {
  return { name, operands: "", options: [], ...(await COMMANDS[name]!()) };
}
