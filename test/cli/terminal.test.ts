import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { temporaryFolder } from "../temporary-folder.js";
import { failing, run } from "./run.js";

const RECORD = "http://data.museum.example/place/1";
const PLACE = JSON.stringify({ "@context": DEFAULT_MODEL.contextUri, id: RECORD, type: "Place", _label: "place" });

const folder = temporaryFolder();
let store: string;
beforeAll(async () => {
  store = join(folder, "store");
  await run(["load", "-", "--format", "jsonl", "--store", store], { stdin: PLACE });
});

describe("a command", () => {
  it.each([
    ...[["export"], ["export", "--format", "jsonl"], ["export", "--format", "csv", "--where", "sort=label"]],
    ...[["stats"], ["get", RECORD], ["find", "place"], ["help", "serve"]],
  ])("%s %s ends quietly when nobody reads on", async (...args) => {
    const { status, stderr } = await run([...args, "--store", store], { stdout: failing() });
    expect([status, stderr]).toEqual([0, expect.not.stringContaining("EPIPE")]);
  });

  it("says that its results cannot be written, and whether it has done something all the same", async () => {
    const words = /^vitrine: the results cannot be written: .*(disk is full|ENOSPC|no space)/m;
    const read = await run(["stats", "--store", store], { stdout: failing("ENOSPC") });
    expect([read.status, read.stderr]).toEqual([2, expect.stringMatching(words)]);
    for (const command of [
      ["delete", RECORD],
      ["load", "-", "--format", "jsonl"],
    ]) {
      const changed = await run([...command, "--store", store, "--json"], { stdin: PLACE, stdout: failing("ENOSPC") });
      expect([changed.status, changed.stderr]).toEqual([3, expect.stringMatching(words)]);
    }
    const full = join(folder, "full.json");
    symlinkSync("/dev/full", full);
    const load = ["load", "-", "--format", "jsonl", "--store", store, "--report", full];
    const changed = await run([...load, "--json"], { stdin: PLACE.replace("place", "other") });
    const named = expect.stringContaining(`the results cannot be written: ${full}: the disk is full`);
    expect([changed.status, changed.stderr, JSON.parse(changed.stdout).created]).toEqual([3, named, 1]);
    const tried = await run([...load, "--dry-run"], { stdin: PLACE });
    expect([tried.status, tried.stderr]).toEqual([2, expect.stringContaining(`vitrine: ${full}: the disk is full`)]);
  });

  it("completes the reports that it can write, and refuses targets that it cannot write before it begins", async () => {
    const validate = ["validate", "-", "--format", "jsonl"];
    const [whole, full] = [join(folder, "whole.json"), join(folder, "full.csv")];
    symlinkSync("/dev/full", full);
    const { status, stderr } = await run([...validate, "--report", whole, "--report", full], { stdin: PLACE });
    expect([status, stderr]).toEqual([2, `vitrine: ${full}: the disk is full\n`]);
    expect(JSON.parse(readFileSync(whole, "utf8")).summary.records).toBe(1);
    const targets = join(folder, "none", "targets.nt");
    expect(await run([...validate, "--targets", targets], { stdin: PLACE })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`${targets}: cannot be written`),
    });
  });
});
