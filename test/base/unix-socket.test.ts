/** What is said of a socket that cannot be made. */
import { mkdirSync, rmdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { SocketFolder } from "../../src/base/unix-socket.js";
import { temporaryFolder } from "../temporary-folder.js";

it.each(["lock", "l".repeat(100)])("names the folder in which a socket cannot be made", async (name) => {
  const path = join(temporaryFolder(onTestFinished), name);
  mkdirSync(path);
  const folder = await SocketFolder.open(path);
  rmdirSync(path);
  await expect(folder.bind(createServer(), "socket", 0o666)).rejects.toMatchObject({ syscall: "listen", path });
  await folder.close();
});
