/** Holds unit tests to their own process: one that starts another belongs into a `*.process.test.ts`. */
import { ChildProcess } from "node:child_process";

const prototype = ChildProcess.prototype as unknown as { spawn(options: { readonly args?: readonly string[] }): never };

prototype.spawn = ({ args = [] }) => {
  throw new Error(`a unit test starts no process (${args.join(" ")}): give its file the suffix .process.test.ts`);
};
