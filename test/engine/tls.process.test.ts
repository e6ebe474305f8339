/** The client of engines over TLS, with a certificate that openssl makes. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { EngineClient, EngineUnreachableError } from "../../src/engine/engine-client.js";
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
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => {
    response.end("safe");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
  const trusting = new EngineClient({ ca: readFileSync(cert, "utf8") });
  const other = new EngineClient();
  expect(await (await trusting.send({ url, body: "", timeout: 5_000 })).body.text()).toBe("safe");
  await expect(other.send({ url, body: "", timeout: 5_000 })).rejects.toBeInstanceOf(EngineUnreachableError);
  for (const client of [trusting, other]) client.close();
  server.closeAllConnections();
  server.close();
});
