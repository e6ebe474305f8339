/** What is answered while the store is away: that it will come back, and that the service lives. */
import * as http from "node:http";
import { send } from "./answer.js";
import { problem } from "./problems/problems.js";

/**
 * Listen where the service does while it has no store: `/health` is 200, all else 503. Resolves to what closes it.
 * @param base `{base_url}` without a final slash
 */
export function answerAbsence(base: string, port: number, host: string): Promise<() => Promise<void>> {
  const server = http.createServer(({ url }, response) => {
    if (url === "/health") response.end('{"status":"ok"}\n');
    else send(response, problem(base, "unavailable", { detail: "The records are away at this moment." }));
  });
  const close = (): Promise<void> =>
    new Promise((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve(close));
  });
}
