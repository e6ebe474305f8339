/** `npm run generate`: writes every file that is made from the program's tables; with `--check` it compares them instead. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { generatedFiles, type MadeFile } from "./files.js";

async function isCurrent({ path, content }: MadeFile): Promise<boolean> {
  try {
    return (await readFile(path, "utf8")) === content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

const isCheck = process.argv.includes("--check");
for (const file of await generatedFiles()) {
  if (await isCurrent(file)) continue;
  if (isCheck) process.exitCode = 1;
  else {
    await mkdir(dirname(file.path), { recursive: true });
    await writeFile(file.path, file.content);
  }
  const outcome = isCheck ? "differs from what the tables generate: run npm run generate" : "written";
  process.stderr.write(`${file.path} ${outcome}\n`);
}
