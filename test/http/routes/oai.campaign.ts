/** OAI-PMH over a million records: the time of a part of a list, wherever the part is. */
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { packed } from "../../../src/base/json.js";
import { changeMark } from "../../../src/store/changes.js";
import { openStore } from "../../../src/store/open.js";
import { runApart, serve } from "../../cli/run.js";
import { timesOf } from "../../extent.js";
import { temporaryFolder } from "../../temporary-folder.js";

const RECORDS = timesOf(1_000_000, 20_000);
/** The number of parts requested at each place. */
const PARTS = 10;

it(`ListRecords gives parts from anywhere among ${RECORDS} records, and their times are printed`, async () => {
  const folder = temporaryFolder(onTestFinished);
  const [input, store] = [join(folder, "records.jsonl"), join(folder, "store")];
  const file = createWriteStream(input);
  for (let at = 0; at < RECORDS; at++) {
    const document = {
      "@context": "https://linked.art/ns/v1/linked-art.json",
      id: `object/${at}`,
      type: "HumanMadeObject",
      _label: `Object ${at}`,
      identified_by: [{ type: "Name", content: `Object ${at}` }],
    };
    if (!file.write(`${JSON.stringify(document)}\n`)) await once(file, "drain");
  }
  file.end();
  await once(file, "finish");
  const loading = ["load", input, "--store", store, "--on-invalid", "accept"];
  await runApart([...loading, "--base-url", "https://museum.example/"]);
  const service = await serve(["--store", store, "--sparql-access", "off"]);
  await using records = await openStore({ directory: store });
  const takes = async (after: number): Promise<number> => {
    let token = packed({ prefix: "oai_dc", after, mark: await changeMark(records, after), given: after });
    const before = process.cpuUsage();
    for (let part = 0; part < PARTS; part++) {
      const xml = await (await fetch(`${service.url}/oai?verb=ListRecords&resumptionToken=${token}`)).text();
      expect(xml.match(/<record>/g)).toHaveLength(100);
      token = /<resumptionToken[^>]*>([^<]+)</.exec(xml)![1]!;
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 / PARTS;
  };
  await takes(0);
  // After the last place there is one part more than is requested.
  const last = RECORDS - (PARTS + 1) * 100;
  const places = [0, 0.25, 0.5, 0.75, 1].map((share) => Math.floor(last * share));
  const times: number[] = [];
  for (const place of [...places, ...places]) times.push(await takes(place));
  const began = performance.now();
  const from = new Date().toISOString().slice(0, 10);
  const sought = await fetch(`${service.url}/oai?verb=ListIdentifiers&metadataPrefix=edm&from=${from}`);
  expect(await sought.text()).toContain("<header>");
  const [best, worst] = [Math.min(...times), Math.max(...times)];
  console.log(
    `a part of 100 of ${RECORDS} records: ${best.toFixed(1)} to ${worst.toFixed(1)} ms of processor time`,
    times.map((time) => time.toFixed(1)),
    `the first since ${from}: ${(performance.now() - began).toFixed(0)} ms`,
  );
  await service.stop();
});
