/** `npm run generate`: writes the files that are generated from the model; with `--check` it compares them instead. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type GeneratedFile, generatedFiles } from "./files.js";

async function isCurrent({ path, content }: GeneratedFile): Promise<boolean> {
  try {
    return (await readFile(path, "utf8")) === content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

async function main(): Promise<void> {
  const check = process.argv.includes("--check");
  const differing: GeneratedFile[] = [];
  for (const file of generatedFiles()) {
    if (!(await isCurrent(file))) differing.push(file);
  }
  for (const { path, content } of differing) {
    if (!check) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
    process.stderr.write(
      `${path} ${check ? "differs from what the model generates: run npm run generate" : "written"}\n`,
    );
  }
  if (check && differing.length > 0) process.exitCode = 1;
}

await main();
