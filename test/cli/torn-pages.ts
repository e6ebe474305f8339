/** A store of some records, and what `vitrine check` says of it where pages of its file are torn. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { RECORDS } from "../../src/store/embedded/format/files.js";
import { run } from "./run.js";

export const PLACES = "https://museum.example/place/";
export const PAGE = 16_384;

/** Make a store of 300 records of a source, one of them deleted. */
export async function makeSound(store: string): Promise<void> {
  const places = Array.from({ length: 300 }, (_, at) => {
    const place = { type: "Place", _label: `the place of number ${at}` };
    return `${JSON.stringify({ "@context": DEFAULT_MODEL.contextUri, id: PLACES + at, ...place })}\n`;
  });
  const loading = ["load", "-", "--format", "jsonl", "--store", store, "--source", "places"];
  await run(loading, { stdin: places.join("") });
  await run(["delete", `${PLACES}7`, "--store", store]);
}

/**
 * Tear so many pages of a copy of a sound store, one at a time, and check each; resolves to the statuses. Throws where nothing is found and
 * not all records come out.
 */
export async function tornPages(sound: string, copy: string, count: number): Promise<number[]> {
  const exported = async (store: string): Promise<string> => (await run(["export", "--store", store])).stdout;
  const whole = await exported(sound);
  const bytes = readFileSync(join(sound, RECORDS));
  const pages = bytes.length / PAGE;
  const statuses: number[] = [];
  for (let page = 2; page < pages; page += Math.max(1, Math.ceil((pages - 2) / count))) {
    cpSync(sound, copy, { recursive: true });
    writeFileSync(join(copy, RECORDS), Buffer.from(bytes).fill(0xa5, page * PAGE + 100, (page + 1) * PAGE));
    const { status } = await run(["check", "--store", copy]);
    statuses.push(status);
    if (status === 0 && (await exported(copy)) !== whole) throw new Error(`what page ${page} had is lost unnoticed`);
  }
  return statuses;
}

/** Tear all pages of a store's file that have a text, in place. */
export function tearPagesOf(store: string, text: string): void {
  const file = join(store, RECORDS);
  const bytes = readFileSync(file);
  for (let page = PAGE; page < bytes.length; page += PAGE) {
    const rest = bytes.subarray(page + 100, page + PAGE);
    if (rest.includes(text)) rest.fill(0xa5);
  }
  writeFileSync(file, bytes, { flag: "r+" });
}
