#!/usr/bin/env node
// Before anything else is read, so that a signal or a failure of the reading itself ends the process as promised
// (docs/run/operation.md): also as process 1 of a container, for which the system has no defaults.
import { existsSync, readFileSync, writeSync } from "node:fs";
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
// The version needs nothing of the program, which takes longer to read than all else.
if (["--version", "version"].includes(process.argv[2])) {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  try {
    writeSync(process.stdout.fd, `${version}\n`);
  } catch (error) {
    end(REFUSED, `the version cannot be written: ${error.message}`);
  }
  process.exit();
}
const built = new URL("../dist/cli/main/process.js", import.meta.url);
if (!existsSync(built)) end(REFUSED, "it is not built yet: npm ci && npm run build");
const { runProcess } = await import(built.href);
process.removeAllListeners("uncaughtException");
await runProcess(interrupt.signal);
