/** The connections of a server: fewer than the process has descriptors for, and the longest idle gives way to a new one. */
import { readFileSync } from "node:fs";
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Connections that are held at once where the process may have more descriptors; each takes some 20 KiB. */
export const MAX_CONNECTIONS = 10_000;
/** Of few descriptors, a quarter and at least so many are kept for files, processes and sockets of the service's own. */
const RESERVED_DESCRIPTORS = 64;
/** When there are too many, so small a share of the most is closed, so that a flood does not pay for the search each time. */
const SHARE_CLOSED = 64;

/** How many connections there may be at once, by the descriptors that this process may have. */
export function connectionsFor(descriptors: number): number {
  if (descriptors === Number.POSITIVE_INFINITY) return MAX_CONNECTIONS;
  const reserved = Math.max(RESERVED_DESCRIPTORS, Math.ceil(descriptors / 4));
  return Math.max(1, Math.min(MAX_CONNECTIONS, descriptors - reserved));
}

/** How many descriptors this process may have; `Infinity` where that is not known. */
export function descriptorLimit(): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** How often it is looked whether answers that are waited for are out, in milliseconds. */
const ANSWERED_INTERVAL = 50;

/** A connection with the answer that is due on it, as `node:http` keeps it. */
interface Connection extends Socket {
  readonly _httpMessage?: ServerResponse | null;
}

function isDue({ _httpMessage: due }: Connection): boolean {
  return due !== undefined && due !== null;
}

export class Connections {
  readonly #most: number;
  /** When each was last used, as the number of that use; the least is the longest idle. */
  readonly #used = new Map<Connection, number>();
  #uses = 0;

  constructor(server: Server, most: number) {
    this.#most = most;
    server.on("connection", (socket: Connection) => this.#take(socket));
  }

  get count(): number {
    return this.#used.size;
  }

  use(socket: Socket): void {
    this.#used.set(socket, ++this.#uses);
  }

  /** Resolves when the answers that are due now are out, or their connections gone; after `timeout` milliseconds those are closed. */
  async answered(timeout: number): Promise<void> {
    const end = performance.now() + timeout;
    let due = [...this.#used.keys()].filter(isDue);
    while (due.length > 0 && performance.now() < end) {
      await sleep(ANSWERED_INTERVAL);
      due = due.filter((socket) => isDue(socket) && !socket.destroyed);
    }
    for (const socket of due) socket.destroy();
  }

  #take(socket: Connection): void {
    if (this.#used.size >= this.#most && !this.#makeRoom()) {
      socket.destroy();
      return;
    }
    this.use(socket);
    socket.once("close", () => this.#used.delete(socket));
  }

  /** Close those on which no answer is due and that were used least lately. False when an answer is due on all. */
  #makeRoom(): boolean {
    // Those that never brought a whole head are among them, however they dribble.
    const idle = [...this.#used].filter(([socket]) => !isDue(socket));
    const closed = idle.sort(([, left], [, right]) => left - right).slice(0, Math.ceil(this.#most / SHARE_CLOSED));
    for (const [socket] of closed) {
      this.#used.delete(socket);
      socket.destroy();
    }
    return closed.length > 0;
  }
}
