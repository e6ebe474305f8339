/** Links to other sites: the state that each answer means, and polite requests. */
import { lookup } from "node:dns/promises";
import type { RequestListener } from "node:http";
import { beforeEach, expect, it, vi } from "vitest";
import { NOT_PUBLIC } from "../../src/base/public-addresses.js";
import { checkLinks, type LinkState } from "../../src/harvest/outside-links.js";
import { listeningForTest } from "../listening.js";

// The sites of the tests are on this machine.
beforeEach(() => {
  const check = vi.spyOn(NOT_PUBLIC, "check").mockReturnValue(false);
  return () => check.mockRestore();
});

async function statesOf(iris: readonly string[], signal = new AbortController().signal): Promise<LinkState[]> {
  const states: LinkState[] = [];
  for await (const state of checkLinks(iris, { signal, pause: 1, busyPause: 1 })) states.push(state);
  return states;
}

it("the check sends one request at a time to a host, and checks several hosts at once", async () => {
  let [open, most, answered] = [0, 0, 0];
  let others = false;
  const slow: RequestListener = (_, response) => {
    most = Math.max(most, ++open);
    setTimeout(() => {
      open--;
      response.end();
      answered++;
    }, 20);
  };
  const quick: RequestListener = (_, response) => {
    others ||= answered < 4;
    response.end();
  };
  const [one, other] = [await listeningForTest(slow), await listeningForTest(quick)];
  const states = await statesOf([...["/1", "/2", "/3", "/4"].map((path) => one + path), `${other}/1`]);
  expect(states.map(({ state }) => state)).toEqual(Array(5).fill("fine"));
  expect([most, others]).toEqual([1, true]);
});

it("the check gives up on a host that keeps failing, and does not call its links gone", async () => {
  let asked = 0;
  const busy = await listeningForTest((_, response) => {
    asked++;
    response.writeHead(503).end();
  });
  const states = await statesOf(Array.from({ length: 20 }, (_, path) => `${busy}/${path}`));
  expect(states.map(({ state, answer }) => [state, answer])).toEqual(Array(5).fill(["failing", 503]));
  expect(asked).toBe(5);
});

it("the check waits as long as a busy host says", async () => {
  const times: number[] = [];
  const host = await listeningForTest((_, response) => {
    times.push(performance.now());
    response.writeHead(times.length === 1 ? 429 : 200, { "retry-after": "1" }).end();
  });
  await statesOf([`${host}/1`, `${host}/2`]);
  expect(times[1]! - times[0]!).toBeGreaterThan(990);
});

it("the check ends a circle of redirects, and reports a host that does not answer", async () => {
  const circle = await listeningForTest((_, response) => void response.writeHead(302, { location: "/" }).end());
  const [state] = await statesOf([`${circle}/`]);
  expect(state).toMatchObject({ state: "failing", answer: expect.stringContaining("redirects") });
  const [nobody] = await statesOf(["http://127.0.0.1:9/x"]);
  expect(nobody).toMatchObject({ state: "failing" });
});

it("the check asks no address that is not public, whether a record, a name or a redirect leads to it", async () => {
  const asked: (string | undefined)[] = [];
  const inside = await listeningForTest(({ url }, response) => {
    asked.push(url);
    response.end();
  });
  const outside = await listeningForTest((_, response) => void response.writeHead(302, { location: inside }).end());
  const named = inside.replace("127.0.0.1", "localhost");
  vi.mocked(NOT_PUBLIC.check).mockReturnValue(true);
  const states = await statesOf([`${inside}/1`, `${named}/2`]);
  vi.mocked(NOT_PUBLIC.check).mockReturnValueOnce(false);
  states.push(...(await statesOf([`${outside}/3`])));
  const refused = { state: "refused", answer: expect.stringMatching(/^\S+ is not a public address$/) };
  expect(states).toEqual(Array(3).fill(expect.objectContaining(refused)));
  expect(asked).toEqual([]);
});

it("a host that does not exist is gone if another host has answered: without a network, no host is found", async () => {
  const nowhere = ["http://nothing.invalid/1"];
  expect((await statesOf(nowhere))[0]).toMatchObject({ state: "failing" });
  // Eight hosts are asked at once; the ninth is asked when one of them has answered.
  const answering = Array.from({ length: 8 }, () => listeningForTest((_, response) => void response.end()));
  const states = await statesOf([...(await Promise.all(answering)), ...nowhere]);
  const code = await lookup("nothing.invalid").catch((error: NodeJS.ErrnoException) => error.code);
  expect(states.find(({ iri }) => iri === nowhere[0])!.state).toBe(code === "ENOTFOUND" ? "gone" : "failing");
});

it("the check ends at once when it is interrupted", async () => {
  const host = await listeningForTest(() => {});
  const abort = new AbortController();
  const states = statesOf([`${host}/1`], abort.signal);
  abort.abort(new Error("enough"));
  await expect(states).rejects.toThrow("enough");
});
