/** What comes of the commands of the documentation, by their text. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Look } from "./machine.js";

export interface Row {
  /** What its results, or its words, say. */
  readonly says?: RegExp;
  /** Default 0. */
  readonly status?: number;
  /** A command that brings about what it supposes. */
  readonly given?: string;
  /** A file or a folder that is there afterwards, and holds something. */
  readonly makes?: string;
  /** A command that tells what became of it, and what that says. */
  readonly after?: readonly [command: string, says: RegExp];
  /** Looks at the service that it begins. */
  readonly look?: Look;
}

/** Commands that are not run: how they begin, and why. */
export const NOT_RUN: readonly (readonly [beginning: string, reason: string])[] = [
  ["pyshacl ", "no dependency: test/validate holds the shapes against two other engines"],
  ["docker ", "needs Docker: test/deploy/containers.process.test.ts holds what it would start against the program"],
];

const DELFT = "https://data.museum.example/place/delft";
const TOKEN = "vitrine token new --name collection --may load,delete --source objects";
const FILL =
  "vitrine engine fill --engine http://localhost:8890/sparql-auth --engine-user dba --engine-password @password";
const PARIS = /from change 17 .* to 42 .*\n {2}_label: "Paris" -> "Paris, France"/;

async function answer(url: string, accept: string): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(url, { headers: { accept } });
  return { status: response.status, text: await response.text() };
}

/** A service that answers a record. */
const publishes: Look = async (url) => {
  const { status, text } = await answer(`${url}/place/delft`, "application/ld+json");
  expect([status, text]).toEqual([200, expect.stringContaining(DELFT)]);
};

/** A service that answers queries as well, once its engine is in step. */
const answersQueries: Look = async (url) => {
  await publishes(url);
  const query = `${url}/sparql?query=${encodeURIComponent("SELECT ?s { ?s ?p ?o }")}`;
  for (;;) {
    const { status, text } = await answer(query, "text/csv");
    if (status !== 503) return expect([status, text]).toEqual([200, expect.stringContaining(DELFT)]);
    await sleep(20);
  }
};

/** A service that describes its dataset by what it was given. */
const isDescribed: Look = async (url) => {
  const { status, text } = await answer(`${url}/.well-known/void`, "text/turtle");
  expect(status).toBe(200);
  for (const given of [
    "Museum of Examples",
    "What it is.",
    "publicdomain/zero",
    "The Museum",
    "data@museum",
    "paintings",
  ])
    expect(text).toContain(given);
};

/** A service that answers dumps. */
const hasDumps: Look = async (url) => {
  const { status, text } = await answer(`${url}/dumps/`, "application/json");
  expect([status, text]).toEqual([200, expect.stringContaining(".nq.gz")]);
};

export const ROWS: Readonly<Record<string, Row>> = {
  "vitrine load records.nq.gz --base-url https://data.museum.example/": { says: /0 created, 0 replaced, 41 unchanged/ },
  "vitrine load export/ --source objects --sync --max-delete 2% --report report.html": {
    says: /3 created/,
    makes: "report.html",
  },
  "vitrine load - --format jsonl --dry-run < records.jsonl": {
    says: /nothing was loaded, .*: 0 created, 1 replaced, 1 unchanged/,
  },
  "vitrine load export/ --to https://data.museum.example/ --token @token.txt --source objects --sync": {
    given: TOKEN,
    says: /3 created/,
    after: ["vitrine get object/1236", /Object 1236/],
  },
  "vitrine validate records.nq.gz": { says: /41 records: 41 valid, 0 invalid/ },
  'vitrine validate export/ --report report.html --severity "timespan.*=warning"': {
    says: /3 records: 3 valid/,
    makes: "report.html",
  },
  "vitrine mend export.jsonl --output mended.jsonl": {
    says: /1 mended \(1 change\), 2 valid, 0 invalid/,
    after: ["vitrine validate mended.jsonl", /2 valid, 0 invalid/],
  },
  "vitrine mend --list": { says: /^timestamp: /m },
  "vitrine delete place/paris": { says: /^1 deleted/m, after: ["vitrine explain place/paris || true", /was deleted/] },
  "vitrine delete place/parijs --moved-to place/paris": { says: /1 moved to <.*place\/paris>/ },
  "vitrine delete --file gone.txt": { says: /^2 deleted/m },
  "vitrine delete - < gone.txt": { says: /^2 deleted/m },
  "vitrine release object/1 object/2": { says: /2 records released/, after: ["vitrine get object/1", /Bought/] },
  "vitrine release --file ready.txt": { says: /1 record released/ },
  "vitrine release --source acquisitions": { says: /2 records released/ },
  "vitrine release --list": { says: /object\/1 .*"Bought"\n.*object\/2 .*"Given"|object\/1234 .*\n/ },
  "vitrine rebase http://localhost:3000/ https://data.museum.org/": {
    says: /1 record moved to/,
    after: ["vitrine get https://data.museum.org/place/here", /Loaded on a laptop/],
  },
  "vitrine move merged.csv": { says: /1 record moved/ },
  "vitrine move - < merged.csv": { says: /1 record moved/ },
  "vitrine follow https://data.museum.example/": {
    says: /1 record changed/,
    after: ["vitrine get person/vermeer", /Johannes Vermeer/],
  },
  "vitrine follow https://data.museum.example/activity/person --source museum --every 1h": {
    says: /1 record changed/,
    after: ["vitrine stats", /source museum +1\n/],
  },
  "vitrine serve --store /srv/vitrine/store --base-url https://data.museum.example/": { look: publishes },
  "vitrine serve --load records.nq.gz --port 8080": { look: publishes },
  "vitrine serve --workers 2 --host 0.0.0.0 --sparql-access off": { look: publishes },
  [FILL]: { says: /the query engine is ready: 208 triples/ },
  "vitrine engine check --repair --engine http://localhost:8890/sparql-auth": {
    given: FILL,
    says: /the engine equals the records/,
  },
  "vitrine dump": { says: /\d+ records in 13 files/ },
  "vitrine dump --dumps /var/dumps --dump-name mauritshuis": {
    says: /41 records in 13 files/,
    after: ["ls var/dumps/*", /mauritshuis-person-.*\.nq\.gz/],
  },
  "vitrine load --restore store/dumps/2026-11-22T045712Z --store other": {
    says: /41 records restored as of change 42/,
    after: ["vitrine diff place/paris --store other", PARIS],
  },
  "vitrine get place/delft --format ttl": { says: /<https:\/\/data.museum.example\/place\/delft> a crm:E53_Place/ },
  "vitrine get https://museum.example/object/1": { says: /"Of another base"/ },
  'vitrine find "rembrandt van rijn"': { says: /person\/rembrandt/ },
  "vitrine find SK-C-5 --endpoint object": { says: /object\/night-watch/ },
  "vitrine find SK-C-5 --endpoint object --json": { says: /^\[.*object\/night-watch/ },
  "vitrine find rijn --json": { says: /^\[.*person\/rembrandt/ },
  'vitrine query "SELECT (COUNT(*) AS ?triples) { ?s ?p ?o }"': { says: /^triples\n-+\n206\n/m },
  "vitrine query @question.rq --format csv": { says: /^label\r?\n(?:.+\r?\n){3}/ },
  "vitrine export --output records.nq.gz": { after: ["vitrine validate records.nq.gz", /^41 records/m] },
  "vitrine export --format jsonl --endpoint person --output people.jsonl": {
    after: ["cat people.jsonl", /^\{.*Rembrandt van Rijn.*\}\n$/],
  },
  "vitrine stats": { says: /^records +41\n/ },
  "vitrine stats --json": { says: /^\{"records":41,/ },
  "vitrine explain place/delft": { says: /place\/delft> is published: place, "Delft", valid/ },
  "vitrine explain place/delft part_of": { says: /part_of is \[.*place\/netherlands/ },
  "vitrine config": { says: /^store +store +default/m },
  "vitrine config                 # what is in force for serve, and where it comes from": {
    says: /^port +3000 +default/m,
  },
  "vitrine config load --json": { says: /^\{"file":null,"settings":\{.*"on-invalid"/ },
  "vitrine config load --json     # for another command, for machines": { says: /^\{"file":null,.*"on-invalid"/ },
  "vitrine config --schema": { says: /"\$schema"/ },
  [TOKEN]: { says: /^vitrine_/, after: ["vitrine token list", /^collection {2}may load, delete {2}source objects/] },
  "vitrine token list": { given: TOKEN, says: /^collection {2}may load, delete/ },
  "vitrine token revoke collection": { given: TOKEN, after: ["vitrine token list --json", /^\[\]$/m] },
  "vitrine usage": { says: /^2026-11: 1 request of people and programs, .*place +page +people +1\n.*Delft/s },
  "vitrine usage --month 2026-11 --json": { says: /^\[\{"month":"2026-11",.*"label":"Delft"/ },
  "vitrine check --store /srv/vitrine/store": { says: /41 records, no problems/ },
  "vitrine check --repair --store /srv/vitrine/store": { says: /41 records, no problems/ },
  "vitrine check --store DIR": { says: /41 records, no problems/ },
  "vitrine check --repair --store DIR": { says: /41 records, no problems/ },
  "vitrine backup /backup/vitrine-2026-11-22": { says: /41 records copied/, makes: "backup/vitrine-2026-11-22" },
  "vitrine restore /backup/vitrine-2026-11-22": {
    given: "vitrine backup /backup/vitrine-2026-11-22",
    says: /41 records restored .* what was there is in store\.before/,
  },
  "vitrine completion bash > ~/.local/share/bash-completion/completions/vitrine": {
    after: ["bash -n ~/.local/share/bash-completion/completions/vitrine && echo parsed", /^parsed/],
  },
  'vitrine completion zsh > "$HOME/.zfunc/_vitrine"': { makes: "home/.zfunc/_vitrine" },
  "vitrine completion fish > ~/.config/fish/completions/vitrine.fish": {
    makes: "home/.config/fish/completions/vitrine.fish",
  },
  "vitrine diff place/paris": { says: PARIS },
  "vitrine diff place/paris --between 2026-01-01 2026-06-30": { says: PARIS },
  "vitrine diff place/paris --between 17 42": { says: PARIS },
  "vitrine load records.nq.gz --store /var/lib/vitrine/store --base-url https://data.museum.example/": {
    says: /41 created/,
    makes: "var/lib/vitrine/store",
  },
  "vitrine serve --store /var/lib/vitrine/store --base-url https://data.museum.example/": { look: publishes },
  "vitrine backup /backup/vitrine-$(date +%F) --store /var/lib/vitrine/store": { makes: "backup/vitrine-2026-11-22" },
  "vitrine restore /backup/vitrine-2026-11-22 --store /tmp/tried && vitrine check --store /tmp/tried": {
    says: /41 records restored .*41 records, no problems/s,
  },
  "vitrine serve --engine http://localhost:8890/sparql-auth --engine-graph-store http://localhost:8890/sparql-graph-crud-auth \\\n  --engine-user dba --engine-password @/etc/vitrine/engine-password --base-url https://data.museum.example/":
    { look: answersQueries },
  "vitrine serve --engine http://localhost:8890/sparql --read-only-engine --engine-graphs records --base-url https://data.museum.example/":
    { look: answersQueries },
  "vitrine serve --dump-every 1d": { look: hasDumps },
  "vitrine load --restore store/dumps --store new": { says: /\d+ records restored as of change \d+/ },
  "vitrine follow https://data.museum.example/ --every 1h": { says: /1 record changed/ },
  'vitrine serve --title "Museum of Examples" --text "What it is." --license https://creativecommons.org/publicdomain/zero/1.0/ \\\n  --publisher "The Museum" --contact data@museum.example --language en --keyword paintings':
    { look: isDescribed },
  "vitrine load records.jsonl --keep-versions": { says: /0 created, 1 replaced, 1 unchanged/ },
  "vitrine load export/ --source objects --sync --hold source=objects": { says: /0 created, .*, 3 held/ },
  "vitrine release object/1234 object/1235": {
    says: /2 records released/,
    after: ["vitrine release --list --source objects", /object\/1236/],
  },
  "vitrine token new --name curators --may read": { says: /^vitrine_/ },
  'curl -H "Authorization: Bearer $TOKEN" https://data.museum.example/object/1234': { says: /"Object 1234"/ },
  'curl -H "Authorization: Bearer $TOKEN" https://data.museum.example/held': { says: /object\/1236/ },
  "vitrine token new --name collection --may load,delete --source objects --store /srv/vitrine/store": {
    says: /^vitrine_/,
  },
  "vitrine load export/ --to https://data.museum.example/ --token @token.txt --sync": { says: /3 created/ },
  'curl -T records.nq.gz -X POST -H "Authorization: Bearer $TOKEN" "https://data.museum.example/load?format=nq&source=objects&sync"':
    {
      // The scene's other records are of no such source.
      given: "vitrine load export/ --store feed && vitrine export --store feed --output records.nq.gz",
      says: /"unchanged":3,"deleted":0,.*"state":"published"/s,
    },
  "vitrine validate records.jsonl --targets targets.nt": {
    says: /2 records: 2 valid/,
    after: ["cat targets.nt", /<https:\/\/data.museum.example\/place\/delft> \.$/m],
  },
  "vitrine validate objects.jsonl --shapes our-shapes.ttl": {
    status: 1,
    says: /objects\.jsonl:2: invalid .* an object needs an inventory number/,
  },
};

/** Whether something is there, and not empty. */
export function holdsSomething(path: string): boolean {
  return (
    existsSync(path) && (statSync(path).isDirectory() ? existsSync(join(path, "records.mdb")) : statSync(path).size > 0)
  );
}
