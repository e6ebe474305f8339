/** Settings: where they come from, what is refused, and what is made from their definitions. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { cliPage } from "../../generate/cli-page.js";
import { settingsSchema } from "../../generate/settings-schema.js";
import type { Command } from "../../src/cli/main/command.js";
import { allCommands } from "../../src/cli/main/commands.js";
import { ExitStatus } from "../../src/cli/main/exit-status.js";
import { wholeHelp } from "../../src/cli/main/help.js";
import { accessOf, COMMON_OPTIONS } from "../../src/cli/settings/common.js";
import { checkedSettings, type Option, Options, readFlags, UsageError } from "../../src/cli/settings/options.js";
import { readSettingsFile, settingsFilePath, settingsTable } from "../../src/cli/settings/settings-file.js";
import { UNOPTIMIZED } from "../json-schema.js";
import { temporaryFolder } from "../temporary-folder.js";
import { run } from "./run.js";

const COMMANDS = await allCommands();

const folder = temporaryFolder();

let files = 0;
function file(text: string, extension = "yaml"): string {
  const path = join(folder, `${files++}.${extension}`);
  writeFileSync(path, text);
  return path;
}

async function config(text: string, args: readonly string[] = [], environment: Record<string, string> = {}) {
  return await run(["config", ...args, "--config", file(text)], { environment });
}

async function settings(...given: Parameters<typeof config>) {
  const { status, stdout, stderr } = await config(given[0], ["--json", ...(given[1] ?? [])], given[2]);
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return (JSON.parse(stdout) as { settings: Record<string, { value: unknown; origin: string }> }).settings;
}

describe("where a setting comes from", () => {
  it("flags win over the environment, over the section, over the top of the file, over defaults", async () => {
    const text = "store: /top\nserve:\n  store: /section\n";
    expect((await settings("")).store).toEqual({ value: "store", origin: "default" });
    expect((await settings("store: /top")).store).toEqual({ value: "/top", origin: expect.stringMatching(/:1$/) });
    expect((await settings(text)).store).toEqual({ value: "/section", origin: expect.stringMatching(/:3$/) });
    expect((await settings(text, ["load"])).store).toMatchObject({ value: "/top" });
    const environment = { VITRINE_STORE: "/environment" };
    expect((await settings(text, [], environment)).store).toEqual({ value: "/environment", origin: "VITRINE_STORE" });
    expect((await settings(text, ["--store", "/flag"], environment)).store).toEqual({
      value: "/flag",
      origin: "--store",
    });
  });

  it("finds the file that VITRINE_CONFIG names, unless a flag names another", async () => {
    const environment = { VITRINE_CONFIG: file("port: 8081\ntext: |\n  One.\n\n  Two.\n") };
    const { stdout } = await run(["config"], { environment });
    expect(stdout).toMatch(/^settings file: \S+\.yaml\n/);
    expect(stdout).toMatch(/^port +8081 /m);
    expect(stdout).toMatch(/^text +One\.\\n\\nTwo\.\\n +\S+:2$/m);
    expect((await settings("port: 8082", [], environment)).port?.value).toBe("8082");
  });

  it("takes no white space around a variable's value for a part of it, as a block of YAML ends with a line feed", async () => {
    const environment = {
      VITRINE_BASE_URL: " http://a.example/\nhttp://b.example/\n",
      VITRINE_PORT: "8080\n",
      VITRINE_HOST: " ",
    };
    const { "base-url": urls, port, host } = await settings("", [], environment);
    expect(urls?.value).toEqual(["http://a.example/", "http://b.example/"]);
    expect([port?.value, host?.origin]).toEqual(["8080", "default"]);
  });

  it("takes lists, switches and numbers as YAML and JSON write them", async () => {
    const yaml = await settings("base-url: [http://a.example/, http://b.example/]\nserve: { hal: true, port: 8080 }");
    expect(yaml["base-url"]?.value).toEqual(["http://a.example/", "http://b.example/"]);
    expect([yaml.hal?.value, yaml.port?.value]).toEqual([true, "8080"]);
    const json = file(JSON.stringify({ serve: { port: 8081, keyword: "a" } }), "json");
    const { stdout } = await run(["config", "--json", "--config", json]);
    expect(JSON.parse(stdout)).toMatchObject({ settings: { port: { value: "8081" }, keyword: { value: ["a"] } } });
  });

  it("takes a setting that has the name of a command at the top, too", async () => {
    const origin = expect.stringMatching(/:1$/);
    const value = "http://localhost/sparql";
    expect((await settings(`engine: ${value}\n`)).engine).toEqual({ value, origin });
    const checked = new Ajv2020({ ...UNOPTIMIZED, allowUnionTypes: true }).compile(
      settingsSchema(settingsTable(COMMANDS)) as object,
    );
    const section = { engine: value };
    expect([section, "virtuoso", ["virtuoso"]].map((engine) => checked({ engine }))).toEqual([true, true, false]);
  });

  it("is obeyed by the command itself", async () => {
    const { status, stderr } = await run(["stats", "--config", file(`store: ${join(folder, "nowhere")}`)]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(join(folder, "nowhere"))]);
  });

  it("finds one file in the working directory, and takes neither of two", () => {
    const directory = mkdtempSync(join(folder, "here-"));
    expect(settingsFilePath(undefined, directory)).toBeUndefined();
    writeFileSync(join(directory, "vitrine.yaml"), "");
    expect(settingsFilePath(undefined, directory)).toBe(join(directory, "vitrine.yaml"));
    writeFileSync(join(directory, "vitrine.json"), "{}");
    expect(() => settingsFilePath(undefined, directory)).toThrow(/vitrine.yaml and vitrine.json both exist/);
  });
});

describe("what is refused with 2, by place and name", () => {
  it.each([
    ["an unknown setting", "\nprot: 80", /\.yaml:2: there is no setting prot: did you mean port/],
    ["one in a section", "serve:\n  prot: 80", /:2: there is no setting prot of serve: did you mean port/],
    ["an argument", "all: true", /:1: all is an argument, not a setting: give --all on the command line/],
    ["an argument in a section", "release:\n  all: true", /:2: all is an argument/],
    ["a number that is none", "port: many", /:1: port many is not a port number from 0 to 65535/],
    ["a number out of range", "serve:\n  workers: 1000", /:2: workers 1000 is not a number of processes from 1 to 256/],
    ["a wrong choice", "sparql-access: all", /:1: sparql-access is "all": it may be public, token, off/],
    [
      "one of another command",
      "load:\n  on-invalid: some",
      /:2: on-invalid is "some": it may be refuse, accept, abort/,
    ],
    ["a wrong choice among several", "dump-format: [nq, zz]", /:1: dump-format is "zz": it may be nt, nq, jsonl/],
    [
      "a limit that is none",
      "max-delete: 5.5",
      /:1: max-delete 5.5 is not a number of records, or a percentage such as 5%/,
    ],
    ["a URL without what it needs", "map-tiles: /t/{z}/{x}.png", /:1: map-tiles \S+ is not an address with \{z\}/],
    ["a switch that is no boolean", "hal: 1", /:1: hal: write true or false/],
    ["a list for one value", "port: [1, 2]", /:1: port: write one value/],
    ["an empty text", 'store: ""', /:1: store is empty: give a value, or leave it out/],
    ["one twice", "sparql-token: a\nsparql-token-file: b", /:2: sparql-token is set twice/],
    ["a section without settings below it", "serve: 80", /:1: serve is a section/],
    ["no YAML", "a: [", /:1: Flow sequence/],
    ["two documents", "port: 80\n---\nport: 81", /:2: a second YAML document begins: remove this line/],
    ["a list", "- a", /has to be a list of settings, each "name: value"/],
  ])("%s", async (_name, text, message) => {
    const { status, stderr } = await config(text);
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it("a file that is not there, and a wrong variable", async () => {
    expect((await run(["config", "--config", "/no/such"])).stderr).toMatch(/settings file \/no\/such cannot be read/);
    const { status, stderr } = await run(["config"], { environment: { VITRINE_PORT: "x" } });
    expect([status, stderr]).toEqual([2, expect.stringContaining("VITRINE_PORT x is not a port number")]);
  });

  it("what only the command finds wrong, in a file and in a variable", async () => {
    const path = file("title: Museum\nlicense: foo\n");
    const license = await run(["serve", "--config", path]);
    expect([license.status, license.stderr]).toEqual([
      2,
      `vitrine: ${path}:2: license "foo" is not an http or https IRI\n`,
    ]);
    for (const [of, line, message] of [
      ["serve", "license: foo", /\.yaml:1: license "foo" is not an http or https IRI/],
      ["serve", "rate-limit: often", /\.yaml:1: rate-limit often is not a number/],
      ["serve", "engine: virtuosso", /\.yaml:1: --engine "virtuosso" is not an http or https address/],
      ["serve", "sparql-access: token", /\.yaml:1: --sparql-access token needs --sparql-token/],
      ["serve", "metrics-access: token", /\.yaml:1: --metrics-access token needs --metrics-token/],
      [
        "serve",
        "sparql-access: public\nsparql-token: x",
        /\.yaml:1: --sparql-access public contradicts --sparql-token/,
      ],
      ["serve", "read-only-engine: true", /\.yaml:1: --read-only-engine needs --engine URL/],
      ["serve", "edm-rights: x", /\.yaml:1: edm-rights x is not accepted by Europeana/],
      ["serve", "severity: foo=bar", /\.yaml:1: --severity "foo=bar"/],
      ["load", "hold: clas=Set", /\.yaml:1: --hold clas=Set is no rule such as class=..., and cannot be read/],
      ["load", "contact: museum.example", /\.yaml:1: contact museum.example is not an e-mail, http or https address/],
      ["load", "language: in English", /\.yaml:1: language in English is not a language tag/],
      ["site", "images: /no/such", /\.yaml:1: --images \/no\/such: there is no such folder/],
      ["serve", "images: package.json", /\.yaml:1: --images package.json: there is no such folder/],
      ["get", "base-url: x", /\.yaml:1: --base-url "x" is not absolute/],
    ] as const) {
      const found = await config(line, [of]);
      expect([found.status, found.stderr], line).toEqual([2, expect.stringMatching(message)]);
    }
    const validate = ["validate", file("{}", "json")];
    const { status, stderr } = await run(validate, { environment: { VITRINE_BASE_URL: "x" } });
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^vitrine: VITRINE_BASE_URL: --base-url "x" is not abs/),
    ]);
  });

  it("reads no secrets to check the others", async () => {
    const text = "sparql-access: token\nsparql-token-file: /no/such/file";
    expect((await config(text, ["serve"])).status).toBe(0);
  });

  it("a flag without a value, or with one that begins with a dash, in one line", async () => {
    const message = "vitrine: --port needs a value; write --port=VALUE if it begins with a dash\n";
    for (const args of [["--port"], ["--port", "-1"], ["--port", "--hal"]])
      expect((await run(["serve", ...args])).stderr).toBe(message);
    expect((await run(["load", "x", "--sync=maybe"])).stderr).toBe(
      "vitrine: --sync takes no value: write --sync, or leave it out\n",
    );
    expect((await run(["serve", "--port=-1"])).stderr).toMatch(/--port -1 is not a port number/);
  });

  it("warns of variables that no command has", async () => {
    const { stderr } = await run(["config"], { environment: { VITRINE_PROT: "80" } });
    expect(stderr).toBe("warning: VITRINE_PROT is not a setting of any command: did you mean VITRINE_PORT?\n");
  });
});

describe("secrets", () => {
  it.each<[given: Record<string, string>, access: object | undefined]>([
    [{}, { token: undefined }],
    [{ access: "public" }, { token: undefined }],
    [{ token: "geheim" }, { token: "geheim" }],
    [{ access: "token", token: "geheim" }, { token: "geheim" }],
    [{ access: "off", token: "geheim" }, undefined],
  ])("%j: a token that is given is also needed", async (given, access) => {
    for (const name of ["sparql", "metrics"] as const) {
      const settings = Object.entries(given).map(([of, value]) => [`${name}-${of}`, { value, origin: "" }] as const);
      expect(await accessOf(new Options(new Map(settings), []), name)).toEqual(access);
    }
  });

  it("are masked wherever they come from, and their files are named", async () => {
    for (const args of [[], ["--json"]]) {
      for (const [text, environment] of [
        ["sparql-token: geheim", {}],
        ["", { VITRINE_SPARQL_TOKEN: "geheim" }],
      ] as const) {
        const { stdout } = await config(text, args, environment);
        expect(stdout).toContain("********");
        expect(stdout).not.toContain("geheim");
      }
    }
    const fromFile = await settings("", [], { VITRINE_SPARQL_TOKEN_FILE: "/run/secrets/token" });
    expect(fromFile["sparql-token"]).toEqual({ value: "@/run/secrets/token", origin: "VITRINE_SPARQL_TOKEN_FILE" });
    expect((await settings("sparql-token-file: /run/t"))["sparql-token"]?.value).toBe("@/run/t");
    const both = await config("", [], { VITRINE_SPARQL_TOKEN: "a", VITRINE_SPARQL_TOKEN_FILE: "b" });
    expect([both.status, both.stderr]).toEqual([2, expect.stringContaining("are both set")]);
  });
});

/** A value that an option takes. */
function valueFor({ value, many, choices, number, form }: Option): string | number | boolean | string[] {
  if (value === undefined) return true;
  if (choices !== undefined) return choices[0]!;
  if (number !== undefined) return Math.ceil(number.least);
  if (form !== undefined)
    return ["5%", "600", "1600/1700", "en", "a@b.example", "{x}{y}{z}"].find((each) => form.matches.test(each))!;
  return many ? ["a=1", "b"] : "text";
}

describe("what is made from the definitions", () => {
  it("the schema and the reader agree on every setting of every command", () => {
    const validate = new Ajv2020({ ...UNOPTIMIZED, strictTypes: false }).compile(
      settingsSchema(settingsTable(COMMANDS)) as object,
    );
    const table = settingsTable(COMMANDS);
    for (const { command, options } of table.sections) {
      const all = { [command]: Object.fromEntries(options.map((option) => [option.name, valueFor(option)])) };
      const path = file(JSON.stringify(all), "json");
      expect(validate(all), JSON.stringify(validate.errors)).toBe(true);
      expect([...readSettingsFile(path, table, command).keys()]).toEqual(options.map(({ name }) => name));
    }
    for (const wrong of [
      "prot: 80",
      "hal: 1",
      "port: [1]",
      "workers: 1000",
      "sparql-access: all",
      "serve: {prot: 1}",
    ]) {
      expect(validate(parse(wrong)), wrong).toBe(false);
    }
  });

  it("the help of every command names all its options and teaches by an example", async () => {
    for (const { name, options, examples, notes } of COMMANDS) {
      const { stdout } = await run(["help", name, "all"]);
      for (const option of [...options, ...COMMON_OPTIONS])
        expect(stdout).toContain(option.kind === "file setting" ? `  ${option.name}: ` : `--${option.name}`);
      expect((await run(["help", name])).stdout.split("\n").length, name).toBeLessThan(22);
      expect((examples ?? notes ?? []).length, name).toBeGreaterThan(0);
    }
    const { stdout } = await run(["help", "all"]);
    for (const { name, summary } of COMMANDS) expect(stdout).toMatch(new RegExp(`  ${name} .*${summary.slice(0, 20)}`));
  });
});

describe("completion", () => {
  /** What bash offers for a line whose last word is being typed. */
  function bash(...words: readonly string[]): readonly string[] {
    const script = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _vitrine; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const out = execFileSync("bash", ["-c", script, "bash", join(folder, "vitrine.bash"), "vitrine", ...words]);
    return out.toString().trim().split("\n");
  }

  it("of bash gives commands, options and values", async () => {
    writeFileSync(join(folder, "vitrine.bash"), (await run(["completion", "bash"])).stdout);
    expect(bash("ser")).toEqual(["serve"]);
    expect(bash("serve", "--sparql-ac")).toEqual(["--sparql-access"]);
    expect(bash("serve", "--sparql-access", "")).toEqual(["public", "token", "off"]);
    expect(bash("load", "rec")).toEqual([""]);
  });

  it.each(["zsh", "fish"])("of %s is a script that it reads", async (shell) => {
    const { status, stdout } = await run(["completion", shell]);
    expect(status).toBe(0);
    for (const { name } of COMMANDS) expect(stdout).toContain(name);
    if (spawnSync(shell, ["--version"]).error !== undefined) return;
    const path = join(folder, `vitrine.${shell}`);
    writeFileSync(path, stdout);
    expect(spawnSync(shell, ["-n", path]).stderr.toString()).toBe("");
  });

  it("is refused for any other shell", async () => {
    expect(await run(["completion", "tcsh"])).toMatchObject({ status: 2 });
  });
});

describe("a setting is one row", () => {
  const greeting: Option = {
    name: "greeting",
    kind: "setting",
    value: "WORD",
    choices: ["hello", "welcome"],
    default: "hello",
    help: "what visitors read first",
  };
  const greet: Command = {
    name: "greet",
    operands: "",
    summary: "greets visitors",
    options: [greeting],
    run: async () => ExitStatus.done,
  };
  const settled = (args: readonly string[], environment: Record<string, string>, text?: string): unknown => {
    const said = text === undefined ? undefined : readSettingsFile(file(text), settingsTable([greet]), "greet");
    return checkedSettings(greet.options, readFlags(greet.options, args), environment, said).settings.get("greeting");
  };

  it("from which flag, variable, line of the file, help, reference and schema follow", () => {
    const variable = { VITRINE_GREETING: "hello" };
    expect(settled([], {})).toEqual({ value: "hello", origin: "default" });
    expect(settled([], {}, "greeting: welcome")).toMatchObject({
      value: "welcome",
      origin: expect.stringMatching(/:1$/) as string,
    });
    expect(settled([], variable, "greeting: welcome")).toEqual({ value: "hello", origin: "VITRINE_GREETING" });
    expect(settled(["--greeting", "welcome"], variable)).toEqual({ value: "welcome", origin: "--greeting" });
    for (const text of [wholeHelp(greet), cliPage([{ ...greet, name: "serve" }])]) {
      expect(text).toContain("--greeting WORD");
      expect(text).toContain("what visitors read first");
    }
    const isValid = new Ajv2020(UNOPTIMIZED).compile(settingsSchema(settingsTable([greet])) as object);
    expect(["welcome", "hi"].map((value) => isValid({ greeting: value }))).toEqual([true, false]);
  });

  it("whose value is checked wherever it comes from", () => {
    const wrong = [() => settled(["--greeting", "hi"], {}), () => settled([], { VITRINE_GREETING: "hi" })];
    for (const give of [...wrong, () => settled([], {}, "greeting: hi")]) {
      expect(give).toThrow(UsageError);
      expect(give).toThrow(/"hi": it may be hello, welcome/);
    }
  });
});
