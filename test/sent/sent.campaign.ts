/** Cuts the connections of 50 loads and kills their senders, and sends 200 hostile requests; nothing is half done. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { until } from "../cli/built.js";
import { inFile } from "../cli/in-file.js";
import { run } from "../cli/run.js";
import { timesOf } from "../extent.js";
import { randomFrom, seedOf } from "../random.js";
import { attack, HOSTILE_KINDS, hostile, places, REFUSALS, sendAndCut, startTaking, type Taking } from "./sending.js";

const RECORDS = 50;
/** Records of each load that is cut. */
const SENT = 1_000;

it("leaves the store as before or whole, and lets no hostile request change anything", async () => {
  const cuts = timesOf(50, 4);
  const random = randomFrom(seedOf("sent"));
  const attacks = Math.max(HOSTILE_KINDS, 4 * cuts);
  const taking = await startTaking(RECORDS, ...inFile({ "load-size": 1 }));
  try {
    const { before, whole } = await cutAndRetry(taking, cuts, random);
    const outcomes = await attackAll(taking, attacks);
    const told = [...outcomes].map(([outcome, times]) => `${times} ${outcome}`).join(", ");
    console.log(
      `sent: ${cuts} connections cut, ${before} left the store as it was, ${whole} whole; sending again finished each`,
    );
    console.log(`sent: ${attacks} hostile requests changed nothing: ${told}`);
    expect(before + whole).toBe(cuts);
    const check = await run(["check", "--store", taking.store]);
    expect(check.status, check.stdout + check.stderr).toBe(0);
  } finally {
    await taking.stop();
  }
});

/** Cut loads at random moments, by the connection or by the death of `vitrine load --to`, and send each again. Throws when anything is not as promised. */
async function cutAndRetry(
  taking: Taking,
  count: number,
  random: () => number,
): Promise<{ before: number; whole: number }> {
  const tally = { before: 0, whole: 0 };
  let milliseconds = 1_500;
  for (let at = 0; at < count; at++) {
    const body = places(10_000 + at * SENT, 10_000 + (at + 1) * SENT);
    const file = join(taking.store, "..", "sent.jsonl");
    writeFileSync(file, body);
    const records = await taking.records();
    const moment = random();
    // Half of the moments lie while the body is sent, half from then on.
    if (at % 3 === 2) await sendAndDie(taking, file, moment * milliseconds);
    else if (at % 3 === 1) await sendAndCut(taking, body, body.length, moment * milliseconds);
    else await sendAndCut(taking, body, Math.floor(moment * body.length), 20);
    await until(() => isIdle(taking));
    const after = await taking.records();
    if (after !== records && after !== records + SENT) throw new Error(`${after - records} records of ${SENT}`);
    tally[after === records ? "before" : "whole"]++;
    const started = performance.now();
    const again = await run(["load", file, "--to", taking.url, "--token", taking.token]);
    milliseconds = performance.now() - started;
    if (again.status !== 0 || (await taking.records()) !== records + SENT) throw new Error(`again: ${again.stderr}`);
  }
  return tally;
}

/** Have a sender killed. */
async function sendAndDie(taking: Taking, file: string, milliseconds: number): Promise<void> {
  const args = ["bin/vitrine.js", "load", file, "--to", taking.url, "--token", taking.token];
  const sender = spawn(process.execPath, args, { stdio: "ignore" });
  const ended = once(sender, "exit");
  await Promise.race([ended, sleep(milliseconds)]);
  sender.kill("SIGKILL");
  await ended;
}

/** Whether no load waits or runs. */
async function isIdle({ url, token }: Taking): Promise<boolean> {
  const answer = await fetch(`${url}/loads`, { headers: { authorization: `Bearer ${token}` } });
  const { loads } = (await answer.json()) as { loads: { state: string }[] };
  return loads.every(({ state }) => state !== "running" && state !== "waiting");
}

async function attackAll(taking: Taking, count: number): Promise<ReadonlyMap<number | string, number>> {
  const before = await run(["export", "--store", taking.store]);
  const outcomes = new Map<number | string, number>();
  for (const request of hostile(taking, count)) {
    const outcome = await attack(taking, request);
    if (!REFUSALS.includes(outcome)) throw new Error(`${request.name}: ${outcome}`);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  await until(() => isIdle(taking));
  if ((await run(["export", "--store", taking.store])).stdout !== before.stdout) throw new Error("something changed");
  return outcomes;
}
