/** The mark of a change, by which two stores with the same sequence numbers are told apart: numbers alone repeat when a store is restored from a backup. */
import { createHash } from "node:crypto";
import type { StoreWith } from "./store.js";

/** A digest of the change that has a sequence number; `undefined` where the store has no such change. */
export async function changeMark({ changes }: StoreWith<"changes">, sequence: number): Promise<string | undefined> {
  if (sequence === 0) return "";
  const [change] = await changes.page({ after: sequence - 1, limit: 1 });
  if (change?.sequence !== sequence) return undefined;
  const { iri, kind, time } = change;
  return createHash("sha256").update(`${time} ${kind} ${iri}`).digest("hex").slice(0, MARK_LENGTH);
}

const MARK_LENGTH = 32;
