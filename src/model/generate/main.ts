/** `npm run generate`: writes the files that are generated from the model; with `--check` it compares them instead. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { generatedFiles } from "./files.js";

async function isCurrent(path: string, content: string): Promise<boolean> {
  try {
    return (await readFile(path, "utf8")) === content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

const isCheck = process.argv.includes("--check");
for (const { path, content } of generatedFiles()) {
  if (await isCurrent(path, content)) continue;
  if (isCheck) process.exitCode = 1;
  else {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
  const outcome = isCheck ? "differs from what the model generates: run npm run generate" : "written";
  process.stderr.write(`${path} ${outcome}\n`);
}
