/** A guard that keeps unit tests in their own process: a test that starts another belongs in a `*.process.test.ts`. */
import { ChildProcess } from "node:child_process";

const prototype = ChildProcess.prototype as unknown as { spawn(options: { readonly args?: readonly string[] }): never };

prototype.spawn = ({ args = [] }) => {
  throw new Error(
    `a unit test must not start a process (${args.join(" ")}): give its file the suffix .process.test.ts`,
  );
};
