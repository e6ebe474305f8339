/** What comes of the steps of the documentation, by how they begin. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { run } from "../cli/run.js";
import type { Look } from "./machine.js";
import { NPM_START, README, SAMPLE_URL, type Step } from "./pages.js";

export interface Row {
  /** What its results, or its words, say. */
  readonly says?: RegExp;
  /** Default 0. */
  readonly status?: number;
  /** A command that brings about what it supposes. */
  readonly given?: string;
  /** Files and folders that are there afterwards, and hold something. */
  readonly makes?: readonly string[];
  /** A command that tells what became of it, and what that says. */
  readonly after?: readonly [command: string, says: RegExp];
  /** Looks at what there is afterwards. */
  readonly finds?: () => void | Promise<void>;
  /** Looks at the service that it begins. */
  readonly look?: Look;
}

/** By how steps begin; the longest beginning counts. */
export type Rows = Readonly<Record<string, RegExp | Row>>;

/** Commands that are not run: how they begin, and why. */
export const NOT_RUN: readonly (readonly [beginning: string, reason: string])[] = [
  ["vitrine check-links", "asks sites of others: test/cli/profile.test.ts has one of its own"],
  ["vitrine purge ", "runs beside a cache until it is interrupted: test/cli/purge.test.ts"],
  ["npm ci && npm test", "that is these tests, and .ci/run"],
  ["npm run test:unit", "that is these tests"],
  ["npm run campaigns", "takes minutes: .ci/run runs the short form of all"],
  ["pyshacl ", "no dependency: test/validate holds the shapes against two other engines"],
  ["docker ", "needs Docker: test/deploy/image.process.test.ts holds what it would start against the program"],
];

const DELFT = "https://data.museum.example/place/delft";
const TOKEN = "vitrine token new --name collection --may load,delete --source objects";
const FILL =
  "vitrine engine fill --engine http://localhost:8890/sparql-auth --engine-user dba --engine-password @password";
const PARIS = /from change 17 .* to 42 .*\n {2}_label: "Paris" -> "Paris, France"/;
const CREATED = /^[1-9]\d* created, 0 replaced/m;
const ALL_VALID = /records: \d+ valid, 0 invalid/;

async function answer(url: string, accept: string): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(url, { headers: { accept } });
  return { status: response.status, text: await response.text() };
}

/** A service that answers a record under its own address. */
function publishes(iri: string, accept = "application/ld+json"): Look {
  return async (url) => {
    const { status, text } = await answer(`${url}${new URL(iri).pathname}`, accept);
    expect([status, text]).toEqual([200, expect.stringContaining(iri)]);
  };
}

/** A service that answers queries as well, once its engine is in step. */
const answersQueries: Look = async (url) => {
  await publishes(DELFT)(url);
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
  const given = "Museum of Examples,What it is.,publicdomain/zero,The Museum,data@museum,paintings".split(",");
  expect(given.filter((each) => !text.includes(each))).toEqual([]);
};

const SWORD = "https://clevelandart.org/art/1919.55";

const publishesSword: Look = async (url) => {
  const { text } = await answer(`${url}/entity?uri=${encodeURIComponent(SWORD)}`, "application/json");
  expect(JSON.parse(text)).toMatchObject({ id: SWORD, type: "HumanMadeObject" });
};

/** What a command of the program prints. */
async function printed(command: string): Promise<string> {
  const { status, stdout } = await run(command.split(" "));
  expect(status).toBe(0);
  return stdout;
}

/** What a command prints as JSON has this. */
async function tells(command: string, part: object): Promise<void> {
  expect(JSON.parse(await printed(command))).toMatchObject(part);
}

function summaryOf(report: string): { readonly records: number; readonly valid: number } {
  return (JSON.parse(readFileSync(report, "utf8")) as { summary: { records: number; valid: number } }).summary;
}

/** On the scene's records. */
export const ROWS: Rows = {
  "vitrine load records.nq.gz --base-url": /0 created, 0 replaced, 41 unchanged/,
  "vitrine load records.nq.gz --store": { says: /41 created/, makes: ["var/lib/vitrine/store"] },
  "vitrine load records.jsonl --keep versions": /0 created, 1 replaced, 1 unchanged/,
  "vitrine load export/ --source objects --sync --max-delete": { says: /3 created/, makes: ["report.html"] },
  "vitrine load export/ --source objects --sync --hold": /0 created, .*, 3 held/,
  "vitrine load - ": /nothing was loaded .*: 0 created, 1 replaced, 1 unchanged/,
  "vitrine load export/ --to https://data.museum.example/ --token @token.txt --sync": /3 created/,
  "vitrine load export/ --to https://data.museum.example/ --token @token.txt --source": {
    given: TOKEN,
    says: /3 created/,
    after: ["vitrine get object/1236", /Object 1236/],
  },
  [`curl ${SAMPLE_URL}/object/mona-lisa.manifest.json`]: /"type":"Manifest","label":\{"en":\["Mona Lisa"\]/,
  "cp assets/words/en.json": {
    after: ["cat words-it.json", /"language": "en"/],
    makes: ["words-it.json"],
  },
  [`curl ${SAMPLE_URL}/object/mona-lisa.edm.rdf`]: /<dc:title xml:lang="en">Mona Lisa</,
  [`curl -i -H "Accept: image/png" ${SAMPLE_URL}/place/delft`]: { status: 22, says: /406 Not Acceptable/ },
  [`curl -G ${SAMPLE_URL}/sparql -H "Accept: text/csv"`]: /^people\r?\n[1-9]/,
  [`curl -G ${SAMPLE_URL}/sparql --data-urlencode "query=DESCRIBE`]: /place\/delft> a crm:E53_Place/,
  [`curl "${SAMPLE_URL}/related`]: /girl-with-a-pearl-earring/,
  [`curl ${SAMPLE_URL}/health`]: /^\{/,
  [`curl ${SAMPLE_URL}/ready`]: /"index":\{"state":/,
  [`curl ${SAMPLE_URL}/metrics`]: /^vitrine_records\{endpoint="object"\} [1-9]/m,
  [`curl ${SAMPLE_URL}/ldes/page/1`]: /tree:member[\s\S]*\/activity\/change\/1>/,
  "vitrine site": { says: /files written, 0 unchanged/, makes: ["public/index.html", "public/.htaccess"] },
  [`curl "${SAMPLE_URL}/oai?verb=ListRecords`]: /<oai_dc:dc [\s\S]*<resumptionToken cursor="0">/,
  [`curl "${SAMPLE_URL}/oai?verb=ListIdentifiers`]: /<setSpec>kind.object<\/setSpec>/,
  'curl -T records.nq.gz -X POST -H "Authorization: Bearer $TOKEN"': {
    // The scene's other records are of no such source.
    given: "vitrine load export/ --store feed && vitrine export --store feed --output records.nq.gz",
    says: /"unchanged":3,"deleted":0,.*"state":"published"/s,
  },
  "vitrine validate records.nq.gz": /41 records: 41 valid, 0 invalid/,
  "vitrine validate export/": { says: /3 records: 3 valid/, makes: ["report.html"] },
  "vitrine validate records.jsonl --targets": {
    says: /2 records: 2 valid/,
    after: ["cat targets.nt", /<https:\/\/data.museum.example\/place\/delft> \.$/m],
  },
  "vitrine validate objects.jsonl": {
    status: 1,
    says: /objects\.jsonl:2: invalid .* an object needs an inventory number/,
  },
  "vitrine validate harbour.json": /1 record: 1 valid, 0 invalid/,
  "vitrine validate parts.ttl": /1 record: 1 valid, 0 invalid/,
  "vitrine mend --list": /^timestamp: /m,
  "vitrine mend export.jsonl": {
    says: /1 mended \(1 change\), 2 valid, 0 invalid/,
    after: ["vitrine validate mended.jsonl", /2 valid, 0 invalid/],
  },
  'echo \'{"@context": "https://linked.art/ns/v1/linked-art.json", "id": "place/paris"': {
    says: /1 held \(1 of them withdrawn from the public\)/,
    after: ["vitrine diff place/paris --between 17 42 2>&1 || true", /was not kept/],
  },
  "vitrine delete -": /^2 deleted/m,
  "vitrine delete place/paris": { says: /^1 deleted/m, after: ["vitrine explain place/paris || true", /was deleted/] },
  "vitrine delete place/parijs --moved-to": /1 moved to <.*place\/paris>/,
  "vitrine release object/1 object/2": { says: /2 records released/, after: ["vitrine get object/1", /Bought/] },
  "vitrine release object/1234 object/1235": {
    says: /2 records released/,
    after: ["vitrine release --list --source objects", /object\/1236/],
  },
  "vitrine serve --config site.yaml": { look: isDescribed },
  "vitrine release - < ready.txt": /1 record released/,
  "vitrine release --source": /2 records released/,
  "vitrine release --list": /object\/1 .*"Bought"\n.*object\/2 .*"Given"|object\/1234 .*\n/,
  "vitrine rebase": {
    says: /1 record moved to/,
    after: ["vitrine get https://data.museum.org/place/here", /Loaded on a laptop/],
  },
  "vitrine move": /1 record moved/,
  "vitrine follow": { says: /1 record changed/, after: ["vitrine get person/vermeer", /Johannes Vermeer/] },
  "vitrine follow https://data.museum.example/activity/person": {
    says: /1 record changed/,
    after: ["vitrine stats", /source museum +1\n/],
  },
  "vitrine serve": { look: publishes(DELFT) },
  "vitrine serve --engine": { look: answersQueries },
  [FILL]: /the query engine is ready: 208 triples/,
  "vitrine engine check": { given: FILL, says: /the engine equals the records/ },
  "vitrine profile": /^object: \d+ records$/m,
  "vitrine profile --output": { says: /the profile of 41 records is in profile\.html/, makes: ["profile.html"] },
  "vitrine dump": /\d+ records in 12 files/,
  "vitrine dump --dumps": {
    says: /41 records in 12 files/,
    after: ["ls var/dumps/*", /data\.museum\.example-person-.*\.nq\.gz/],
  },
  "vitrine get place/delft --format ttl": /<https:\/\/data.museum.example\/place\/delft> a crm:E53_Place/,
  "vitrine get https://museum.example/object/1": /"Of another base"/,
  'vitrine find "rembrandt van rijn"': /person\/rembrandt/,
  "vitrine find SK-C-5 --endpoint object --json": /^\[.*object\/night-watch/,
  "vitrine find --where under=": /place\/delft/,
  "vitrine find rijn --facets": /^endpoint +1 +person$/m,
  'vitrine find "night watch" --explain': /object\/night-watch +names: night watch$/m,
  'vitrine query "SELECT (COUNT(*) AS ?triples) { ?s ?p ?o }"': /^triples\n-+\n206\n/m,
  "vitrine query @question.rq --format csv": /^label\r?\n(?:.+\r?\n){3}/,
  "vitrine export --output": { after: ["vitrine validate records.nq.gz", /^41 records/m] },
  "vitrine export --format jsonl": { after: ["cat people.jsonl", /^\{.*Rembrandt van Rijn.*\}\n$/] },
  'vitrine export "night watch" --format csv': { after: ["cat found.csv", /^\uFEFF?Label,.*\r?\nThe Night Watch,/] },
  "vitrine stats": /^records +41\n/,
  "vitrine stats --json": /^\{"records":41,/,
  "vitrine explain place/delft": /place\/delft> is published: place, "Delft", valid/,
  "vitrine explain place/delft identified_by": /identified_by\/content is "Delft"/,
  "vitrine explain place/delft part_of": /part_of is \[.*place\/netherlands/,
  "vitrine config": /^port +3000 +default\n(?:.*\n)*store +store +default/m,
  "vitrine config load --json": /^\{"file":null,"settings":\{.*"on-invalid"/,
  "vitrine token new": /^vitrine_/,
  [TOKEN]: { says: /^vitrine_/, after: ["vitrine token list", /^collection {2}may load, delete {2}source objects/] },
  "vitrine token list": { given: TOKEN, says: /^collection {2}may load, delete/ },
  "vitrine token revoke": { given: TOKEN, after: ["vitrine token list --json", /^\[\]$/m] },
  'curl -H "Authorization: Bearer $TOKEN" https://data.museum.example/object/1234': /"Object 1234"/,
  'curl -H "Authorization: Bearer $TOKEN" https://data.museum.example/held': /object\/1236/,
  "vitrine check": /41 records, no problems/,
  "vitrine backup": { says: /41 records copied/, makes: ["var/backups/vitrine/2026-11-22"] },
  "vitrine restore": {
    given: "cp -r store var/backups/vitrine/2026-11-22",
    says: /41 records restored .* what was there is in .*store\.before/,
  },
  "vitrine restore /var/backups/vitrine/2026-11-22 --store /tmp/tried":
    /41 records restored .*41 records, no problems/s,
  "vitrine completion bash": {
    after: ["bash -n ~/.local/share/bash-completion/completions/vitrine && echo parsed", /^parsed/],
  },
  "vitrine completion zsh": { makes: ["home/.zfunc/_vitrine"] },
  "vitrine completion fish": { makes: ["home/.config/fish/completions/vitrine.fish"] },
  "vitrine diff last-year.nq.gz": {
    says: /^from last-year\.nq\.gz to .*store: 0 created, 0 replaced, 0 deleted, \d+ unchanged/m,
    given: "vitrine export --output last-year.nq.gz",
  },
  "vitrine diff": PARIS,
};

const LOAD_SAMPLE = "vitrine load data/records --base-url http://localhost:3001 --store demo";
const LOAD_MENDED = "vitrine load mended.jsonl --store museum --source objects";

/** Of pages that have data of their own, by page. */
export const ROWS_OF: Readonly<Record<string, Rows>> = {
  [README]: {
    [NPM_START]: /^http:\/\/localhost:\d+$/,
    [`curl ${SAMPLE_URL}/object`]: /"id": ?"http:\/\/localhost:\d+\/object\/girl/,
    'curl -H "Accept: text/turtle"': /^<http:\/\/localhost:\d+\/person\/johannes-vermeer> a/m,
    [`curl ${SAMPLE_URL}/place`]: /^<http:\/\/localhost:\d+\/place\/delft> </m,
    [`curl "${SAMPLE_URL}/entity`]: /"id": ?"http:\/\/localhost:\d+\/group\/mauritshuis"/,
    [`${LOAD_SAMPLE}/store`]: CREATED,
    [`${LOAD_SAMPLE}/store --json`]: { says: /"created":0,.*"refused":0,"invalid":0/, makes: ["demo/report.json"] },
    [`${LOAD_SAMPLE}/feeds`]: CREATED,
    [`${LOAD_SAMPLE}/feeds --source objects --sync --dry-run`]: /nothing was loaded .*: 0 created, 0 replaced/,
    "vitrine stats": /^records +\d+\n.*^invalid +0\n/ms,
    "echo ": /^1 created/m,
    "vitrine get": /<http:\/\/localhost:3001\/place\/mont-saint-michel> a crm:E53_Place/,
    "vitrine delete": /^1 deleted/m,
    "vitrine export --store demo/store --output": { makes: ["demo/records.nq.gz"] },
    "vitrine load demo/records.nq.gz": {
      says: CREATED,
      finds: async () =>
        expect(await printed("export --store demo/copy")).toBe(await printed("export --store demo/store")),
    },
    "vitrine validate": ALL_VALID,
    "vitrine validate data/records --base-url http://localhost:3001 --severity": {
      says: ALL_VALID,
      makes: ["demo/report.html"],
    },
    "vitrine serve": { look: publishes("http://localhost:3001/place/delft", "application/n-triples") },
    'vitrine query "PREFIX': /E22_Human-Made_Object +\d+/,
    "vitrine query @docs/publish/queries/people-by-place-of-birth.ttl": /Delft/,
    'vitrine query "DESCRIBE': /"Delft"/,
  },
  "use/http.md": {
    [`curl ${SAMPLE_URL}/person`]: /"_label": ?"Johannes Vermeer"/,
    'curl -H "Accept: text/turtle"': /^<http:\/\/localhost:\d+\/person\/johannes-vermeer> a/m,
    [`curl "${SAMPLE_URL}/entity`]: /"id": ?"http:\/\/localhost:\d+\/person\/johannes-vermeer"/,
    [`curl -sI ${SAMPLE_URL}/place`]: /^ETag: "/im,
    "curl -s -o": /^304\n$/,
    [`curl ${SAMPLE_URL}/object/girl-with-a-pearl-earring.linkset.json`]: /"linkset":\[\{"anchor":"/,
    [`curl ${SAMPLE_URL}/object/girl-with-a-pearl-earring.linkset.txt`]: /; rel="cite-as"; anchor="/,
  },
  "use/find.md": {
    [`curl "${SAMPLE_URL}/search/person`]: /person\/johannes-vermeer/,
    [`curl "${SAMPLE_URL}/search/all/facets`]: /"facet":"endpoint"/,
    [`curl "${SAMPLE_URL}/search/object/facets`]: /"facet":"carriedOutBy"/,
    "curl -o objects.csv": { after: ["cat objects.csv", /^\uFEFF?Label,Inventory number,Maker,.*\r?\n.*Rembrandt/] },
    'curl -H "Accept: application/x-ndjson"': /^\{.*"_label":"The Night Watch".*\}$/m,
    [`curl "${SAMPLE_URL}/search/person.csv`]: /^\uFEFF?Label,Birth date,Occupation,Address\r?\n/,
    [`curl -G ${SAMPLE_URL}/reconcile --data-urlencode 'queries={"a":{"query":"Vermeer`]: /"score":100,"match":true/,
    [`curl -G ${SAMPLE_URL}/reconcile --data-urlencode 'queries={"a":{"query":"Girl`]:
      /"score":9\d.*"properties","value":100/,
    [`curl -G ${SAMPLE_URL}/reconcile --data-urlencode 'extend`]: /45.5 cm \(height\).*Het melkmeisje/,
    [`curl "${SAMPLE_URL}/reconcile/suggest/entity`]: /"name":"Johannes Vermeer","description":"Person: /,
  },
  "use/harvest.md": {
    [`curl ${SAMPLE_URL}/activity`]: /"type": ?"OrderedCollection"/,
    [`curl "${SAMPLE_URL}/activity`]: /"type": ?"OrderedCollectionPage"/,
  },
  "publish/first-day.md": {
    "vitrine validate export.jsonl": {
      status: 1,
      makes: ["first.html"],
      finds: () => expect(summaryOf("first.json").valid).toBe(0),
    },
    "vitrine mend export.jsonl": { status: 1, makes: ["mended.html"] },
    "vitrine mend export.jsonl --output mended.jsonl --rules": {
      status: 1,
      makes: ["mended.html"],
      finds: () => {
        const { records, valid } = summaryOf("mended.json");
        expect(valid / records).toBeGreaterThanOrEqual(0.75);
      },
    },
    "vitrine validate mended.jsonl": { status: 1, makes: ["second.json"] },
    [`${LOAD_MENDED} --dry-run`]: { status: 1, says: /nothing was loaded/, makes: ["dry-run.html"] },
    [`${LOAD_MENDED} --severity`]: { status: 1, says: CREATED, makes: ["load.html"] },
    [`${LOAD_MENDED} --sync --dry-run`]: { status: 1, says: /nothing was loaded .*: 0 created/ },
    "vitrine load /dev/null": /nothing was loaded .*: 0 created, 0 replaced, 0 unchanged, 0 refused, [1-9]\d* deleted/,
    "vitrine backup": { says: /records copied/, makes: ["before"] },
    "vitrine restore": {
      says: /records restored .* what was there is in .*museum\.before/,
    },
    [`${LOAD_MENDED} --sync --max-delete`]: { status: 1, makes: ["night.json"] },
    "vitrine stats": {
      finds: () => tells("stats --store museum --json", { records: summaryOf("mended.json").valid, invalid: 0 }),
    },
    "vitrine serve": { look: publishesSword },
    "vitrine explain": /is published: object, "Cavalry Sword"/,
    [`vitrine explain ${SWORD} produced_by`]: /produced_by is /,
  },
  "publish/prepare.md": {
    "node docs/publish/prepare/tms.mjs": { makes: ["tms.jsonl"] },
    "node docs/publish/prepare/adlib.mjs": { makes: ["adlib.jsonl"] },
    "node docs/publish/prepare/museumplus.mjs": { makes: ["museumplus.nq"] },
    "vitrine validate": ALL_VALID,
    "vitrine load": CREATED,
    "vitrine get https://data.museum.example/object/1001": {
      finds: () =>
        tells("get https://data.museum.example/object/1001 --store museum", {
          _label: 'Still Life with a "Roemer"',
          produced_by: { carried_out_by: [{ id: "https://data.museum.example/person/7" }] },
          subject_to: [{ classified_as: [{ id: "https://creativecommons.org/publicdomain/mark/1.0/" }] }],
          representation: [
            { digitally_shown_by: [{ access_point: [{ id: "https://images.museum.example/1001.jpg" }] }] },
          ],
        }),
    },
    "vitrine get https://data.museum.example/object/mp-501": /object\/mp-501> a crm:/,
    "vitrine find": /object\//,
    "vitrine stats": {
      finds: () =>
        tells("stats --store museum --json", {
          records: 12,
          invalid: 0,
          endpoints: { object: 7, person: 3, group: 1, concept: 1 },
        }),
    },
    'vitrine query "PREFIX': /person\/7/,
    "vitrine query @docs/publish/queries/broken-references.ttl": /./,
    "vitrine query @docs/publish/queries/objects-without-image.ttl": /object\/1003/,
  },
  "use/clients.md": {
    [`curl -s ${SAMPLE_URL}/object`]: /"_label": ?"Girl with a Pearl Earring"|^[1-9]/,
    'curl -s -H "Accept: text/turtle"': /girl-with-a-pearl-earring> a crm:/,
    "curl -s -o vermeer.json": { makes: ["vermeer.json", "vermeer.etag"] },
    [`curl -s -G "${SAMPLE_URL}/search`]: /girl-with-a-pearl-earring/,
    [`curl -s "${SAMPLE_URL}/related`]: /girl-with-a-pearl-earring/,
    [`curl -s -G "${SAMPLE_URL}/sparql`]: /^people\r?\n[1-9]/,
  },
};

/** The longest beginning of a text that rows have. */
export function beginningOf(rows: Rows, text: string): string | undefined {
  const beginnings = Object.keys(rows).filter((each) => text.startsWith(each));
  return beginnings.toSorted((a, b) => b.length - a.length)[0];
}

/** What comes of a step; `undefined` where neither a row nor the page says. */
export function rowOf({ page, text, prints }: Step): Row | undefined {
  for (const rows of [ROWS_OF[page] ?? {}, ROWS]) {
    const row = rows[beginningOf(rows, text) ?? ""];
    if (row !== undefined) return row instanceof RegExp ? { says: row } : row;
  }
  return prints === "" ? undefined : {};
}
