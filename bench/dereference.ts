/** Cold dereferencing over HTTP: every record is requested once, beside Express and bare `node:http` sending the same bytes. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { many } from "./documents.js";
import { fixed, median, report } from "./figures.js";
import {
  collect,
  drive,
  type HeadersOf,
  loadStore,
  processorTime,
  rssAnon,
  type Server,
  serveStore,
  shuffled,
  start,
} from "./servers.js";

const RECORDS = 20_000;
/** Records of a small collection, to see whether a large one is served more slowly. */
const FEW = 2_000;
/** Records that are requested again and again. */
const HOT = 100;
const RUNS = 5;
/** Runs before these, in which V8 compiles what is asked for often: the first takes twice as long. */
const WARMING = 2;
/** Without the index, which would fill during the first runs, and is measured elsewhere. */
const ENTITIES_ALONE = ["--sparql-access", "off"];

export async function benchDereference(): Promise<void> {
  await inFolder(async (folder, servers) => {
    const loaded = await loadStore(folder, await many(RECORDS));
    // Without its cache, since every run requests the same records again.
    const vitrine = await serveStore(loaded, "--cache", "0", ...ENTITIES_ALONE);
    servers.push(vitrine);
    const bodies = join(folder, "bodies.json");
    writeFileSync(bodies, JSON.stringify(await collect(vitrine.port, loaded.paths)));
    for (const kind of ["express", "http"]) servers.push(await start(["bench/peer.js", kind, bodies]));
    const drives: Drive[] = servers.map((server) => ({ server, paths: loaded.paths }));
    for (const coding of ["br", "gzip"]) {
      drives.push({ ...drives[0]!, headersOf: () => `Accept-Encoding: ${coding}\r\n` });
    }
    const [ours, express, bare, br, gzip] = await measured(drives);
    const figures = ({ rate, processor }: Measured): string => `${fixed(rate)} a second (${processor.toFixed(0)} µs)`;
    report(
      `\nCold dereferencing: ${loaded.paths.length} different records, median of ${RUNS} runs in turn, after ${WARMING} more`,
    );
    report(`  on Node ${process.version}; in brackets the processor time of an answer`);
    report(
      `  Vitrine ${figures(ours!)}; Express 5 sending the same bytes ${figures(express!)}; bare node:http ${figures(bare!)}`,
    );
    report(
      `  ${(ours!.rate / express!.rate).toFixed(2)} times Express, ${(ours!.rate / bare!.rate).toFixed(2)} times node:http`,
    );
    report(`  compressed: brotli ${figures(br!)}; gzip ${figures(gzip!)}`);
  });
}

/** Measures a few records that are requested again and again, also with their entity tags (304). */
export async function benchHot(): Promise<void> {
  await inFolder(async (folder, servers) => {
    const loaded = await loadStore(folder, await many(FEW));
    const hot = loaded.paths.slice(0, HOT);
    servers.push(await serveStore(loaded, ...ENTITIES_ALONE));
    const { port } = servers[0]!;
    const bodies = join(folder, "bodies.json");
    writeFileSync(bodies, JSON.stringify(await collect(port, hot)));
    for (const kind of ["http", "heads"]) servers.push(await start(["bench/peer.js", kind, bodies]));
    const tags = new Map<string, string>();
    for (const path of hot) {
      const { headers } = await fetch(`http://127.0.0.1:${port}${path}`, {
        // As in the measured requests: each content coding has its own tag.
        headers: { "accept-encoding": "identity" },
      });
      tags.set(path, `If-None-Match: ${headers.get("etag")}\r\n`);
    }
    const paths = Array.from({ length: RECORDS / HOT }, () => hot).flat();
    const [ours, unchanged, bare, heads] = await rates([
      { server: servers[0]!, paths },
      { server: servers[0]!, paths, headersOf: (path) => tags.get(path)! },
      { server: servers[1]!, paths },
      { server: servers[2]!, paths },
    ]);
    report(
      `\nHot dereferencing: ${HOT} records, ${paths.length} requests, median of ${RUNS} runs in turn, after ${WARMING} more`,
    );
    report(
      `  Vitrine ${fixed(ours!)} a second, 304 ${fixed(unchanged!)}; bare node:http ${fixed(bare!)}, with the same heads ${fixed(heads!)}`,
    );
    report(
      `  ${(ours! / bare!).toFixed(2)} times node:http, ${(ours! / heads!).toFixed(2)} times with the same heads; 304 is ${(unchanged! / ours!).toFixed(2)} times as fast as 200`,
    );
  });
}

/** Measures the whole volume beside a few of its records, with the same number of requests. */
export async function benchVolume(): Promise<void> {
  await inFolder(async (folder, servers) => {
    const documents = await many(Number.POSITIVE_INFINITY);
    const all = await loadStore(join(folder, "all"), documents);
    const few = await loadStore(join(folder, "few"), documents.slice(0, FEW));
    servers.push(await serveStore(all, ...ENTITIES_ALONE), await serveStore(few, ...ENTITIES_ALONE));
    const [large, small] = await rates([
      // Only records of the same museum as the few, so that size is the only difference.
      {
        server: servers[0]!,
        paths: shuffled(all.paths.filter((path) => !path.startsWith("/entity"))).slice(0, FEW * 10),
      },
      { server: servers[1]!, paths: Array.from({ length: 10 }, () => few.paths).flat() },
    ]);
    report(`\nA large collection: ${all.paths.length} records beside ${FEW}`);
    report(
      `  ${fixed(large!)} different records a second of the large, ${fixed(small!)} of the small: ${(large! / small!).toFixed(2)} times`,
    );
    report(`  private memory of the serving process (RssAnon) ${rssAnon(servers[0]!.process.pid!)}`);
  });
}

/** A series of requests to a server; several series take turns. */
export interface Drive {
  readonly server: Server;
  readonly paths: readonly string[];
  readonly headersOf?: HeadersOf;
}

/** Answers per second, and the microseconds of the server's processor time per answer. */
interface Measured {
  readonly rate: number;
  readonly processor: number;
}

/** The medians of each series, in runs that take turns. */
async function measured(drives: readonly Drive[]): Promise<Measured[]> {
  const all = drives.map((): { rates: number[]; times: number[] } => ({ rates: [], times: [] }));
  for (let run = -WARMING; run < RUNS; run++) {
    for (const [index, { server, paths, headersOf }] of drives.entries()) {
      const before = processorTime(server.process.pid!);
      const rate = await drive(server.port, shuffled(paths), headersOf);
      if (run < 0) continue;
      all[index]!.rates.push(rate);
      all[index]!.times.push(((processorTime(server.process.pid!) - before) * 1e6) / paths.length);
    }
  }
  return all.map(({ rates, times }) => ({ rate: median(rates), processor: median(times) }));
}

/** The median rate of each series, in runs that take turns. */
export async function rates(drives: readonly Drive[]): Promise<number[]> {
  return (await measured(drives)).map(({ rate }) => rate);
}

export async function inFolder(work: (folder: string, servers: Server[]) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  const servers: Server[] = [];
  try {
    await work(folder, servers);
  } finally {
    for (const server of servers) server.process.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}
