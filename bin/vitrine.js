#!/usr/bin/env node
// Before anything else is read, so that a signal or a failure of the reading itself ends the process as promised
// (docs/run/operation.md): also as process 1 of a container, for which the system has no defaults.
import { existsSync } from "node:fs";
import { constants } from "node:os";

const [REFUSED, FAILED] = [2, 3];

function end(status, message) {
  process.stderr.write(`vitrine: ${message}\n`);
  process.exit(status);
}

const interrupt = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    // The first asks the command to end in order; a second one ends it.
    if (interrupt.signal.aborted) process.exit(128 + constants.signals[signal]);
    interrupt.abort();
  });
}
process.once("uncaughtException", (error) => end(FAILED, error.message));

try {
  process.cwd();
} catch {
  end(REFUSED, "the folder that it was started in is gone: start it in another");
}
const built = new URL("../dist/cli/main/process.js", import.meta.url);
if (!existsSync(built)) end(REFUSED, "it is not built yet: npm ci && npm run build");
const { runProcess } = await import(built.href);
process.removeAllListeners("uncaughtException");
await runProcess(interrupt.signal);
