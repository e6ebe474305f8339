/** The scripts of docs/publish/prepare on files that are not as they expect: they end with a sentence, and write no document. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.js";

const SCRIPTS = "docs/publish/prepare";

const folder = temporaryFolder();

function outcome(script: string, ...args: readonly string[]): Promise<{ status: unknown; out: string; said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [`${SCRIPTS}/${script}`, ...args], (error, out, said) =>
      resolve({ status: error?.code ?? 0, out, said }),
    );
  });
}

function file(name: string, text: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("a script of docs/publish/prepare", () => {
  it.each<[string, string, string | Buffer, RegExp, readonly string[]]>([
    [
      "tms.mjs",
      "semicolons.csv",
      "ObjectID;Title\n1;A\n",
      /semicolons\.csv has no column ObjectID\. It has: Object/,
      [`${SCRIPTS}/tms-constituents.csv`, `${SCRIPTS}/tms-conxrefs.csv`],
    ],
    [
      "tms.mjs",
      "columns.csv",
      "Number,Title\n1,A\n",
      /has no column ObjectID\. It has: Number \| Title \(fields end at ,\)/,
      [`${SCRIPTS}/tms-constituents.csv`, `${SCRIPTS}/tms-conxrefs.csv`],
    ],
    [
      "tms.mjs",
      "empty.csv",
      "ObjectID,Dated,DateBegin,DateEnd,Classification\n,,,,x\n",
      /a record of object has no number/,
      [`${SCRIPTS}/tms-constituents.csv`, `${SCRIPTS}/tms-conxrefs.csv`],
    ],
    [
      "museumplus.mjs",
      "commas.csv",
      "Id,Titel\n1,A\n",
      /commas\.csv has no column Id\. It has: Id,Titel \(fields end at ;\)/,
      ["https://a.example/"],
    ],
    [
      "adlib.mjs",
      "nameless.json",
      '{"adlibJSON":{"recordList":{"record":[{"@attributes":{}}]}}}',
      /a record of object has no number/,
      [],
    ],
    [
      "tms.mjs",
      "cut-off.csv",
      "",
      /cut-off\.csv has no column: it is empty/,
      [`${SCRIPTS}/tms-constituents.csv`, `${SCRIPTS}/tms-conxrefs.csv`],
    ],
    ["tms.mjs", "alone.csv", "ObjectID\n", /The "path" argument must be/, []],
    [
      "museumplus.mjs",
      "latin-1.csv",
      Buffer.from("Id;Titel\n1;Schüssel\n", "latin1"),
      /latin-1\.csv: The encoded data was not valid/,
      ["https://a.example/"],
    ],
    ["museumplus.mjs", "baseless.csv", "Id;Titel\n1;A\n", /the base URL, which ends in a slash/, []],
    ["museumplus.mjs", "slashless.csv", "Id;Titel\n1;A\n", /which ends in a slash/, ["https://a.example"]],
    ["adlib.mjs", "latin-1.json", Buffer.from('{"a": "ü"}', "latin1"), /latin-1\.json: The encoded data/, []],
  ])("%s names what %s lacks", async (script, name, text, words, more) => {
    const { status, out, said } = await outcome(script, file(name, text), ...more);
    expect([status, out, said]).toEqual([1, "", expect.stringMatching(words)]);
    expect(said.trim().split("\n")).toHaveLength(1);
  });
});
