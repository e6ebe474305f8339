/** What stands in docs/prepare.md and docs/clients.md is run as it stands there, and prints what is said that it prints. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Built, start } from "./cli/built.js";

const ROOT = resolve(".");
const PUBLISHED = "http://localhost:3000";

/** A piece of a page that can be run. */
interface Block {
  readonly language: string;
  readonly text: string;
  /** What it says that it prints. */
  readonly prints: string;
}

function blocksOf(page: string): readonly Block[] {
  return [...readFileSync(page, "utf8").matchAll(/```(\w+)\n(.*?)```/gs)].map(([, language = "", text = ""]) => {
    const prints = [...text.matchAll(/^(?:#|\/\/)> (.*\n)/gm)].map(([, line]) => line).join("");
    return { language, text, prints };
  });
}

let folder: string;
let service: Built;
let origin: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-guides-"));
  symlinkSync(join(ROOT, "docs"), join(folder, "docs"));
  const port = await freePort();
  origin = `http://localhost:${port}`;
  const store = join(folder, "sample");
  service = start(["serve", "--load", "data/records", "--store", store, "--port", String(port), "--base-url", origin]);
  await service.told(/listening on/);
});
afterAll(async () => {
  service.process.kill();
  await service.ended;
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

async function shell(text: string): Promise<string> {
  const script = `set -euo pipefail; vitrine() { '${process.execPath}' '${ROOT}/bin/vitrine.js' "$@"; }; ${text}`;
  const { stdout } = await promisify(execFile)("bash", ["-c", script], { cwd: folder, maxBuffer: 2 ** 26 });
  return stdout;
}

async function program(interpreter: string, name: string, text: string): Promise<string> {
  writeFileSync(join(folder, name), text);
  return (await promisify(execFile)(interpreter, [name], { cwd: folder })).stdout;
}

const HAS_PYTHON = spawnSync("python3", ["--version"]).status === 0;

describe("docs/prepare.md", () => {
  const blocks = blocksOf("docs/prepare.md");

  it("leads from exports to a collection without an invalid record", async () => {
    expect(blocks.length).toBeGreaterThan(3);
    for (const { text } of blocks) {
      for (const command of text.trim().split("\n")) expect(await shell(command), command).toBeTypeOf("string");
    }
    const stats = JSON.parse(await shell("vitrine stats --store museum --json")) as object;
    expect(stats).toMatchObject({ records: 12, invalid: 0, endpoints: { object: 7, person: 3, group: 1, concept: 1 } });
    const document = JSON.parse(await shell("vitrine get https://data.museum.example/object/1001 --store museum"));
    expect(document).toMatchObject({
      _label: 'Still Life with a "Roemer"',
      produced_by: { carried_out_by: [{ id: "https://data.museum.example/person/7" }] },
    });
  });

  it("names every script that there is", () => {
    const page = readFileSync("docs/prepare.md", "utf8");
    const scripts = readdirSync("docs/prepare").filter((name) => name !== "parts.mjs");
    for (const name of scripts) expect(page).toContain(`docs/prepare/${name}`);
  });
});

describe("docs/clients.md", () => {
  const blocks = blocksOf("docs/clients.md").map((block, at) => ({ ...block, at: at + 1 }));

  it.each(blocks.filter(({ language }) => language === "sh"))("block $at, for the shell", async ({ text, prints }) => {
    const printed = await shell(text.replaceAll(PUBLISHED, origin).replaceAll("curl -s ", "curl -sS "));
    expect(printed).toContain(prints);
  });

  it.each(blocks.filter(({ language }) => language === "js"))("block $at, JavaScript", async ({ text, prints, at }) => {
    expect(await program(process.execPath, `${at}.mjs`, text.replaceAll(PUBLISHED, origin))).toBe(prints);
  });

  it.skipIf(!HAS_PYTHON).each(blocks.filter(({ language }) => language === "python"))(
    "block $at, Python (where there is one)",
    async ({ text, prints, at }) => {
      expect(await program("python3", `${at}.py`, text.replaceAll(PUBLISHED, origin))).toBe(prints);
    },
  );

  it("has no block of another kind", () => {
    expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(["sh", "js", "python"]));
  });
});

describe("docs/README.md", () => {
  it("names every page", () => {
    const page = readFileSync("docs/README.md", "utf8");
    const pages = readdirSync("docs").filter((name) => name.endsWith(".md") && name !== "README.md");
    expect(pages.filter((name) => !page.includes(`](${name})`))).toEqual([]);
  });
});

function freePort(): Promise<number> {
  return new Promise((found) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address() as { port: number };
      server.close(() => found(port));
    });
  });
}
