/** `vitrine get`: writes one representation of a record. */

import { Addresses } from "../http/entity/addresses.js";
import { REPRESENTATION_FORMATS, representations } from "../http/entity/representations.js";
import { readerRepresentations } from "../http/pages/representations.js";
import { DEFAULT_SITE, navigation, Site } from "../http/pages/site.js";
import { documentSettings } from "../jsonld/document-settings.js";
import { DocumentWriter } from "../jsonld/documents.js";
import { openStore } from "../store/open.js";
import type { Command } from "./command.js";
import { baseUrlsOf, givenContexts, iriArgument, modelOf } from "./common.js";
import { ExitStatus } from "./exit-status.js";
import { UsageError } from "./options.js";

export const getCommand: Command = {
  name: "get",
  operands: "IRI",
  summary: "writes one representation of a record",
  notes: ["A relative IRI is resolved against --base-url, or the base URL that the store was loaded with."],
  examples: ["get place/delft --format ttl", "get https://museum.example/object/1"],
  options: [
    { name: "format", value: "NAME", choices: REPRESENTATION_FORMATS, default: "jsonld", help: "which representation" },
  ],
  async run(options, { stdout, stderr }) {
    const [given, ...rest] = options.positionals;
    if (given === undefined || rest.length > 0) throw new UsageError("get takes the IRI of one record");
    const store = await openStore({ directory: options.required("store") });
    try {
      const iri = await iriArgument(given, options, store);
      const record = await (await store.find(iri))?.record();
      if (record === undefined) {
        stderr.write(`vitrine: the store has no record <${iri}>\n`);
        return ExitStatus.refused;
      }
      const contexts = [...(await store.contexts()), ...(await givenContexts(options))];
      const model = modelOf(options);
      const documents = new DocumentWriter(documentSettings(model, contexts));
      const format = options.required("format");
      const [baseUrl = (await store.stats()).baseUrl ?? "http://localhost:3000/"] = baseUrlsOf(options);
      const addresses = new Addresses(baseUrl);
      const data = representations(model, documents);
      const site = new Site(addresses.base, DEFAULT_SITE, navigation({}));
      const all = [...data, ...readerRepresentations(model, site, data)];
      const representation = all.find((candidate) => candidate.format === format)!;
      const written = await representation.write(record, { store, addresses, languages: [] });
      stdout.write(typeof written === "string" ? written : written.body);
      return ExitStatus.done;
    } finally {
      await store.close();
    }
  },
};
