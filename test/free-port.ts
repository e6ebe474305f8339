/** Free ports for services that must be told where to listen. */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Ports below the range from which systems choose a port for a program that asks for any. */
const [FIRST, LAST] = [15_000, 30_000];
/** Each process of the tests takes ports of its own, because nothing listens on a port while a test starts its program again. */
const PROCESSES = 10;
const OWN = Number(process.env.VITEST_POOL_ID ?? 0) % PROCESSES;
const given = new Set<number>();

/** A port of this machine on which nothing listens now, and which no other test is given. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + PROCESSES * randomInt((LAST - FIRST) / PROCESSES) + OWN;
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
