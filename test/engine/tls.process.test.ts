/** The client of engines over TLS, with a certificate that openssl makes. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { EngineClient, EngineUnreachableError } from "../../src/engine/engine-client.js";
import { listening } from "../listening.js";
import { temporaryFolder } from "../temporary-folder.js";

it("an engine is spoken TLS with whose certificate is named, and with no other", async () => {
  const folder = temporaryFolder(onTestFinished);
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  try {
    const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", cert];
    execFileSync("openssl", [...made, ...subject], { stdio: "ignore" });
  } catch {
    console.warn("openssl makes no certificate here: TLS is not tested");
    return;
  }
  const identity = { key: readFileSync(key), cert: readFileSync(cert) };
  const { port, stop } = await listening(createServer(identity, (_, response) => response.end("safe")));
  onTestFinished(stop);
  const url = `https://localhost:${port}/`;
  const trusting = new EngineClient({ ca: readFileSync(cert, "utf8") });
  const other = new EngineClient();
  expect(await (await trusting.send({ url, body: "", timeout: 20_000 })).body.text()).toBe("safe");
  await expect(other.send({ url, body: "", timeout: 20_000 })).rejects.toBeInstanceOf(EngineUnreachableError);
  for (const client of [trusting, other]) client.close();
});
