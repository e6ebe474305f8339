/** Dockerfile, deploy/compose.yaml and deploy/vitrine.service against the program, as far as that goes without Docker and systemd. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { serveCommand } from "../../src/cli/commands/serve.js";
import { run } from "../cli/run.js";
import { temporaryFolder } from "../temporary-folder.js";
import { BUILD, environmentOf, IMAGE, MADE, PORT, TAKEN, textsOf } from "./dockerfile.js";

const folder = temporaryFolder();

describe("Dockerfile", () => {
  it("copies what there is, and all that the package has", () => {
    const context = textsOf(BUILD, "COPY").flatMap((text) => text.split(" ").slice(0, -1));
    expect([...context, ...TAKEN.map(({ from }) => from)].filter((path) => !existsSync(path))).toEqual([]);
    const { files, scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { files: string[]; scripts: object };
    const needed = files.filter((name) => !name.startsWith("!") && name !== "deploy");
    expect(TAKEN.map(({ to }) => to).sort()).toEqual([...needed, "node_modules", "package.json"].sort());
    const called = [
      ...textsOf(BUILD, "RUN")
        .join(" ")
        .matchAll(/npm run (\S+)/g),
    ].map(([, name]) => name!);
    expect(called.filter((name) => !(name in scripts))).toEqual([]);
  });

  it("builds with all that the build reads", () => {
    const ignored = readFileSync(".dockerignore", "utf8").trim().split("\n");
    const read = ["src", "bundle.ts", "tsconfig.json", "package.json", "package-lock.json"];
    const taken = TAKEN.map(({ from }) => from).filter((name) => !MADE.includes(name));
    expect([...read, ...taken].filter((name) => ignored.includes(name) || !existsSync(name))).toEqual([]);
  });
});

interface ComposeService {
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: readonly string[];
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
}
interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: object;
}

describe("deploy/compose.yaml", () => {
  const text = readFileSync("deploy/compose.yaml", "utf8");
  const compose = parse(text.replace(/\$\{\w+:-([^}]*)\}/g, "$1")) as Compose;

  it("names services, volumes, secrets and files that there are", () => {
    const names = Object.keys(compose.services);
    for (const [name, { depends_on = [], secrets = [], volumes = [] }] of Object.entries(compose.services)) {
      expect(names, name).toEqual(expect.arrayContaining([...depends_on]));
      expect(Object.keys(compose.secrets), name).toEqual(expect.arrayContaining([...secrets]));
      for (const source of volumes.map((volume) => volume.split(":")[0]!)) {
        // What an institution puts there itself is said at the beginning of the file.
        const isThere = source.startsWith("./")
          ? existsSync(join("deploy", source)) || text.split("services:")[0]!.includes(`deploy/${source.slice(2)}/`)
          : source in compose.volumes;
        expect(isThere, `${name}: ${source}`).toBe(true);
      }
    }
    for (const { file } of Object.values(compose.secrets)) expect(text).toContain(`deploy/${file.slice(2)}`);
  });

  it("gives Vitrine settings that it knows, and the store that the image has", async () => {
    const { environment, volumes, secrets } = compose.services.vitrine!;
    const given: Record<string, string> = { ...environmentOf(IMAGE), ...environment };
    for (const [name, value] of Object.entries(given)) {
      if (!name.endsWith("_FILE")) continue;
      expect(secrets!.map((secret) => `/run/secrets/${secret}`)).toContain(value);
      given[name] = join(folder, "secret");
      writeFileSync(given[name], "secret\n");
    }
    const { status, stdout, stderr } = await run(["config", "serve", "--json"], { environment: given });
    expect([status, stderr]).toEqual([0, ""]);
    const { settings } = JSON.parse(stdout) as { settings: Record<string, { value: unknown; origin: string }> };
    const used = Object.values(settings).map(({ origin }) => origin.split(" ")[0]);
    expect(used).toEqual(expect.arrayContaining(Object.keys(given).filter((name) => name.startsWith("VITRINE_"))));
    // The store is a folder in the volume: the volume itself could not be renamed, as `restore` does.
    expect(volumes).toEqual([`store:${dirname(given.VITRINE_STORE!)}`]);
    const engine = Object.values(given).filter((value) => value.startsWith("http://"));
    for (const url of engine) expect(Object.keys(compose.services)).toContain(new URL(url).hostname);
  });

  it("has nginx.conf in front, but for where things are", () => {
    const lines = (name: string): string[] => readFileSync(`deploy/${name}`, "utf8").split("\n");
    const [own, plain] = [lines("nginx-container.conf"), lines("nginx.conf")];
    const differing = own.filter((line, at) => line !== plain[at]).map((line) => line.trim());
    expect(own).toHaveLength(plain.length);
    expect(differing).toEqual([
      `server vitrine:${PORT};`,
      "ssl_certificate /etc/nginx/tls/fullchain.pem;",
      "ssl_certificate_key /etc/nginx/tls/privkey.pem;",
    ]);
    expect(compose.services.nginx!.volumes).toEqual([
      "./nginx-container.conf:/etc/nginx/conf.d/default.conf:ro",
      "./tls:/etc/nginx/tls:ro",
    ]);
    expect(serveCommand.options!.find(({ name }) => name === "port")!.default).toBe(PORT);
  });
});

describe("deploy/vitrine.service", () => {
  it("starts serve with options that it knows, and a store where it may write", async () => {
    const unit = readFileSync("deploy/vitrine.service", "utf8");
    const [program, ...args] = /^ExecStart=(.*)$/m.exec(unit)![1]!.split(" ");
    expect(program).toMatch(/\/vitrine$/);
    expect((await run([...args, "--help"])).status).toBe(0);
    const [, state] = /^StateDirectory=(.*)$/m.exec(unit)!;
    expect(args[args.indexOf("--store") + 1]).toMatch(new RegExp(`^/var/lib/${state}/`));
  });
});
