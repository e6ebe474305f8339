/** One loader, three followers that were put back from its backup, a balancer and a cache, by the files of `deploy/replicas`. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PROGRAM } from "../../src/cli/main/command.js";
import { runApart } from "../cli/run.js";
import { freePort } from "../free-port.js";
import { HAS_SMALL_DISKS, type SmallDisk, smallDisk } from "../load/small-disk.js";
import { Part } from "./parts.js";
import { Network } from "./proxy.js";
import { Published } from "./readers.js";

export const BASE = "http://museum.example/";
export const HOST = "museum.example";
const RECORDS = 200;
/** Seconds that a follower may be behind before it is left out. */
export const MAX_LAG = 5;
/** MiB of the second follower's disk. */
const DISK = 256;

export interface Follower {
  readonly name: string;
  readonly store: string;
  readonly port: number;
  readonly serve: Part;
  readonly follow: Part;
  readonly purge: Part;
}

const vitrine = (name: string, args: () => readonly string[]): Part =>
  new Part(name, process.execPath, () => [PROGRAM, ...args()]);

export class Replicas {
  readonly folder = mkdtempSync(join(tmpdir(), "vitrine-replicas-"));
  readonly published = new Published();
  readonly followers: Follower[] = [];
  readonly disk: SmallDisk | undefined = HAS_SMALL_DISKS ? smallDisk(DISK) : undefined;
  readonly ports = { loader: 0, balancer: 0, cache: 0, network: 0 };
  loader!: Part;
  balancer!: Part;
  cache!: Part;
  /** Between the loader and the third follower. */
  network!: Network;
  /** The store that is loaded into, and the port of its service. */
  origin = { store: join(this.folder, "loader"), port: 0 };
  #version = 0;

  async begin(): Promise<void> {
    // Varnish reads its files as a user of its own.
    chmodSync(this.folder, 0o755);
    for (const name of ["loader", "balancer", "cache", "network"] as const) this.ports[name] = await freePort();
    this.origin = { ...this.origin, port: this.ports.loader };
    await this.load(Array.from({ length: RECORDS }, (_, at) => `place/${at}`));
    const backup = join(this.folder, "backup");
    await runApart(["backup", backup, "--store", this.origin.store]);
    this.network = new Network(this.ports.network, () => this.origin.port);
    for (const number of [1, 2, 3]) this.followers.push(await this.#follower(number, backup));
    const { store, port } = this.origin;
    this.loader = vitrine("loader", () => this.#serving(store, port));
    this.balancer = new Part("balancer", "haproxy", () => ["-db", "-f", this.#haproxy()]);
    const cache = ["-F", "-n", join(this.folder, "varnish"), "-f", this.#varnish(), "-s", "malloc,64m", "-T", "none"];
    this.cache = new Part("cache", "varnishd", () => [...cache, "-a", `127.0.0.1:${this.ports.cache}`]);
    for (const part of this.parts) part.start();
    for (const port of [...this.followers.map((each) => each.port), this.ports.balancer, this.ports.cache]) {
      await this.#answers(port);
    }
  }

  get parts(): readonly Part[] {
    const ofFollowers = this.followers.flatMap(({ serve, follow, purge }) => [serve, follow, purge]);
    return [this.loader, ...ofFollowers, this.balancer, this.cache];
  }

  /** Load the next version of records. */
  async load(paths: readonly string[]): Promise<number> {
    const version = ++this.#version;
    const file = join(this.folder, "load.jsonl");
    const document = (path: string): object => ({
      "@context": "https://linked.art/ns/v1/linked-art.json",
      ...{ id: `${BASE}${path}`, type: "Place", _label: `Version ${version}` },
    });
    writeFileSync(file, paths.map((path) => `${JSON.stringify(document(path))}\n`).join(""));
    for (const path of paths) this.published.add(`/${path}`, version, Number.POSITIVE_INFINITY);
    await runApart(["load", file, "--store", this.origin.store, "--base-url", BASE]);
    for (const path of paths) this.published.add(`/${path}`, version, Date.now());
    return version;
  }

  /** Milliseconds until each follower answers with a version of a record. */
  async lags(path: string, version: number, followers = this.followers): Promise<number[]> {
    const begun = performance.now();
    const until = async ({ port }: Follower): Promise<number> => {
      for (;;) {
        const text = await fetch(`http://127.0.0.1:${port}/${path}`, { headers: { accept: "application/json" } })
          .then((answer) => answer.text())
          .catch(() => "");
        const found = Number(/"_label":\s*"Version (\d+)"/.exec(text)?.[1]);
        if (found >= version) return performance.now() - begun;
        await sleep(20);
      }
    };
    return Promise.all(followers.map(until));
  }

  /** What a follower's `/ready` answers. */
  async ready({ port }: Follower): Promise<number> {
    return fetch(`http://127.0.0.1:${port}/ready`).then(
      ({ status }) => status,
      () => 0,
    );
  }

  /** The one documented step: a follower follows nobody any more, and takes loads; the others follow it. */
  async promote({ follow, store, port }: Follower): Promise<void> {
    await follow.stop();
    rmSync(join(store, "follow"), { recursive: true, force: true });
    this.origin = { store, port };
    for (const other of this.followers) if (other.store !== store) other.follow.kill();
  }

  async end(): Promise<void> {
    await Promise.all(this.parts.map((part) => part.stop()));
    this.network.close();
    this.disk?.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #follower(number: number, backup: string): Promise<Follower> {
    const name = `follower${number}`;
    const store = join(number === 2 && this.disk !== undefined ? this.disk.path : this.folder, name);
    await runApart(["restore", backup, "--store", store]);
    const port = await freePort();
    const source = (): number => (number === 3 ? this.ports.network : this.origin.port);
    const following = ["--source", "original", "--every", "1s"];
    return {
      ...{ name, store, port },
      serve: vitrine(name, () => this.#serving(store, port)),
      follow: vitrine(`${name}'s follow`, () => [
        ...["follow", `http://127.0.0.1:${source()}/`, "--store", store, ...following],
      ]),
      purge: vitrine(`${name}'s purge`, () => [
        ...["purge", `http://127.0.0.1:${this.ports.cache}/`, "--store", store],
      ]),
    };
  }

  #serving(store: string, port: number): readonly string[] {
    const config = join(this.folder, "vitrine.yaml");
    writeFileSync(config, `max-lag: ${MAX_LAG}\ncache-control: max-age=0, s-maxage=3600\nsparql-access: "off"\n`);
    return ["serve", "--store", store, "--port", String(port), "--config", config];
  }

  #haproxy(): string {
    const file = join(this.folder, "haproxy.cfg");
    let text = readFileSync("deploy/replicas/haproxy.cfg", "utf8").replace(":8080", `127.0.0.1:${this.ports.balancer}`);
    for (const { name, port } of this.followers) text = text.replaceAll(`${name}:3000`, `127.0.0.1:${port}`);
    writeFileSync(file, text.replace("loader:3000", `127.0.0.1:${this.ports.loader}`));
    return file;
  }

  #varnish(): string {
    mkdirSync(join(this.folder, "varnish"), { recursive: true });
    const file = join(this.folder, "varnish.vcl");
    const text = readFileSync("deploy/replicas/varnish.vcl", "utf8");
    writeFileSync(file, text.replace('"balancer"', '"127.0.0.1"').replace('"8080"', `"${this.ports.balancer}"`));
    return file;
  }

  async #answers(port: number): Promise<void> {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}/health`, { headers: { host: HOST } }).catch(() => undefined);
      if (answer?.status === 200) return;
      await sleep(100);
    }
  }
}
