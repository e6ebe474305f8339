/** The package that `npm pack` makes, tried out in an empty folder, where nothing of the repository is. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Make the package in a folder. Resolves to its file, and the paths of what is in it. */
export async function pack(folder: string): Promise<{ readonly file: string; readonly paths: readonly string[] }> {
  // The build is the test's own: nothing else is to be done before.
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const { stdout } = await run("npm", args, { maxBuffer: 2 ** 26 });
  const [made] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  return { file: join(folder, made.filename), paths: made.files.map(({ path }) => path) };
}

/** Unpack it beside links to the libraries that it names, those for development left out. Resolves to the command. */
export async function unpack(file: string, folder: string): Promise<string> {
  const modules = join(folder, "node_modules");
  const target = join(modules, "vitrine");
  mkdirSync(target, { recursive: true });
  await run("tar", ["-xzf", file, "-C", target, "--strip-components", "1"]);
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, { readonly dev?: boolean }>;
  };
  for (const [path, { dev }] of Object.entries(packages)) {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    if (name === undefined || dev === true) continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(resolve(path), join(modules, name));
  }
  return join(target, "bin/vitrine.js");
}

/** Install it as a user does, from npm's cache where that has the libraries. Resolves to the command. */
export async function install(file: string, folder: string): Promise<string> {
  // Named, since npm would take a folder above that has a package.json.
  const into = ["--prefix", folder];
  await run("npm", ["install", ...into, "--prefer-offline", "--no-audit", "--no-fund", "--omit=dev", file], {
    cwd: folder,
  });
  return join(folder, "node_modules/.bin/vitrine");
}

/**
 * Load the sample that comes with it, serve it, and ask for one of each thing. Throws when one is not there.
 * @param records what of the sample, as a path below its folder
 */
export async function tryOut(command: string, folder: string, records = ""): Promise<void> {
  const sample = join(folder, "node_modules/vitrine/data/records", records);
  const args = ["serve", "--load", sample, "--port", "0", "--log-format", "text"];
  const service = spawn(process.execPath, [command, ...args], {
    ...apart(folder),
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(service, "exit");
  let told = "";
  try {
    const origin = await new Promise<string>((found, failed) => {
      service.stderr.on("data", (chunk: Buffer) => {
        told += chunk.toString();
        const [, url] = /listening on (http:\S+)\//.exec(told) ?? [];
        if (url !== undefined) found(url);
      });
      service.once("exit", () => failed(new Error(told)));
    });
    for (const path of PATHS) {
      const answer = await fetch(`${origin}${path}`);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${(await answer.text()).slice(0, 300)}`);
      await answer.arrayBuffer();
    }
  } finally {
    service.kill();
    await ended;
  }
}

/** Query what was loaded by another command of it. Throws when nothing is found. */
export async function query(command: string, folder: string): Promise<void> {
  const { stdout } = await run(process.execPath, [command, "query", "ASK { ?s ?p ?o }"], apart(folder));
  if (!stdout.startsWith("yes")) throw new Error(`query: ${stdout}`);
}

/** With neither settings nor variables of whoever runs the test. */
function apart(folder: string): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } {
  return { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } };
}

/** One of each thing that needs files of the package, or a library. */
const PATHS = [
  ...["/place/delft", "/place/delft.ttl", "/place/delft.html", "/place/delft.rdf", "/", "/search/all?name=delft"],
  ...["/activity", "/context", "/shapes/place.ttl", "/schemas/place.json", "/openapi.json", "/openapi.html"],
  ...["/sparql/yasgui.js", "/sparql/editor.json", "/metrics", "/sitemap.xml"],
];
