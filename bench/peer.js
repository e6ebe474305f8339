/** A server for comparison: `node bench/peer.js express|http|heads BODIES` sends ready bodies by path, and does nothing else. `heads` sends all headers, too. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import express from "express";

const [kind, file] = process.argv.slice(2);
const answers = JSON.parse(readFileSync(file, "utf8"));
const bodies = new Map(answers);
const heads = new Map(answers.map(([path, , headers]) => [path, headers]));
const TYPE = "application/ld+json";

function expressServer() {
  const app = express();
  app.use((request, response) => {
    const body = bodies.get(request.url);
    response
      .status(body === undefined ? 404 : 200)
      .type(TYPE)
      .send(body ?? "");
  });
  return createServer(app);
}

function bareServer() {
  return createServer((request, response) => {
    const body = bodies.get(request.url) ?? "";
    const own = kind === "heads" ? heads.get(request.url) : undefined;
    const head = own ?? { "Content-Type": TYPE, "Content-Length": Buffer.byteLength(body) };
    response.writeHead(body === "" ? 404 : 200, head);
    response.end(body);
  });
}

const server = kind === "express" ? expressServer() : bareServer();
server.listen(0, "127.0.0.1", () => console.error(`listening on http://127.0.0.1:${server.address().port}/`));
