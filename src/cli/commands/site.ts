/** `vitrine site`: writes the whole publication as files, for a host without a service. */
import { hash } from "node:crypto";
import { join } from "node:path";
import { counted, grouped } from "../../base/counted.js";
import { isWithin, realPath } from "../../base/folders.js";
import { lockFolder, openStore } from "../../store/open.js";
import type { CommandDefinition } from "../main/command.js";
import { ExitStatus } from "../main/exit-status.js";
import { baseUrlsOf, modelOf } from "../settings/common.js";
import { contextsOf } from "../settings/documents.js";
import { UsageError } from "../settings/options.js";
import { harvestingOf, imagesOf, siteOf } from "../settings/serve-options.js";
import { SITE_SETTINGS } from "../settings/table.js";
import { buildSite } from "../site/build.js";
import { pagefindIfThere } from "../site/site-search.js";

export const siteCommand: CommandDefinition = {
  operands: "FOLDER",
  summary: "writes the whole publication as files, for a host without a service",
  notes: [
    "Pages, JSON-LD, Turtle and the other forms of each record, lists, the change stream, the dumps that `vitrine dump` made, and rules for Apache, nginx,",
    "Netlify and w3id.org. Another run writes only what differs, and removes what is gone. FOLDER is the root of --base-url (docs/publish/site.md).",
  ],
  examples: ["site public", "site public --base-url https://museum.example/collection/"],
  options: SITE_SETTINGS,
  async run(options, { stdout, stderr, interrupted }) {
    const started = performance.now();
    const folder = options.positionals[0]!;
    const directory = options.required("store");
    await using store = await openStore({ directory });
    const { records, baseUrl: ownBase } = await store.stats();
    const [baseUrl = ownBase] = baseUrlsOf(options);
    if (baseUrl === null) throw new UsageError("the store has no base URL: give --base-url");
    const { edm, dumps, dataset, robots } = await harvestingOf(options);
    const site = siteOf(options);
    const [language = "en"] = site.languages ?? [];
    const images = imagesOf(options);
    // The store has files that must not be public. Of the others, a build would remove or copy what it has copied itself.
    for (const [what, source = ""] of Object.entries({ store: directory, images, theme: site.theme, dumps }))
      if (source !== "" && (isWithin(source, folder) || isWithin(folder, source)))
        throw new UsageError(`${folder} and the ${what} ${source} may not be in each other: name another for the site`);
    await using _lock = await lockSite(folder, directory);
    const pagefind = await pagefindIfThere();
    if (pagefind === undefined) stderr.line("vitrine: the site has no search; npm install pagefind gives it one");
    const under = await store.countUnder(baseUrl);
    if (under < records)
      stderr.line(
        `vitrine: ${grouped(under)} of ${counted(records, "record")} are under ${baseUrl}: the others are in entity/`,
      );
    let problems = 0;
    const counts = await buildSite({
      folder,
      store,
      publication: {
        model: modelOf(options),
        baseUrl,
        contexts: await contextsOf(options, store),
        edm,
        // A static host serves everybody the same files, so there is one language.
        site: { ...site, languages: [language] },
        ...(dataset.license && { license: dataset.license }),
        ...(images !== undefined && { images }),
      },
      pagefind,
      service: { images, dataset, directory, robots, dumps },
      signal: interrupted,
      onProblem: (address, problem) => {
        if (problems++ < 10) stderr.line(`vitrine: <${address}> ${problem}`);
      },
    });
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    if (options.isSet("json")) stdout.json({ ...counts, problems });
    stderr.line(
      `${counted(counts.written, "file")} written, ${grouped(counts.unchanged)} unchanged, ${grouped(counts.removed)} removed in ${folder} in ${seconds} s${problems > 0 ? `; ${counted(problems, "problem")}` : ""}`,
    );
    return problems === 0 ? ExitStatus.done : ExitStatus.someInvalid;
  },
};

/** Keep other builds from the folder of a site: two would replace each other's files. The lock is in the store, since web space may have no sockets; a store that can only be read has none. */
async function lockSite(folder: string, directory: string): Promise<AsyncDisposable | undefined> {
  const name = hash("sha256", realPath(folder)).slice(0, 20);
  return lockFolder(join(directory, "site", name), `is writing the site in ${folder}`).catch((error) => {
    if (!["EROFS", "EACCES", "EPERM"].includes(error.code)) throw error;
    return undefined;
  });
}
