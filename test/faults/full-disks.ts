/** Fills the disk of a store, before a load or at any moment of it: the store is then as before or whole. */
import { closeSync, cpSync, openSync, rmSync, statfsSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { start } from "../cli/built.js";
import { HAS_SMALL_DISKS, smallDisk } from "../load/small-disk.js";
import { type Row, vitrine } from "./row.js";

const MIB = 2 ** 20;
/** Room for the store, what a load takes, and the 32 MiB that it keeps free. */
const DISK = 112;
/** Of what is free at the beginning, in MiB: too little for anything, for the publication, for nothing. */
const MOST_FREE = 80;
const RECORDS = 2_000;
/** Milliseconds in which a load surely ends on a machine that has nothing else to do. */
const LOAD = 4_000;

function quads(edition: string): string {
  const note = `"${edition} ${"x".repeat(3_000)}"`;
  return Array.from({ length: RECORDS }, (_, at) => {
    const iri = `<http://data.museum.example/place/${at}>`;
    const type = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.cidoc-crm.org/cidoc-crm/E53_Place>";
    const label = `<http://www.w3.org/2000/01/rdf-schema#label> "Place ${at}"`;
    const name = `_:n${at}`;
    return [
      `${iri} ${type}`,
      `${iri} ${label}`,
      `${iri} <http://www.cidoc-crm.org/cidoc-crm/P1_is_identified_by> ${name}`,
      `${name} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.cidoc-crm.org/cidoc-crm/E33_E41_Linguistic_Appellation>`,
      `${name} <http://www.cidoc-crm.org/cidoc-crm/P190_has_symbolic_content> ${note}`,
    ]
      .map((triple) => `${triple} ${iri} .\n`)
      .join("");
  }).join("");
}

/** Fill a disk to its end, or until so many bytes are left. */
function fill(disk: string, left = 0): void {
  const file = openSync(join(disk, "filler"), "a");
  const piece = Buffer.alloc(MIB / 4);
  try {
    for (let { bavail, bsize } = statfsSync(disk); bavail * bsize > left; { bavail, bsize } = statfsSync(disk)) {
      writeSync(file, piece);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(file);
  }
}

/** Fill the disk of so many loads, half of them before they begin and half while they run. */
export async function fillDisks(count: number, random: () => number, folder: string): Promise<Row> {
  const seen = new Map<string, number>();
  const failures: string[] = [];
  const disk = count > 0 && HAS_SMALL_DISKS ? smallDisk(DISK) : undefined;
  if (disk === undefined) return { runs: 0, seen: new Map([["no disk can be mounted here", 0]]), failures };
  try {
    const [sound, store] = [join(folder, "sound"), join(disk.path, "store")];
    for (const edition of ["first", "second"]) writeFileSync(join(folder, `${edition}.nq`), quads(edition));
    const exported = async (): Promise<string> =>
      (await vitrine(["export", "--store", store])).stdout.replaceAll(/^#.*\n/gm, "");
    const states: string[] = [];
    for (const edition of ["first", "second"]) {
      await vitrine(["load", join(folder, `${edition}.nq`), "--store", store]);
      states.push(await exported());
      if (edition === "first") cpSync(store, sound, { recursive: true });
    }
    if (new Set(states).size !== 2) throw new Error("the loads that are to be disturbed make no difference");
    for (let at = 0; at < count; at++) {
      rmSync(store, { recursive: true, force: true });
      cpSync(sound, store, { recursive: true });
      const isBefore = at % 2 === 0;
      if (isBefore) fill(disk.path, random() * MOST_FREE * MIB);
      const load = start(["load", join(folder, "second.nq"), "--store", store]);
      if (!isBefore) {
        await Promise.race([load.ended, sleep(random() * LOAD)]);
        fill(disk.path);
      }
      const status = await load.ended;
      rmSync(join(disk.path, "filler"));
      const state = states.indexOf(await exported());
      const checked = await vitrine(["check", "--store", store]);
      const isRight = status === 0 ? state === 1 : state === 0 || (state === 1 && status !== 2);
      if (!isRight || checked.status !== 0) {
        failures.push(
          `load ended with ${status}, store ${state === -1 ? "of neither state" : state}, check ${checked.status}: ${load.stderr().slice(-300)}`,
        );
      }
      const again = await vitrine(["load", join(folder, "second.nq"), "--store", store]);
      if (again.status !== 0) failures.push(`loaded again it ended with ${again.status}: ${again.stderr.slice(-300)}`);
      const what = `full ${isBefore ? "before" : "during"} the load: ${status === 0 ? "whole" : `ended with ${status}, ${state === 0 ? "as before" : "whole"}`}`;
      seen.set(what, (seen.get(what) ?? 0) + 1);
    }
  } finally {
    disk.remove();
  }
  return { runs: count, seen, failures };
}
