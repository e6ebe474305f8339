/** Loads over HTTP in processes of their own, one whole and one cut off; what they may be otherwise is looked at in sent.test.ts. */
import { expect, it } from "vitest";
import { places, sendAndCut, startTaking } from "../sent/sending.js";
import { until } from "./built.js";

it("a load over HTTP is published, and one whose connection is cut is not", async () => {
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
  } finally {
    await taking.stop();
  }
});
