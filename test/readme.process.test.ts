/** Every command of the README runs as it stands there, in a folder of its own and on a free port. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** The lines of the README's shell blocks, in order. */
const COMMANDS = [...readFileSync("README.md", "utf8").matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block]) =>
  block!.trim().split("\n"),
);

/** Scripts that a test suite cannot run inside itself, or that take minutes; continuous integration runs the first two. */
const NOT_HERE = ["npm ci", "npm test", "npm run bench", "npm run conformance"];

const ROOT = resolve(".");
const PUBLISHED = "http://localhost:3000";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-readme-"));
  for (const name of ["data", "docs"]) symlinkSync(join(ROOT, name), join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function shell(command: string): Promise<string> {
  const script = `set -o pipefail; vitrine() { '${process.execPath}' '${ROOT}/bin/vitrine.js' "$@"; }; ${command}`;
  const { stdout } = await promisify(execFile)("bash", ["-c", script], { cwd: folder, maxBuffer: 2 ** 26 });
  return stdout;
}

function freePort(): Promise<number> {
  return new Promise((found) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address() as { port: number };
      server.close(() => found(port));
    });
  });
}

/** Start a server and wait until it says that it listens. */
function start(command: string, cwd: string, environment: NodeJS.ProcessEnv): Promise<ChildProcess> {
  // A process group of its own, so that npm and what it started end together.
  const child = spawn("bash", ["-c", command], { cwd, env: { ...process.env, ...environment }, detached: true });
  return new Promise((started, failed) => {
    let told = "";
    child.stderr.on("data", (chunk: Buffer) => {
      told += chunk.toString();
      if (told.includes("listening on")) started(child);
    });
    child.once("exit", () => failed(new Error(told)));
  });
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((stopped) => {
    child.removeAllListeners("exit");
    child.once("exit", () => stopped());
    process.kill(-child.pid!, "SIGTERM");
  });
}

describe("the README", () => {
  it("names scripts that the package has", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
    for (const command of COMMANDS.filter((line) => line.startsWith("npm"))) {
      const script = command.replace(/^npm (run )?/, "");
      if (script !== "ci") expect(Object.keys(scripts)).toContain(script);
    }
    expect(readFileSync(".ci/run", "utf8")).toContain("npm ci");
    expect(readFileSync(".ci/run", "utf8")).toContain("npm test");
  });

  it("has commands of known kinds only", () => {
    for (const command of COMMANDS) expect(command).toMatch(/^(npm|curl|vitrine|echo .* \| vitrine) /);
  });

  it("starts the sample, whose URIs then answer", async () => {
    const port = await freePort();
    const environment = {
      VITRINE_STORE: join(folder, "store"),
      VITRINE_PORT: String(port),
      VITRINE_BASE_URL: PUBLISHED,
    };
    const server = await start("npm start", ROOT, environment);
    try {
      const curls = COMMANDS.filter((command) => command.startsWith("curl"));
      expect(curls.length).toBeGreaterThan(2);
      for (const command of curls) {
        const local = command.replace(PUBLISHED, `http://localhost:${port}`).replace("curl", "curl --silent --fail");
        expect(await shell(local), command).toContain(`${PUBLISHED}/`);
      }
    } finally {
      await stop(server);
    }
  });

  it("loads, gets, deletes, exports", async () => {
    const commands = COMMANDS.filter((command) => command.includes("vitrine ") && !command.includes("vitrine serve"));
    expect(commands.length).toBeGreaterThan(6);
    for (const command of commands) await shell(command);
    expect(await shell("vitrine export --store demo/copy")).toBe(await shell("vitrine export --store demo/store"));
  });

  it("serves what was loaded", async () => {
    const command = COMMANDS.find((line) => line.startsWith("vitrine serve"))!;
    const port = await freePort();
    const local = command
      .replace("vitrine", `'${process.execPath}' '${ROOT}/bin/vitrine.js'`)
      .replace("3000", String(port));
    const server = await start(local, folder, {});
    try {
      const response = await fetch(`http://localhost:${port}/place/delft`, {
        headers: { accept: "application/n-triples" },
      });
      expect(await response.text()).toContain(`<${PUBLISHED}/place/delft>`);
    } finally {
      await stop(server);
    }
  });

  it("leaves no command out of these tests", () => {
    const run = COMMANDS.filter((command) => /^(curl|npm start|vitrine |echo )/.test(command));
    expect(COMMANDS.filter((command) => !run.includes(command)).sort()).toEqual([...NOT_HERE].sort());
  });
});
