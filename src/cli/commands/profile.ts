/** `vitrine profile`: the use of properties by endpoint, classes, languages and vocabularies in a collection, and references that lead nowhere. */
import { counted, grouped } from "../../base/counted.js";
import { escapeHtml, linkTo } from "../../base/html.js";
import { replaceFile } from "../../base/whole-file.js";
import { type Profile, ProfileCounter } from "../../harvest/profile.js";
import { ENDPOINT_NAMES, type EndpointName } from "../../model/tables/names.js";
import { openStore } from "../../store/open.js";
import type { CommandDefinition } from "../main/command.js";
import { titledTable } from "../main/text-table.js";
import { documentWriterOf } from "../settings/documents.js";
import { argument, UsageError } from "../settings/options.js";
import { ensureFolder } from "../settings/output-file.js";

/** References are checked only on the collection's own hosts, and on at most this many of them. */
const MAX_ORIGINS = 10;

export const profileCommand: CommandDefinition = {
  summary:
    "shows what the collection uses: properties by endpoint, classes, languages, vocabularies, references that lead nowhere",
  examples: ["profile", "profile --endpoint object", "profile --output profile.html"],
  options: [
    argument("endpoint NAME", "only records of this endpoint", { choices: ENDPOINT_NAMES }),
    argument("output FILE", "write to a file: .html for a page, .json for programs"),
  ],
  async run(options, { stdout, stderr, interrupted }) {
    const output = options.text("output");
    if (output !== undefined && !/\.(?:html|json)$/i.test(output))
      throw new UsageError(`--output ${output}: name a file that ends in .html or .json`);
    if (output !== undefined) ensureFolder(output);
    const endpoint = options.text("endpoint") as EndpointName | undefined;
    await using store = await openStore({ directory: options.required("store") });
    const writer = await documentWriterOf(options, store, false);
    const counter = new ProfileCounter((await store.origins(MAX_ORIGINS)).map(({ prefix }) => prefix));
    for await (const { graph, meta } of store.lists.records(endpoint)) {
      interrupted.throwIfAborted();
      counter.add(meta.endpoint ?? "none", writer.document(graph));
    }
    const profile = await counter.profile(
      async (iri) => (await store.find(iri)) !== undefined || (await store.describedIn(iri, 1)).length > 0,
    );
    if (output !== undefined) {
      const text = /\.html$/i.test(output) ? pageOf(profile) : `${JSON.stringify(profile)}\n`;
      await replaceFile(output, text);
      stderr.line(`the profile of ${counted(profile.records, "record")} is in ${output}`);
    } else stdout.write(options.isSet("json") ? `${JSON.stringify(profile)}\n` : tablesOf(profile));
  },
};

type Part = readonly [title: string, head: readonly string[], rows: readonly (readonly string[])[]];

function partsOf({ endpoints, classes, languages, vocabularies, dangling }: Profile): readonly Part[] {
  const properties = endpoints.map(({ name, records, properties }): Part => {
    const rows = properties.map(({ path, records: having, values, samples }) => {
      const percent = (100 * having) / records;
      const share = `${percent >= 10 ? Math.floor(percent) : percent.toFixed(1)} %`;
      return [path, grouped(having), share, grouped(values), samples.join(" | ")];
    });
    return [`${name}: ${counted(records, "record")}`, ["property", "records", "share", "values", "samples"], rows];
  });
  const nodes = classes.map(({ name, nodes }) => [name, grouped(nodes)]);
  const spoken = languages.map(({ iri, uses, label }) => [iri, grouped(uses), label ?? ""]);
  const used = vocabularies.map(({ iri, uses, terms, label }) => [iri, grouped(uses), grouped(terms), label ?? ""]);
  const lost = dangling.most.map(({ iri, uses, label, record }) => [iri, grouped(uses), label ?? "", record]);
  return [
    ...properties,
    ["classes", ["", "nodes"], nodes],
    ["languages", ["", "uses", "label"], spoken],
    ["vocabularies", ["", "uses", "terms", "such as"], used],
    [`references that lead nowhere: ${grouped(dangling.iris)}`, ["", "uses", "label", "from"], lost],
  ];
}

function tablesOf(profile: Profile): string {
  return partsOf(profile)
    .filter(([, , rows]) => rows.length > 0)
    .map(([title, head, rows]) => {
      const numbers = head.flatMap((name, at) =>
        ["records", "share", "values", "uses", "terms", "nodes"].includes(name) ? [at] : [],
      );
      return titledTable(title, [head, ...rows], numbers);
    })
    .join("\n");
}

const STYLE = `body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 80rem; padding: 1rem }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #8884; overflow-wrap: anywhere }
:root { color-scheme: light dark }`;

function pageOf(profile: Profile): string {
  const cell = (text: string): string => `<td>${/^https?:/.test(text) ? linkTo(text) : escapeHtml(text)}</td>`;
  const parts = partsOf(profile).map(([title, head, rows]) => {
    const names = head.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join("");
    const body = rows.map((row) => `<tr>${row.map(cell).join("")}</tr>\n`).join("");
    return `<section><h2>${escapeHtml(title)}</h2>\n<table><thead><tr>${names}</tr></thead>\n<tbody>${body}</tbody></table></section>\n`;
  });
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Profile of ${counted(profile.records, "record")}</title>\n<style>${STYLE}</style></head>\n<body><h1>Profile of ${counted(profile.records, "record")}</h1>\n${parts.join("")}</body></html>\n`;
}
