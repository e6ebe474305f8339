/** A service that describes its collection as a dataset, with everything that settings and records can state about it. */
import { writeDump } from "../../../src/harvest/dumps/write.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { graphOf } from "../../jsonld/documents.js";
import { timeSpan } from "../../jsonld/parts.js";
import { BASE, publish, type Service, startService } from "../service.js";

export const LICENSE = "https://creativecommons.org/publicdomain/zero/1.0/";

/** Start the service, and write dumps into a folder. */
export async function startDescribed(dumps: string): Promise<Service> {
  const service = await startService({
    dumps,
    license: LICENSE,
    site: { title: "Museum of Examples", text: "Records of paintings. They are few. They are examples." },
    dataset: {
      license: LICENSE,
      publisher: "The Museum",
      contact: "data@museum.example",
      language: "en",
      keywords: ["paintings"],
    },
  });
  await publish(service.store, [
    graphOf({
      id: `${BASE}/object/2`,
      type: "HumanMadeObject",
      _label: "Made in parts",
      produced_by: {
        type: "Production",
        part: [
          {
            type: "Production",
            timespan: timeSpan("1888", "1889"),
            took_place_at: [{ id: `${BASE}/place/arles`, type: "Place", _label: "Arles" }],
          },
        ],
      },
      // A later event without a place does not extend the time that the records cover.
      destroyed_by: { type: "Destruction", timespan: timeSpan("1945", "9999") },
    }),
  ]);
  await writeDump(service.store, {
    directory: dumps,
    name: "museum",
    formats: ["nq", "nt", "jsonl"],
    model: DEFAULT_MODEL,
    contexts: [],
    made: new Date(),
    signal: new AbortController().signal,
    onLeftOut: () => {},
  });
  return service;
}
