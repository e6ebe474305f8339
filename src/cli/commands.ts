/** All commands: one list, from which the command line, its help, its settings and its documentation follow. */
import type { Command } from "./command.js";

/** Each is read when it is asked for: to read all of them takes longer than most take to run. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  load: async () => (await import("./load.js")).loadCommand,
  validate: async () => (await import("./validate.js")).validateCommand,
  mend: async () => (await import("./mend.js")).mendCommand,
  explain: async () => (await import("./explain.js")).explainCommand,
  release: async () => (await import("./release.js")).releaseCommand,
  delete: async () => (await import("./delete.js")).deleteCommand,
  move: async () => (await import("./move.js")).moveCommand,
  rebase: async () => (await import("./rebase.js")).rebaseCommand,
  serve: async () => (await import("./serve.js")).serveCommand,
  engine: async () => (await import("./engine.js")).engineCommand,
  get: async () => (await import("./get.js")).getCommand,
  find: async () => (await import("./find.js")).findCommand,
  query: async () => (await import("./query.js")).queryCommand,
  export: async () => (await import("./export.js")).exportCommand,
  dump: async () => (await import("./dump.js")).dumpCommand,
  follow: async () => (await import("./follow.js")).followCommand,
  diff: async () => (await import("./diff.js")).diffCommand,
  stats: async () => (await import("./stats.js")).statsCommand,
  check: async () => (await import("./check.js")).checkCommand,
  token: async () => (await import("./token.js")).tokenCommand,
  backup: async () => (await import("./backup.js")).backupCommand,
  restore: async () => (await import("./backup.js")).restoreCommand,
  config: async () => (await import("./config.js")).configCommand(allCommands),
  completion: async () => (await import("./completion.js")).completionCommand(allCommands),
};

/** In the order of the help. */
export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS);

/** The command of a name, where there is one. */
export async function commandOf(name: string): Promise<Command | undefined> {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name]!() : undefined;
}

/** All commands, in the order of the help. */
export function allCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.values(COMMANDS).map((read) => read()));
}
