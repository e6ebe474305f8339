/** What the image of the Dockerfile would have, laid out in a folder: it serves, and its health check tells whether it does. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.js";
import { environmentOf, IMAGE, PORT, TAKEN, textsOf, wordsOf } from "./dockerfile.js";

const folder = temporaryFolder();

it("makes an image that serves, and whose health check tells whether it does", async () => {
  const at = (path: string): string => join(folder, resolve(textsOf(IMAGE, "WORKDIR")[0]!, path));
  for (const { from, to } of TAKEN) {
    if (from === "node_modules") symlinkSync(resolve(from), at(to));
    else cpSync(from, at(to), { recursive: true });
  }
  const [, target, link] = /ln -s (\S+) (\S+)/.exec(textsOf(IMAGE, "RUN")[0]!)!;
  mkdirSync(dirname(at(link!)), { recursive: true });
  symlinkSync(at(target!), at(link!));
  const { VITRINE_STORE: store, ...environment } = environmentOf(IMAGE);
  expect(textsOf(IMAGE, "VOLUME")).toEqual([dirname(store!)]);
  mkdirSync(at(dirname(store!)));
  const path = `${dirname(at(link!))}:${process.env.PATH}`;
  const env = {
    ...environment,
    PATH: path,
    VITRINE_STORE: at(store!),
    VITRINE_PORT: "0",
    VITRINE_SPARQL_ACCESS: "off",
  };
  const [program] = wordsOf("ENTRYPOINT") as [string];
  const loaded = spawnSync(
    program,
    ["load", "data/records/place/delft.json", "--base-url", "https://data.museum.example/"],
    {
      cwd: at("."),
      env,
      encoding: "utf8",
    },
  );
  expect(loaded.status, loaded.stderr).toBe(0);
  const child = spawn(program, wordsOf("CMD"), { cwd: at("."), env, stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "close");
  let port: string | undefined;
  let said = "";
  for await (const chunk of child.stderr) {
    said += String(chunk);
    port = /listening on http:\/\/0\.0\.0\.0:(\d+)/.exec(said)?.[1];
    if (port !== undefined) break;
  }
  try {
    expect(port, said).toBeDefined();
    const [node, ...check] = wordsOf("HEALTHCHECK");
    expect(check.join(" ")).toContain(`:${PORT}/`);
    const checked = (): number | null =>
      spawnSync(
        node!,
        check.map((word) => word.replace(`:${PORT}/`, `:${port}/`)),
      ).status;
    expect(checked()).toBe(0);
    child.kill();
    await ended;
    expect(checked()).toBe(1);
  } finally {
    child.kill();
    await ended;
  }
});
