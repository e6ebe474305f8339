/** The files of deploy/ as the programs that read them take them; each where its program is installed. */
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
import { run } from "../cli/run.js";
import { areInstalled } from "../replicas/parts.js";
import { temporaryFolder } from "../temporary-folder.js";

const REPLICAS = "deploy/replicas";

const folder = temporaryFolder();
beforeAll(() => {
  // Varnish compiles as a user of its own.
  chmodSync(folder, 0o755);
});

/** What a program says of a file, and whether it took it. */
async function said(program: string, ...args: readonly string[]): Promise<{ isTaken: boolean; text: string }> {
  const done = promisify(execFile)(program, [...args]);
  return done.then(
    ({ stdout, stderr }) => ({ isTaken: true, text: stdout + stderr }),
    ({ stdout, stderr }: { stdout: string; stderr: string }) => ({ isTaken: false, text: stdout + stderr }),
  );
}

it.skipIf(!areInstalled("systemd-analyze"))(
  "systemd takes the units without a word (skipped: systemd is not installed)",
  async () => {
    const program = join(folder, "vitrine");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    const units = ["deploy", REPLICAS].flatMap((from) =>
      readdirSync(from)
        .filter((name) => /\.(service|timer)$/.test(name))
        .map((name) => {
          const unit = join(folder, name);
          writeFileSync(unit, readFileSync(join(from, name), "utf8").replaceAll("/usr/bin/vitrine", program));
          return unit;
        }),
    );
    expect(units).toHaveLength(7);
    expect(await said("systemd-analyze", "verify", ...units)).toEqual({ isTaken: true, text: "" });
    const broken = join(folder, "broken.service");
    writeFileSync(broken, "[Service]\nExecStart=vitrine\nRestrat=always\n");
    expect((await said("systemd-analyze", "verify", broken)).text).toContain("Restrat");
  },
);

it("the unit of backups makes one by the date, and removes those that are older than 30 days", async () => {
  const [store, backups, old] = [join(folder, "store"), join(folder, "backups"), join(folder, "backups/2026-01-01")];
  await run(["load", "data/records/place", "--store", store, "--base-url", "http://localhost:3000"]);
  mkdirSync(old, { recursive: true });
  mkdirSync(join(backups, "recent"));
  utimesSync(old, new Date(0), new Date(0));
  const unit = readFileSync("deploy/vitrine-backup.service", "utf8");
  const commands = [...unit.matchAll(/^ExecStart(?:Post)?=(.*)$/gm)].map(([, command]) =>
    command!
      .replaceAll("%%", "%")
      .replaceAll("$$", "$")
      .replaceAll("/usr/bin/vitrine", `${process.execPath} bin/vitrine.js`)
      .replaceAll("/var/lib/vitrine/store", store)
      .replaceAll("/var/backups/vitrine", backups),
  );
  expect(commands).toHaveLength(2);
  expect(await said("sh", "-e", "-c", commands.join("\n"))).toMatchObject({ isTaken: true });
  const made = readdirSync(backups).filter((name) => name !== "recent");
  expect(made).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d$/)]);
  expect(made).not.toContain("2026-01-01");
  expect(await run(["check", "--store", join(backups, made[0]!)])).toMatchObject({ status: 0 });
});

it.skipIf(!areInstalled("haproxy"))(
  "haproxy takes its configuration, also while no follower has a name yet (skipped: haproxy is not installed)",
  async () => {
    const { isTaken, text } = await said("haproxy", "-c", "-f", `${REPLICAS}/haproxy.cfg`);
    const others = text.split("\n").filter((line) => /ALERT|WARNING/.test(line) && !/could not resolve/.test(line));
    expect([isTaken, others]).toEqual([true, []]);
    const broken = join(folder, "broken.cfg");
    writeFileSync(broken, readFileSync(`${REPLICAS}/haproxy.cfg`, "utf8").replace("balance leastconn", "balance most"));
    expect((await said("haproxy", "-c", "-f", broken)).isTaken).toBe(false);
  },
);

it.skipIf(!areInstalled("varnishd"))("varnish compiles its file (skipped: varnish is not installed)", async () => {
  const vcl = join(folder, "varnish.vcl");
  // The name is one of the containers'.
  const text = readFileSync(`${REPLICAS}/varnish.vcl`, "utf8").replace('"balancer"', '"127.0.0.1"');
  const compiled = async (source: string) => {
    writeFileSync(vcl, source);
    return said("varnishd", "-C", "-n", join(folder, "varnish"), "-f", vcl);
  };
  expect((await compiled(text)).isTaken).toBe(true);
  expect((await compiled(text.replace("return (purge)", "return (purged)"))).isTaken).toBe(false);
});

it.skipIf(!areInstalled("docker-compose"))(
  "compose takes both of its files (skipped: docker-compose is not installed)",
  async () => {
    for (const file of ["deploy/compose.yaml", `${REPLICAS}/compose.yaml`]) {
      expect(await said("docker-compose", "-f", file, "config", "--quiet"), file).toEqual({ isTaken: true, text: "" });
    }
    const broken = join(folder, "compose.yaml");
    writeFileSync(broken, "services:\n  vitrine:\n    image: vitrine\n    restrat: always\n");
    expect((await said("docker-compose", "-f", broken, "config", "--quiet")).isTaken).toBe(false);
  },
);
