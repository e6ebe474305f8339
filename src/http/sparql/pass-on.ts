/** What one process answers for others: queries, which reach the index through whoever holds it. */
import { Agent, request as ask, type ClientRequest, type IncomingMessage } from "node:http";
import type { EngineState } from "../../query/engine.js";
import type { Answer } from "../answer.js";
import { problem } from "../problems/problems.js";
import type { RouteRequest, ServedFile, SparqlServices } from "../routes/route.js";
import { INDEX_PATH } from "./local-socket.js";

/** Headers of a connection rather than of a message (RFC 9110, 7.6.1), and what the answer gets anew. */
const OWN = new Set(["connection", "keep-alive", "transfer-encoding", "date"]);

/** The services of another process of this machine. */
export class PassedOn implements SparqlServices {
  readonly #agent = new Agent({ keepAlive: true });

  /**
   * @param address the socket where that process listens
   * @param base `{base_url}` without a final slash
   * @param files the query editor's, which need not be passed on
   */
  constructor(
    readonly address: string,
    readonly base: string,
    readonly files: readonly ServedFile[],
  ) {}

  /** Pass a request on and its answer back; resolves when that begins. One that its client gave up is given up there, too. */
  answer({ message, client, signal }: RouteRequest): Promise<Answer> {
    return new Promise((resolve) => {
      // Only the client's address: whatever it wrote into the header itself must not reach the other process.
      const headers = { ...message.headers, "x-forwarded-for": client };
      const passed = this.#ask(message.method, message.url, headers, (answer) => {
        const answered: string[] = [];
        for (let at = 0; at < answer.rawHeaders.length; at += 2) {
          const name = answer.rawHeaders[at]!;
          if (!OWN.has(name.toLowerCase())) answered.push(name, answer.rawHeaders[at + 1]!);
        }
        resolve({ status: answer.statusCode!, headers: answered, body: answer });
      });
      passed.on("error", () => {
        resolve(problem(this.base, "unavailable", { detail: "The index cannot be asked at this moment." }));
      });
      if (signal.aborted) passed.destroy();
      else signal.addEventListener("abort", () => passed.destroy(), { once: true });
      message.pipe(passed);
    });
  }

  /** How far the index there is. Rejects when that process does not answer. */
  index(): Promise<EngineState> {
    return new Promise((resolve, reject) => {
      const asked = this.#ask("GET", INDEX_PATH, {}, (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (chunk: string) => {
          text += chunk;
        });
        answer.on("error", reject);
        answer.on("end", () => resolve(JSON.parse(text) as EngineState));
      });
      asked.on("error", reject);
      asked.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #ask(
    method: string | undefined,
    path: string | undefined,
    { connection: _connection, "keep-alive": _keepAlive, ...headers }: IncomingMessage["headers"],
    answered: (answer: IncomingMessage) => void,
  ): ClientRequest {
    return ask({ agent: this.#agent, socketPath: this.address, method, path, headers }, answered);
  }
}
