/** Queries passed from one process to another, which holds the index or reaches it. */
import type { Dispatcher } from "undici";
import { httpAgent, request } from "../../base/http-client.js";
import type { EngineState } from "../../query/engine.js";
import type { Answer } from "../message/answer.js";
import { hasBody } from "../message/body.js";
import { problem } from "../message/problems/problems.js";
import type { RouteRequest, ServedFile, SparqlServices } from "../routes/route.js";
import { INDEX_PATH } from "./local-socket.js";

/** Headers of a connection rather than of a message (RFC 9110, 7.6.1), and what both messages get anew. */
const OWN = new Set(["connection", "date", "expect", "keep-alive", "te", "transfer-encoding", "upgrade"]);

const NOT_NOW = "The index cannot be asked at this moment.";

/** The services of another process of this machine. */
export class PassedOn implements SparqlServices {
  readonly #agent: Dispatcher;

  /**
   * @param address the socket where that process listens
   * @param base `{base_url}` without a final slash
   * @param files the query editor's, which need not be passed on
   */
  constructor(
    readonly address: string,
    readonly base: string,
    readonly files: readonly ServedFile[],
  ) {
    this.#agent = httpAgent({ socketPath: address });
  }

  /** Pass a request on and its answer back; resolves when that begins. One that its client gave up is given up there, too. */
  async answer({ message, client, signal }: RouteRequest): Promise<Answer> {
    const { method, url, headers } = message;
    const asked = Object.entries(headers).filter(([name]) => !OWN.has(name));
    try {
      const answer = await request(`http://service${url}`, {
        dispatcher: this.#agent,
        method: method as Dispatcher.HttpMethod,
        // Only the client's address: whatever it wrote into the header itself must not reach the other process.
        headers: { ...Object.fromEntries(asked), "x-forwarded-for": client },
        body: hasBody(message) ? message : null,
        responseHeaders: "raw",
        signal,
      });
      const raw = answer.headers as unknown as readonly string[];
      const isOwn = (at: number): boolean => OWN.has(raw[at - (at % 2)]!.toLowerCase());
      return { status: answer.statusCode, headers: raw.filter((_, at) => !isOwn(at)), body: answer.body };
    } catch {
      return problem(this.base, "unavailable", { detail: NOT_NOW });
    }
  }

  /** How far the index there is; `unreachable` where that process does not answer, which is no reason to serve no entity. */
  async index(): Promise<EngineState> {
    try {
      const { body } = await request(`http://service${INDEX_PATH}`, { dispatcher: this.#agent });
      return (await body.json()) as EngineState;
    } catch {
      return { state: "unreachable", done: 0, total: 0, detail: NOT_NOW };
    }
  }

  close(): void {
    void this.#agent.destroy();
  }
}
