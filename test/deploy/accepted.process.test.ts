/** The files of deploy/ as the programs that read them take them; each where its program is installed. */
import { execFile } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
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
    expect(units).toHaveLength(5);
    expect(await said("systemd-analyze", "verify", ...units)).toEqual({ isTaken: true, text: "" });
    const broken = join(folder, "broken.service");
    writeFileSync(broken, "[Service]\nExecStart=vitrine\nRestrat=always\n");
    expect((await said("systemd-analyze", "verify", broken)).text).toContain("Restrat");
  },
);

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
