/** Answers while the store is away: it will come back, and the service lives. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { bodyHeaders, send, type WholeAnswer } from "../message/answer.js";
import { problem } from "../message/problems/problems.js";
import { refuseUnread } from "./request-guards.js";

/** What may be left of a body stays unread, so that the next request needs another connection. */
const CLOSE = ["Connection", "close"] as const;

const ALIVE = '{"status":"ok"}\n';
const HEALTH: WholeAnswer = {
  status: 200,
  headers: [...bodyHeaders("application/json", ALIVE), "Cache-Control", "no-store", ...CLOSE],
  body: ALIVE,
};

/** `/health` is 200, all else 503. */
export class Unavailable {
  readonly #away: WholeAnswer;

  /** @param base `{base_url}` without a final slash */
  constructor(readonly base: string) {
    this.#away = problem(base, "unavailable", { detail: "The records are away at this moment.", headers: CLOSE });
  }

  handle({ url }: IncomingMessage, response: ServerResponse): void {
    send(response, url === "/health" ? HEALTH : this.#away);
  }

  refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    refuseUnread(error, socket, this.base);
  }
}
