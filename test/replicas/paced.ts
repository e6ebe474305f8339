/** A steady rate of requests: each is sent when it is due, whatever became of those before. */
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds between two looks at what is due. */
const LOOK = 1;

/** Ask so often a second until it is over, and wait for what was asked. `due` is when a request had to be sent, by `performance.now()`. */
export async function paced(rate: number, isOver: () => boolean, ask: (due: number) => Promise<void>): Promise<void> {
  const begun = performance.now();
  const open = new Set<Promise<void>>();
  for (let sent = 0; !isOver(); await sleep(LOOK)) {
    const dueBy = ((performance.now() - begun) * rate) / 1_000;
    for (; sent <= dueBy; sent++) {
      const one: Promise<void> = ask(begun + (sent * 1_000) / rate).finally(() => open.delete(one));
      open.add(one);
    }
  }
  await Promise.all(open);
}
