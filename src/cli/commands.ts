/** All commands: one list, from which the command line, its help, its settings and its documentation follow. */
import { backupCommand, restoreCommand } from "./backup.js";
import { checkCommand } from "./check.js";
import type { Command } from "./command.js";
import { completionCommand } from "./completion.js";
import { configCommand } from "./config.js";
import { deleteCommand } from "./delete.js";
import { diffCommand } from "./diff.js";
import { dumpCommand } from "./dump.js";
import { engineCommand } from "./engine.js";
import { explainCommand } from "./explain.js";
import { exportCommand } from "./export.js";
import { findCommand } from "./find.js";
import { followCommand } from "./follow.js";
import { getCommand } from "./get.js";
import { loadCommand } from "./load.js";
import { mendCommand } from "./mend.js";
import { moveCommand } from "./move.js";
import { queryCommand } from "./query.js";
import { rebaseCommand } from "./rebase.js";
import { releaseCommand } from "./release.js";
import { serveCommand } from "./serve.js";
import { statsCommand } from "./stats.js";
import { tokenCommand } from "./token.js";
import { usageCommand } from "./usage.js";
import { validateCommand } from "./validate.js";

export const COMMANDS: readonly Command[] = [
  loadCommand,
  validateCommand,
  mendCommand,
  explainCommand,
  releaseCommand,
  deleteCommand,
  moveCommand,
  rebaseCommand,
  serveCommand,
  engineCommand,
  getCommand,
  findCommand,
  queryCommand,
  exportCommand,
  dumpCommand,
  followCommand,
  diffCommand,
  statsCommand,
  checkCommand,
  usageCommand,
  tokenCommand,
  backupCommand,
  restoreCommand,
  configCommand(() => COMMANDS),
  completionCommand(() => COMMANDS),
];
