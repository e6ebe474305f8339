/** The limit on a server's connections, below the process's descriptor limit. At the limit, a new connection replaces those idle longest. */
import { readFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** The maximum number of open connections, however many descriptors the process may have. Each connection takes some 20 KiB. */
export const MAX_CONNECTIONS = 10_000;
/** A quarter of the descriptors, and at least this many, are reserved for the service's own files, processes and sockets. */
const RESERVED_DESCRIPTORS = 64;
/** At the limit, one connection in this many is closed in one go. A flood of new ones would otherwise cause a search for each of them. */
const SHARE_CLOSED = 64;

/** The maximum number of open connections for a process that may have this many descriptors. */
export function connectionsFor(descriptors: number): number {
  const unreserved = Math.min(descriptors - RESERVED_DESCRIPTORS, Math.floor((descriptors * 3) / 4));
  return Math.max(1, Math.min(MAX_CONNECTIONS, unreserved));
}

/** The number of descriptors that this process may have; `Infinity` if that is not known. */
export function descriptorLimit(): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1] ?? Infinity);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** How often `answered` checks whether the answers it waits for have been sent, in milliseconds. */
const ANSWERED_INTERVAL = 50;

/** A connection with its pending answer, where `node:http` keeps it. */
export interface Connection extends Socket {
  readonly _httpMessage?: ServerResponse | null;
}

function isDue({ _httpMessage: due }: Connection): boolean {
  return due !== undefined && due !== null;
}

/** The requests whose bodies must arrive in time. Until one has, its connection counts as idle. */
export const boundedInTime = new WeakSet<IncomingMessage>();

function isIdle({ _httpMessage: due }: Connection): boolean {
  return !due || (boundedInTime.has(due.req) && !due.req.complete);
}

export class Connections {
  /** The number of each connection's last use; the one with the least has been idle longest. */
  readonly #used = new Map<Connection, number>();
  #uses = 0;

  constructor(
    server: Server,
    private readonly limit: number,
  ) {
    server.on("connection", (socket: Connection) => {
      if (this.#used.size >= this.limit && !this.#makeRoom()) socket.destroy();
      else {
        this.use(socket);
        socket.once("close", () => this.#used.delete(socket));
      }
    });
  }

  use(socket: Socket): void {
    this.#used.set(socket, ++this.#uses);
  }

  /** Resolves when every answer now pending is sent or its connection closed; closes the connections still pending after `timeout` milliseconds. */
  async answered(timeout: number): Promise<void> {
    const end = performance.now() + timeout;
    let due = [...this.#used.keys()].filter(isDue);
    while (due.length > 0 && performance.now() < end) {
      await sleep(ANSWERED_INTERVAL);
      due = due.filter((socket) => isDue(socket) && !socket.destroyed);
    }
    for (const socket of due) socket.destroy();
  }

  /** Closes connections that have not sent a byte. Browsers open such spare ones, and `node:http` does not count them as idle. */
  closeUnused(): void {
    for (const socket of this.#used.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Closes the connections that have been idle longest. Returns false when none is idle. */
  #makeRoom(): boolean {
    // These include connections that never sent a whole request, even if bytes still trickle in.
    const idle = [...this.#used].filter(([socket]) => isIdle(socket));
    const closed = idle.sort(([, left], [, right]) => left - right).slice(0, Math.ceil(this.limit / SHARE_CLOSED));
    for (const [socket] of closed) {
      this.#used.delete(socket);
      socket.destroy();
    }
    return closed.length > 0;
  }
}
