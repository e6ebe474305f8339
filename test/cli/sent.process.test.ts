/** Loads over HTTP in processes of their own, one whole, one cut off and one interrupted; what they may be otherwise is looked at in sent.test.ts. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { places, sendAndCut, sendEndless, startTaking } from "../sent/sending.js";
import { childrenOf, until } from "./built.js";

it("a load over HTTP is published, and one that is cut or interrupted is not", async () => {
  const taking = await startTaking(2);
  try {
    const headers = { authorization: `Bearer ${taking.token}`, "content-type": "application/jsonl" };
    const loads = async (): Promise<readonly { state: string }[]> =>
      ((await (await fetch(`${taking.url}/loads`, { headers })).json()) as { loads: { state: string }[] }).loads;
    const body = places(100, 300);
    await sendAndCut(taking, body, body.length - 1);
    await until(async () => (await loads()).map(({ state }) => state).join() === "interrupted");
    expect(await taking.records()).toBe(2);
    const answer = await fetch(`${taking.url}/load`, { method: "POST", headers, body });
    expect((await answer.text()).trim().split("\n").at(-1)).toContain('"state":"published"');
    expect((await fetch(`${taking.url}/place/299`)).status).toBe(200);
    expect(await taking.records()).toBe(202);
    // A supervisor such as systemd signals all processes of a service at once.
    const { body: lines } = await sendEndless(taking);
    await until(() => readdirSync(join(taking.store, "staging")).length > 0);
    for (const child of childrenOf(taking.pid)) process.kill(child, "SIGTERM");
    expect((await lines.text()).trim().split("\n").at(-1)).toContain('"state":"interrupted"');
  } finally {
    await taking.stop();
  }
});
