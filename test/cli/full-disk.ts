/** A load that fills the disk of its store. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { expect } from "vitest";
import { smallDisk } from "../load/small-disk.js";
import { problemsIn } from "../store/checked.js";
import { exportedFrom, place } from "./labelled-places.js";
import { run } from "./run.js";

export interface Ended {
  readonly status: number | null;
  readonly stderr: string;
}

/** Load quads that a generator gives, through standard input, in a process of its own; `work` may interrupt it. */
export async function loadStream(
  chunks: Iterable<Buffer>,
  store: string,
  temporary: string,
  work?: (pid: number) => Promise<void>,
): Promise<Ended> {
  const child = spawn(process.execPath, ["bin/vitrine.js", "load", "-", "--format", "nq", "--store", store], {
    env: { ...process.env, TMPDIR: temporary },
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const closed = once(child, "close") as Promise<[number | null]>;
  // The process ends before its input does.
  const feeding = pipeline(Readable.from(chunks), child.stdin).catch(() => undefined);
  await work?.(child.pid!);
  const [status] = await closed;
  child.stdin.destroy();
  await feeding;
  return { status, stderr };
}

/** How large a disk is, in mebibytes, when a load fills it, and how that ends. */
export type Filling = readonly [mebibytes: number, when: string, status: number];

// 32 MiB are kept free; so many records with such labels take 7 to stage and 16 with the publication, lists and the change log with their labels included.
const RECORDS = 500;
const LABEL_LENGTH = 6_800;

export const FILLINGS: readonly Filling[] = [
  [36, "before the publication", 2],
  [40, "at the beginning of the publication", 2],
  [44, "in the midst of the publication", 2],
  [60, "never", 0],
];

/** Load too much for a disk: nothing or all of it is there then, and what is loaded next. */
export async function fillDisk([mebibytes, , expected]: Filling, temporary: string): Promise<void> {
  const disk = smallDisk(mebibytes)!;
  using _ = { [Symbol.dispose]: () => disk.remove() };
  const store = join(disk.path, "store");
  const load = (quads: string) => run(["load", "-", "--format", "nq", "--store", store], { stdin: quads });
  await load(place("before"));
  const before = await exportedFrom(store);
  const label = "x".repeat(LABEL_LENGTH);
  const many = Array.from({ length: RECORDS }, (_, at) => place(at, label + at)).join("");
  const { status, stderr } = await loadStream([Buffer.from(many)], store, temporary);
  expect(status, stderr).toBe(expected);
  if (status === 2) {
    expect(stderr).toMatch(
      /the disk of .* is full \(32 MiB are kept free\): nothing was published; make room and try again/,
    );
    expect(await exportedFrom(store)).toBe(before);
  } else expect((await exportedFrom(store)).length).toBeGreaterThan(3e6);
  expect(await problemsIn(store)).toEqual([]);
  expect((await load(place("after"))).status).toBe(0);
}
