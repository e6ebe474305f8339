/** The files of deploy/replicas against the program: commands, options, settings, files and volumes that there are. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { commandNamed } from "../../src/cli/main/commands.js";
import { SERVING_SETTINGS } from "../../src/cli/settings/table.js";

const FOLDER = "deploy/replicas";
const text = (file: string): string => readFileSync(join(FOLDER, file), "utf8");

/** The options of a command line that the command does not have, or the command, where there is none. */
async function unknownIn([name, ...args]: readonly string[]): Promise<readonly string[]> {
  const command = await commandNamed(name!).catch(() => undefined);
  if (command === undefined) return [name!];
  const known = new Set(["store", "config", ...command.options.map((option) => option.name)]);
  return args.filter((arg) => arg.startsWith("--") && !known.has(arg.slice(2).split("=")[0]!));
}

interface Service {
  readonly build?: string;
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: readonly string[];
  readonly pid?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

describe("compose.yaml", () => {
  const { services, volumes } = parse(text("compose.yaml"), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: object;
  };

  it("names commands, options, settings, files, volumes and services that there are", async () => {
    for (const [name, { build, command = [], volumes: used = [], depends_on = [], environment = {} }] of Object.entries(
      services,
    )) {
      if (build !== undefined) expect(existsSync(join(FOLDER, build, "Dockerfile")), name).toBe(true);
      if (command.length > 0) expect(await unknownIn(command), name).toEqual([]);
      for (const [source] of used.map((volume) => volume.split(":"))) {
        const isThere = source!.startsWith(".") ? existsSync(join(FOLDER, source!)) : source! in volumes;
        expect(isThere, `${name}: ${source}`).toBe(true);
      }
      for (const other of depends_on) expect(Object.keys(services), name).toContain(other);
      const settings = SERVING_SETTINGS.map((option) => `VITRINE_${option.name.toUpperCase().replaceAll("-", "_")}`);
      for (const variable of Object.keys(environment)) expect([...settings, "VITRINE_BASE_URL"]).toContain(variable);
    }
  });

  it("has the processes of one store in one process namespace, as LMDB needs it (docs/run/operation.md)", () => {
    const own = Object.entries(services).flatMap(([name, { pid, volumes = [] }]) =>
      volumes
        .filter((volume) => volume.endsWith(":/store"))
        .map((volume) => ({ name, space: pid ?? `service:${name}`, store: volume.split(":")[0] })),
    );
    expect(own).toHaveLength(10);
    for (const { name, space, store } of own) expect(space, name).toBe(`service:${store}`);
  });

  it("has all that the balancer and the cache ask", () => {
    const asked = [...text("haproxy.cfg").matchAll(/^ +server \S+ (\w+):3000/gm)].map(([, host]) => host!);
    const followers = ["follower1", "follower2", "follower3"];
    expect(asked).toEqual([...followers, ...followers, "loader"]);
    for (const host of asked) expect(Object.keys(services)).toContain(host);
    expect(text("varnish.vcl")).toContain('.host = "balancer"');
  });
});

describe("the units, and the settings of a follower", () => {
  it.each(["vitrine-follow.service", "vitrine-purge.service"])("%s has a command that there is", async (file) => {
    const [, line] = /^ExecStart=\/usr\/bin\/vitrine (.*)$/m.exec(text(file))!;
    expect(await unknownIn(line!.split(" "))).toEqual([]);
  });

  it.each(["vitrine-follow.service", "vitrine-purge.service"])(
    "%s goes by the settings of the service, and never gives up",
    (file) => {
      const [, ofService] = / (--config \S+)/.exec(readFileSync("deploy/vitrine.service", "utf8"))!;
      expect(text(file)).toContain(ofService);
      expect(text(file)).toMatch(/^StartLimitIntervalSec=0$[\s\S]*^Restart=always$/m);
    },
  );

  it("has settings that there are", () => {
    const names = SERVING_SETTINGS.map(({ name }) => name);
    for (const name of Object.keys(parse(text("follower.yaml")) as object)) expect(names).toContain(name);
  });
});
