/** Hosts that serve nothing but files: nginx and Apache with the rules of a site, and servers without any. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import express from "express";
import { freePort } from "../../free-port.js";
import { listening } from "../../listening.js";
import { until } from "../built.js";

/** Something that serves a folder. */
export interface Host {
  readonly port: number;
  stop(): Promise<void>;
}

const is = (command: string, option: string) => spawnSync(command, [option]).status === 0;

/** How each host is begun: `www` is the folder that has `path` in it. Those that are not installed are `undefined`. */
export const HOSTS: Readonly<Record<string, ((www: string, path: string) => Promise<Host>) | undefined>> = {
  nginx: is("nginx", "-v") ? nginx : undefined,
  Apache: is("apache2", "-v") ? apache : undefined,
  "a plain server": plain,
};

async function started(process: ChildProcess, port: number): Promise<Host> {
  let said = "";
  process.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  const ended = new Promise<void>((resolve) => process.once("exit", () => resolve()));
  await until(async () => {
    if (process.exitCode !== null) throw new Error(said);
    return fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
  });
  return {
    port,
    stop: () => {
      process.kill("SIGTERM");
      return ended;
    },
  };
}

async function nginx(www: string, path: string): Promise<Host> {
  const port = await freePort();
  const folder = `${www}-nginx`;
  mkdirSync(folder, { recursive: true });
  const site = join(www, path);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (each) => `${each}_temp_path ${folder}/${each};`,
  );
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; pid ${folder}/pid; error_log stderr; worker_processes 1; events {}
http { access_log off; ${temporary.join(" ")}
include ${site}/_host/nginx-map.conf;
server { listen 127.0.0.1:${port}; absolute_redirect off; root ${www}; include ${site}/_host/nginx-site.conf; } }`,
  );
  return started(spawn("nginx", ["-e", "stderr", "-c", join(folder, "nginx.conf")]), port);
}

async function apache(www: string): Promise<Host> {
  const port = await freePort();
  const folder = `${www}-apache`;
  mkdirSync(folder, { recursive: true });
  const modules = ["mpm_event", "authz_core", "dir", "mime", "rewrite", "headers"];
  const user = process.getuid?.() === 0 ? "User www-data\nGroup www-data\n" : "";
  writeFileSync(
    join(folder, "apache.conf"),
    `ServerRoot ${folder}\nPidFile ${folder}/pid\nErrorLog ${folder}/error.log\nServerName 127.0.0.1\nListen 127.0.0.1:${port}\n${user}
${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
TypesConfig /etc/mime.types
# The link checker keeps more connections than one process of Apache, which then takes no other until they end.
KeepAlive Off
DocumentRoot ${www}
<Directory ${www}>
AllowOverride All
Require all granted
</Directory>`,
  );
  return started(spawn("apache2", ["-X", "-f", join(folder, "apache.conf")]), port);
}

/** Redirects to folders, and gives their index: what any server of files does. @param headers of every answer */
export async function plain(www: string, _path = "/", at = 0, headers = {}): Promise<Host> {
  const app = express().use((_, response, next) => {
    response.set(headers);
    next();
  });
  return listening(app.use(express.static(www, { dotfiles: "allow" })), at);
}

/** Gives `x.html` at `x`, and redirects `x/` there, as Netlify does. */
export async function withoutSuffixes(www: string): Promise<Host> {
  const app = express().use((request, response, next) => {
    const address = request.path.replace(/(?<=.)\/$/, "");
    const file = join(www, `${decodeURI(address)}.html`);
    if (!existsSync(file)) next();
    else if (address === request.path) response.sendFile(file, { dotfiles: "allow" });
    else response.redirect(301, address);
  });
  return listening(app.use(express.static(www, { dotfiles: "allow" })));
}
