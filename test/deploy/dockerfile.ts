/** The Dockerfile, by stages and instructions. */
import { readFileSync } from "node:fs";

/** The instructions of a stage, as name and text. */
export type Stage = readonly (readonly [name: string, text: string])[];

export const [BUILD = [], IMAGE = []]: readonly Stage[] = readFileSync("Dockerfile", "utf8")
  .replace(/^#.*\n|\\\n\s*/gm, "")
  .split(/^(?=FROM )/m)
  .map((stage) => [...stage.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name, text]) => [name!, text!] as const));

export function textsOf(stage: Stage, instruction: string): string[] {
  return stage.filter(([name]) => name === instruction).map(([, text]) => text);
}

/** The parts of an instruction in its form of a JSON array. */
export function wordsOf(instruction: string): string[] {
  return JSON.parse(/\[.*\]$/.exec(textsOf(IMAGE, instruction)[0]!)![0]) as string[];
}

/** What the image takes of the build: the path in the repository, and in the image's working directory. */
export const TAKEN = textsOf(IMAGE, "COPY").map((text) => {
  const [, from, to] = /^--from=build \/build\/(\S+) (\S+)$/.exec(text)!;
  return { from: from!, to: to === "./" ? from! : to! };
});
/** What the build makes, and no checkout has. */
export const MADE = ["dist", "node_modules"];
export const PORT = textsOf(IMAGE, "EXPOSE")[0]!;

/** What an environment the instructions of a stage make. */
export const environmentOf = (stage: Stage): Record<string, string> =>
  Object.fromEntries(
    textsOf(stage, "ENV").flatMap((text) => text.split(" ").map((each) => each.split("=") as [string, string])),
  );
