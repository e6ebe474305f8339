/** Commands by which another is run elsewhere: in a container of its own, or as somebody else; where the machine lets a test do so. */
import { spawnSync } from "node:child_process";
import { PROGRAM } from "../../src/cli/main/command.js";

/** A process namespace of its own, as a container has it. */
export const NAMESPACE: readonly string[] = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];
/** Whether the machine lets a test make one. */
export const HAS_NAMESPACES = spawnSync(NAMESPACE[0]!, [...NAMESPACE.slice(1), "true"]).status === 0;

const NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
/** Somebody else on the same machine, who may not write where this run records its coverage. */
export const OTHER_USER: readonly string[] = [...NOBODY, "env", "--unset=NODE_V8_COVERAGE"];
/** Whether a test may be that one, and whether the program may be read then. */
export const HAS_OTHER_USER =
  spawnSync(OTHER_USER[0]!, [...OTHER_USER.slice(1), "test", "-x", process.execPath, "-a", "-r", PROGRAM]).status === 0;
