import { readFileSync, symlinkSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { failing, run } from "./run.js";
import { workspaceForAll } from "./workspace.js";

const RECORD = "http://data.museum.example/place/1";
const PLACE = JSON.stringify({ "@context": DEFAULT_MODEL.contextUri, id: RECORD, type: "Place", _label: "place" });

const { path, vitrine } = workspaceForAll();
beforeAll(async () => {
  await vitrine("load", "-", "--format", "jsonl", { stdin: PLACE });
});

describe("a command", () => {
  it.each([
    ...[["export"], ["export", "--format", "jsonl"], ["export", "--format", "csv", "--where", "sort=label"]],
    ...[["stats"], ["get", RECORD], ["find", "place"], ["help", "serve"]],
  ])("%s %s ends quietly when nobody reads on", async (...args) => {
    const { status, stderr } = await vitrine(...args, { stdout: failing() });
    expect([status, stderr]).toEqual([0, expect.not.stringContaining("EPIPE")]);
  });

  it("says that its results cannot be written, and whether it has done something all the same", async () => {
    const words = /^vitrine: the results cannot be written: .*(disk is full|ENOSPC|no space)/m;
    const held = PLACE.replace("place", "held");
    await vitrine("load", "-", "--format", "jsonl", "--hold", "source=held", "--source", "held", { stdin: held });
    for (const command of [
      ["stats"],
      ["release", "--list"],
      ["token", "list", "--json"],
      ["load", "--help"],
      ["load", "-", "--format", "jsonl", "--dry-run", "--json"],
      ["rebase", RECORD, `${RECORD}0`, "--dry-run", "--json"],
    ]) {
      const read = await vitrine(...command, { stdin: PLACE, stdout: failing("ENOSPC") });
      expect([command, read.status, read.stderr]).toEqual([command, 2, expect.stringMatching(words)]);
    }
    for (const command of [
      ["delete", RECORD],
      ["load", "-", "--format", "jsonl"],
    ]) {
      const changed = await vitrine(...command, "--json", { stdin: PLACE, stdout: failing("ENOSPC") });
      expect([changed.status, changed.stderr]).toEqual([3, expect.stringMatching(words)]);
    }
    const full = path("full.json");
    symlinkSync("/dev/full", full);
    const load = ["load", "-", "--format", "jsonl", "--report", full];
    const changed = await vitrine(...load, "--json", { stdin: PLACE.replace("place", "other") });
    const named = expect.stringContaining(`the results cannot be written: ${full}: the disk is full`);
    expect([changed.status, changed.stderr, JSON.parse(changed.stdout).created]).toEqual([3, named, 1]);
    const tried = await vitrine(...load, "--dry-run", { stdin: PLACE });
    expect([tried.status, tried.stderr]).toEqual([2, expect.stringContaining(`vitrine: ${full}: the disk is full`)]);
  });

  it("completes the reports that it can write, and refuses targets that it cannot write before it begins", async () => {
    const validate = ["validate", "-", "--format", "jsonl"];
    const [whole, full] = [path("whole.json"), path("full.csv")];
    symlinkSync("/dev/full", full);
    const { status, stderr } = await run([...validate, "--report", whole, "--report", full], { stdin: PLACE });
    expect([status, stderr]).toEqual([2, `vitrine: ${full}: the disk is full\n`]);
    expect(JSON.parse(readFileSync(whole, "utf8")).summary.records).toBe(1);
    const targets = path("none", "targets.nt");
    expect(await run([...validate, "--targets", targets], { stdin: PLACE })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`${targets} cannot be written: there is no folder`),
    });
  });
});
