/** docs/run/replicas.md: dumps and a backup in object storage, and back, by rclone. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { run, runApart } from "../cli/run.js";
import { areInstalled } from "../replicas/parts.js";
import { temporaryFolder } from "../temporary-folder.js";
import { startSmallS3 } from "./small-s3.js";

it.skipIf(!areInstalled("rclone"))(
  "takes dumps and backups, and gives them back (skipped: rclone is not installed)",
  async () => {
    const folder = temporaryFolder(onTestFinished);
    const [store, restored] = [join(folder, "store"), join(folder, "restored")];
    const s3 = await startSmallS3("linked-data");
    const { AWS_CA_BUNDLE: _, ...environment } = process.env;
    const remote = {
      TYPE: "s3",
      PROVIDER: "Other",
      ENDPOINT: s3.url,
      ACCESS_KEY_ID: "key",
      SECRET_ACCESS_KEY: "secret",
    };
    const named = Object.entries(remote).map(([name, value]) => [`RCLONE_CONFIG_MUSEUM_${name}`, value]);
    const env = { ...environment, ...Object.fromEntries(named), RCLONE_CONFIG: join(folder, "rclone.conf") };
    const rclone = (...args: readonly string[]) => promisify(execFile)("rclone", [...args], { env });
    await run(["load", "data/records", "--store", store, "--base-url", "http://museum.example/"]);
    // The commands of the page, with folders of this test.
    const steps = readFileSync("docs/run/replicas.md", "utf8").matchAll(
      /^ {4}((?:vitrine|rclone) (?:dump|copy|backup \/backup\/2026|restore \/backup\/2026).*)$/gm,
    );
    let done = 0;
    for (const [, step] of steps) {
      const isBack = /^rclone copy museum|^vitrine restore/.test(step!);
      const [program, ...args] = step!
        .replace("/var/lib/vitrine/store", isBack ? restored : store)
        .replace(" /backup/2026-11-23", ` ${join(folder, isBack ? "fetched" : "backup")}`)
        .split(" ");
      if (program === "rclone") await rclone(...args);
      else await runApart(args);
      done++;
    }
    expect(done).toBe(6);
    expect([...s3.objects.keys()].some((key) => /^dumps\/.*\/SHA256SUMS$/.test(key))).toBe(true);
    await rclone("check", join(store, "dumps"), "museum:linked-data/dumps");
    const [before, after] = await Promise.all([store, restored].map((each) => run(["export", "--store", each])));
    expect(after!.stdout).toBe(before!.stdout);
    await s3.stop();
  },
);
