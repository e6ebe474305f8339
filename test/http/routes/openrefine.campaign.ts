/** OpenRefine itself, driven over HTTP: it matches columns of names with the sample, and fills columns from the matches. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../cli/built.js";
import { SAMPLE } from "../../data/sample.js";
import { freePort } from "../../free-port.js";
import { readingAt } from "../../jsonld/documents.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { BASE, publish, type Service, startService } from "../service.js";
import { NAMED, type NamedColumn } from "./reconciled-names.js";

const HAS_OPENREFINE = spawnSync("which", ["openrefine"]).status === 0;
if (!HAS_OPENREFINE) console.warn("openrefine is not installed: reconciliation is not tried with it");

let service: Service;
let openrefine: ChildProcess;
const folder = temporaryFolder();
let origin: string;

beforeAll(async () => {
  if (!HAS_OPENREFINE) return;
  service = await startService();
  const read = readingAt(`${BASE}/`);
  const sample = [...SAMPLE.values()];
  await publish(
    service.store,
    sample.map(({ document }) => read(document)),
  );
  const port = await freePort();
  origin = `http://127.0.0.1:${port}/command/core`;
  // OpenRefine's script starts Java in another process: both are in one group, and are ended together.
  openrefine = spawn("openrefine", ["-p", String(port), "-d", folder, "-m", "512M", "-x", "refine.headless=true"], {
    stdio: "ignore",
    detached: true,
  });
  await until(async () => (await fetch(`${origin}/get-version`).catch(() => undefined))?.ok === true);
});
afterAll(async () => {
  if (!HAS_OPENREFINE) return;
  process.kill(-openrefine.pid!, "SIGKILL");
  await service.stop();
});

async function command(
  name: string,
  parameters: Record<string, string>,
  body: FormData | URLSearchParams | string = "",
): Promise<Response> {
  const { token } = (await (await fetch(`${origin}/get-csrf-token`)).json()) as { token: string };
  const query = new URLSearchParams({ ...parameters, csrf_token: token });
  const response = await fetch(`${origin}/${name}?${query}`, { method: "POST", body });
  expect([name, response.status]).toEqual([name, 200]);
  return response;
}

/** Create a project from a table, and return the project's number. */
async function project(lines: readonly (readonly string[])[]): Promise<string> {
  const csv = lines.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")).join("\n");
  const form = new FormData();
  form.set("project-file", new Blob([csv], { type: "text/csv" }), "names.csv");
  form.set("project-name", "names");
  const options = JSON.stringify({ separator: ",", headerLines: 1, encoding: "UTF-8", guessCellValueTypes: false });
  const created = await command("create-project-from-upload", { format: "text/line-based/*sv", options }, form);
  return new URL(created.url).searchParams.get("project")!;
}

async function processed(number: string): Promise<void> {
  await until(async () => {
    const answer = await fetch(`${origin}/get-processes?project=${number}`);
    return ((await answer.json()) as { processes: unknown[] }).processes.length === 0;
  });
}

interface Reconciled {
  readonly j: string;
  readonly m?: { readonly id: string };
  readonly c?: readonly { readonly id: string }[];
}

interface Rows {
  readonly rows: readonly { readonly cells: readonly ({ readonly v: string; readonly r?: number } | null)[] }[];
  readonly pool: { readonly recons: Readonly<Record<string, Reconciled>> };
}

async function rowsOf(number: string): Promise<Rows> {
  return (await (await command("get-rows", { project: number, start: "0", limit: "100" })).json()) as Rows;
}

/** Match a column of names, as *Start reconciling* does, and return the project's number. */
async function matched({ type, dates, rows }: NamedColumn): Promise<string> {
  const number = await project([["name", "date"], ...rows.map(({ name, date }) => [name, date])]);
  const config = {
    mode: "standard-service",
    service: `${service.origin}/collection/reconcile`,
    identifierSpace: `${BASE}/`,
    schemaSpace: "https://linked.art/model/",
    type: type === undefined ? null : { id: type, name: type },
    autoMatch: true,
    limit: 0,
    columnDetails: dates === undefined ? [] : [{ column: "date", propertyName: "Date", propertyID: dates }],
  };
  const body = new URLSearchParams({ columnName: "name", config: JSON.stringify(config), engine: "{}" });
  await command("reconcile", { project: number }, body);
  await processed(number);
  return number;
}

describe.skipIf(!HAS_OPENREFINE)("OpenRefine", () => {
  it("matches names, and has the right record among the first three when it does not", async () => {
    const counts = { rows: 0, matched: 0, first: 0, firstThree: 0, wrong: [] as string[], missed: [] as string[] };
    for (const column of NAMED) {
      const { rows, pool } = await rowsOf(await matched(column));
      for (const [at, { name, meant }] of column.rows.entries()) {
        const recon = pool.recons[String(rows[at]!.cells[0]!.r)]!;
        const iri = meant === undefined ? undefined : `${BASE}/${meant}`;
        const isMatched = recon.j === "matched";
        // OpenRefine does not keep the candidates of matched names.
        const candidates = isMatched ? [recon.m!] : (recon.c ?? []);
        const place = candidates.findIndex(({ id }) => id === iri);
        counts.rows++;
        if (isMatched && place === 0) counts.matched++;
        if (isMatched && place !== 0) counts.wrong.push(`${name}: ${recon.m!.id}`);
        if (meant !== undefined && (place < 0 || place > 2)) counts.missed.push(name);
        if (place === 0) counts.first++;
        if (place >= 0 && place < 3) counts.firstThree++;
      }
    }
    expect(counts).toMatchObject({ rows: 60, firstThree: 54, wrong: [], missed: [] });
    expect(counts.matched).toBeGreaterThanOrEqual(19);
    expect(counts.first).toBeGreaterThanOrEqual(54);
  });

  it("fills columns from matched records, following the columns' settings", async () => {
    const number = await matched({ type: "object", rows: [{ name: "SK-A-2344", date: "", meant: "object/milkmaid" }] });
    const properties = [
      { id: "identified_by/Name", name: "Title", settings: { limit: "1", language: "nl" } },
      { id: "produced_by/carried_out_by", name: "Maker" },
      { id: "produced_by/timespan", name: "Date made" },
      { id: "dimension/300055644", name: "Height" },
    ];
    const parameters = {
      baseColumnName: "name",
      endpoint: `${service.origin}/collection/reconcile`,
      identifierSpace: `${BASE}/`,
      schemaSpace: "https://linked.art/model/",
      extension: JSON.stringify({ properties }),
      columnInsertIndex: "1",
      engine: "{}",
    };
    await command("extend-data", { project: number }, new URLSearchParams(parameters));
    await processed(number);
    const [first] = (await rowsOf(number)).rows;
    const cells = first!.cells.map((cell) => cell?.v);
    expect(cells).toEqual(
      expect.arrayContaining(["SK-A-2344", "Het melkmeisje", "Johannes Vermeer", "45.5 cm (height)"]),
    );
    expect(cells.some((cell) => /^(?:about|c\.|between) 16\d\d/.test(cell ?? ""))).toBe(true);
  });
});
