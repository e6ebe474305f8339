/** Compiles the sources before any test runs: threads and processes start from compiled code, which must not be stale. */
import { execFileSync } from "node:child_process";

export default function build(): void {
  execFileSync("npm", ["run", "build", "--silent"], { stdio: "inherit" });
}
