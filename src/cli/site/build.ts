/** The builder of a site. It requests all addresses from a service in this process, one after the other, and keeps the answers as files. */
import { readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { makeFolder } from "../../base/folders.js";
import { unescapeHtml } from "../../base/html.js";
import { packageFile } from "../../base/package-files.js";
import { dumpsIn } from "../../harvest/dumps/manifest.js";
import { pathOf } from "../../http/entity/addresses.js";
import { iriSpellings } from "../../http/entity/iri-equivalents.js";
import { Publication, type PublicationSettings } from "../../http/entity/publication.js";
import { type Answer, isWhole } from "../../http/message/answer.js";
import { tagOf } from "../../http/message/content.js";
import { informationAt } from "../../http/pages/image-files.js";
import { navigation } from "../../http/pages/site.js";
import type { RepresentationMaker } from "../../http/representations/representation.js";
import { REPRESENTATIONS } from "../../http/representations/representations.js";
import { informationContent } from "../../http/routes/entities/images.js";
import { ROUTES } from "../../http/routes/routes.js";
import { Handler, type HandlerOptions } from "../../http/server/handler.js";
import { changeMark } from "../../store/changes.js";
import type { StoreWith } from "../../store/store.js";
import { affectedSince } from "./affected.js";
import { HTML, hostFiles, TURTLE } from "./host-rules.js";
import { type Counts, copyTag, SiteFiles } from "./site-files.js";
import { MISSING_PAGE, siteRoutes } from "./site-routes.js";
import { INDEX_FOLDER, INDEX_NAME, indexOf, type Pagefind, SEARCH_PAGE, searchableRecord } from "./site-search.js";
import { DOCUMENTS, irisOf, recordsWithoutFiles, SITE_VERSION, StaticAddresses } from "./static-addresses.js";

interface SiteOptions {
  readonly folder: string;
  readonly store: StoreWith<"lists" | "references" | "changes">;
  readonly publication: PublicationSettings;
  readonly service: Pick<HandlerOptions, "images" | "dumps" | "dataset" | "directory" | "robots">;
  /** The library that makes the search; `undefined` for no search. */
  readonly pagefind: Pagefind | undefined;
  readonly signal: AbortSignal;
  /** Called for each record whose files are not at its own address, and for each address that gets no file. */
  onProblem(address: string, problem: string): void;
}

const FORMS = ["jsonld", "ttl", "nt", "schema", "manifest", "edm", "html", "linkset"] as const;
const MAKERS = Object.fromEntries(FORMS.map((name): [string, RepresentationMaker] => [name, REPRESENTATIONS[name]!]));

const SEARCH_SCRIPT = "assets/site-search.js";

/** Build a site, or what differs from the last build. Rejects with the signal's reason, and with errors of the file system. */
export async function buildSite(options: SiteOptions): Promise<Counts> {
  const { folder, store, publication, signal } = options;
  await makeFolder(folder);
  const bare = new Publication({ ...publication, withoutFiles: new Set() }, [], MAKERS);
  const withoutFiles = await recordsWithoutFiles(bare, irisOf(store, signal));
  const build = new SiteBuild(options, new Set(withoutFiles.keys()));
  for (const [iri, why] of withoutFiles) options.onProblem(iri, `is at ${build.addressOf(iri)}: ${why}`);
  return build.all();
}

/** A record with its address, and the place of its files without their suffixes. */
interface Placed {
  readonly iri: string;
  readonly url: string;
  readonly place: string;
}

class SiteBuild {
  readonly #handler: Handler;
  readonly #publication: Publication;
  readonly #addresses: StaticAddresses;
  readonly #files: SiteFiles;
  /** The suffixes of the files that every record has. */
  readonly #neededForms: readonly string[];
  /** The store's last change that all files of the last build include; `undefined` when it did not end, or the store has another change of this number. */
  #since: number | undefined;
  /** The records whose files may differ; `undefined` for all. */
  #affected: ReadonlySet<string> | undefined;

  constructor(
    private readonly options: SiteOptions,
    withoutFiles: ReadonlySet<string>,
  ) {
    const { store, service, folder, pagefind } = options;
    const publication = { ...options.publication, withoutFiles, cacheBytes: 0 };
    const { search: _search, ...unsearched } = store;
    const searchPath = pagefind && SEARCH_PAGE;
    this.#publication = new Publication(publication, navigation({ searchPath }), MAKERS);
    this.#handler = new Handler({
      ...service,
      store: unsearched,
      searchPath,
      publication,
      representationMakers: MAKERS,
      // The routes of a site come before those of a service, which it partly uses.
      routeMakers: [siteRoutes, ...ROUTES],
      requestTimeout: 0,
      idleTimeout: 0,
      report: () => {},
    });
    const { representations, site } = this.#publication;
    const needed = representations.flatMap(({ suffix, appliesTo }) => (appliesTo === undefined ? (suffix ?? []) : []));
    this.#neededForms = [...needed, "/index.html"];
    this.#addresses = new StaticAddresses(this.#publication, withoutFiles);
    // With other settings, or another version of the software, the same record may be written differently.
    const { model, contexts } = publication;
    const written = representations.map(({ suffix, version, dependsOn }) => [suffix, version, dependsOn?.settings]);
    const edition = [site.state, model, contexts, written, SITE_VERSION, [...withoutFiles].sort()];
    this.#files = new SiteFiles(folder, JSON.stringify(edition));
  }

  /** The static address of a record. */
  addressOf(iri: string): string {
    return this.#addresses.of(this.#publication.addresses.url(iri));
  }

  async all(): Promise<Counts> {
    const files = this.#files;
    const { store } = this.options;
    // Changes that are published during the build are left to the next build.
    const { sequence } = await store.stats();
    const mark = (await changeMark(store, sequence)) ?? "";
    const images = this.#imageTags();
    try {
      const { last } = files;
      // A store that was made anew or restored gives known numbers to other changes.
      if (last !== undefined && (await changeMark(store, last.sequence)) === last.mark) this.#since = last.sequence;
      this.#affected = await this.#affectedRecords(images);
      const changed = await this.#keepRecords();
      files.makeRoom(new Set(changed.map(({ place }) => place)));
      for (const record of changed) await this.#recordPage(record);
      const index = this.#index();
      // Its error is thrown where it is awaited.
      index.catch(() => {});
      for (const record of changed) await this.#forms(record);
      // The description makes the counts, for which the home page would not wait.
      await this.#documents();
      await this.#pages();
      for (const list of files.leads) {
        await this.#othersTurn();
        await this.#list(list);
      }
      await this.#stream();
      await this.#copies();
      for (const [file, content] of hostFiles(this.#publication)) files.write(file, { tag: "", content });
      await index;
    } finally {
      await this.options.pagefind?.close();
    }
    const { sequence: now } = await store.stats();
    const isSame = now === sequence && isDeepStrictEqual(this.#imageTags(), images);
    // The files of a record that changed meanwhile may no longer show what it named before, and pages may show an image that was replaced: the next build asks for all.
    files.end(sequence, isSame ? mark : "");
    return files.counts;
  }

  /** The affected records, including those that changed records named at the last build. */
  #affectedRecords(images: ReadonlyMap<string, string>): Promise<ReadonlySet<string> | undefined> | undefined {
    if (this.#since === undefined) return undefined;
    return affectedSince(this.options.store, this.#since, this.#changedImages(images), (iri) => {
      const place = this.#placeOf(iri);
      const triples = place === undefined ? undefined : this.#files.read(`${place}.nt`, place);
      return [...(triples ?? "").matchAll(/<([^>]*)>/g)].map(([, each]) => each!);
    });
  }

  /** The IRIs by which records may name the images that changed: also with encoded characters, and without `info.json` for those in tiles. */
  #changedImages(tags: ReadonlyMap<string, string>): ReadonlySet<string> {
    const { base } = this.#publication.addresses;
    const files = this.#files.differing("images", tags);
    const names = files.flatMap((file) => [file, file.replace(/info\.json$/, ""), file.replace(/\/info\.json$/, "")]);
    const escaped = names.map((name) => name.split("/").map(encodeURIComponent).join("/"));
    const iris = [...names, ...names.map(encodeURI), ...escaped].map((name) => `${base}/${name}`);
    return new Set(iris.flatMap(iriSpellings));
  }

  /** The images as they are now: each file of the site with the tag that its copy gets. */
  #imageTags(): ReadonlyMap<string, string> {
    const files = this.#filesIn("images", this.options.service.images);
    return new Map(Array.from(files, ([file, source]) => [file, copyTag(source)]));
  }

  /** Keep the files of records that did not change. Returns the other records. */
  async #keepRecords(): Promise<readonly Placed[]> {
    const affected = this.#affected && new Set([...this.#affected].map((iri) => this.#placeOf(iri)));
    const changed: Placed[] = [];
    for await (const iri of irisOf(this.options.store, this.options.signal)) {
      // A record that cannot have files at its own address has its place in `entity/`.
      const record = { iri, url: this.#publication.addresses.url(iri), place: this.#placeOf(iri)! };
      // The files at an affected place may be those of another record, which is gone.
      const mayDiffer = affected?.has(record.place) !== false;
      if (mayDiffer || !this.#files.keepAll(record.place, this.#neededForms)) changed.push(record);
    }
    return changed;
  }

  #placeOf(iri: string): string | undefined {
    return this.#addresses.placeOf(this.#publication.addresses.url(iri));
  }

  /** Write a record in each of its forms but the page. */
  async #forms({ url, place }: Placed): Promise<void> {
    await this.#othersTurn();
    for (const { suffix, appliesTo } of this.#publication.representations) {
      if (suffix === null || suffix === ".html") continue;
      await this.#kept(place + suffix, url + suffix, {}, { group: place, mayLack: appliesTo !== undefined });
    }
  }

  /** Let Pagefind take more records and send its answers, and let signals arrive. Rejects with the signal's reason. */
  async #othersTurn(): Promise<void> {
    this.options.signal.throwIfAborted();
    await turn();
  }

  /** Write the page of a record twice, and pass the record to the search: asked for `x`, some hosts give `x/index.html`, others `x.html`. */
  async #recordPage({ iri, url, place }: Placed): Promise<void> {
    await this.#othersTurn();
    const file = `${place}/index.html`;
    await this.#kept(file, `${url}.html`, { accept: HTML }, { group: place });
    const content = this.#files.read(file, place);
    if (content === undefined) return;
    const { pagefind, store } = this.options;
    const address = this.#addresses.staticPath(url);
    const sought = pagefind && (await searchableRecord(store, this.#publication.site, iri, address));
    this.#files.write(`${place}.html`, { tag: "", content, sought }, place);
  }

  /** The index of the search, unless there is one for the same records. Pagefind makes it while other files are written. */
  async #index(): Promise<void> {
    const { pagefind, signal } = this.options;
    if (pagefind === undefined) return;
    const files = this.#files;
    const keep = (): boolean => files.last !== undefined && files.keepAll(INDEX_FOLDER, [INDEX_NAME]);
    if (this.#affected?.size === 0 && keep()) return;
    const records = [...files.kept()].flatMap(({ sought }) => sought ?? []);
    // All together may be longer than a string can be.
    const tag = tagOf(records.map((record) => tagOf(JSON.stringify(record))).join());
    if (files.known(INDEX_FOLDER + INDEX_NAME, INDEX_FOLDER)?.tag === tag && keep()) return;
    for (const { path, content } of await indexOf(pagefind, records, signal)) {
      const about = { tag: path === INDEX_NAME ? tag : "", content: Buffer.from(content) };
      files.write(INDEX_FOLDER + path, about, INDEX_FOLDER);
    }
  }

  async #pages(): Promise<void> {
    const { endpoints } = await this.options.store.stats();
    await this.#page("/");
    for (const page of ["/openapi.html", MISSING_PAGE]) await this.#page(page, page.slice(1));
    await this.#page("/dumps/");
    for (const endpoint of Object.keys(endpoints)) if (endpoint !== "none") await this.#page(`/browse/${endpoint}`);
    if (this.options.pagefind === undefined) return;
    await this.#page(SEARCH_PAGE);
    await this.#files.copy(SEARCH_SCRIPT, fileURLToPath(packageFile(SEARCH_SCRIPT)));
  }

  /** Write a page of a list. A list of referring records is the same as long as the record that they refer to is not affected. */
  async #list(path: string): Promise<void> {
    const file = this.#addresses.fileOf(this.#publication.addresses.base + path);
    const known = this.#files.known(file);
    const uri = new URLSearchParams(path.slice(path.indexOf("?"))).get("uri");
    const isSame = uri === null ? this.#affected?.size === 0 : this.#affected?.has(uri) === false;
    if (isSame && known?.tag) this.#files.keep(file);
    else await this.#page(path);
  }

  async #page(path: string, file?: string): Promise<void> {
    const url = this.#publication.addresses.base + path;
    await this.#kept(file ?? this.#addresses.fileOf(url), url, { accept: HTML });
  }

  /** Write the change stream, also as an event stream. Full pages never change. */
  async #stream(): Promise<void> {
    const { base } = this.#publication.addresses;
    const keep = async (path: string): Promise<void> => {
      const file = this.#addresses.staticPath(base + path).slice(1);
      if (this.#since !== undefined && this.#files.known(file)?.isFinal === true) this.#files.keep(file);
      else await this.#kept(file, base + path, { accept: TURTLE });
    };
    for (const path of ["/activity", "/ldes"]) await keep(path);
    const { last } = JSON.parse(this.#files.read("activity.json")!) as { last: { id: string } };
    const pages = Number(/\d+(?=\D*$)/.exec(last.id));
    for (let page = 1; page <= pages; page++)
      for (const stream of ["activity", "ldes"]) await keep(`/${stream}/page/${page}`);
  }

  /** Write the files that are neither pages nor records. */
  async #documents(): Promise<void> {
    const { base } = this.#publication.addresses;
    for (const file of DOCUMENTS) await this.#kept(file, `${base}/${file}`);
    await this.#kept("context.jsonld", `${base}/context`);
    await this.#kept(".well-known/void", `${base}/.well-known/void`, { accept: TURTLE });
    for (const [, page] of this.#files.read("sitemap.xml")!.matchAll(/\/(sitemap\/\d+\.xml)</g))
      await this.#kept(page!, `${base}/${page}`);
  }

  async #copies(): Promise<void> {
    const { images, dumps } = this.options.service;
    const { theme } = this.#publication.site;
    await this.#copyFolder("images", images);
    await this.#copyFolder("assets/theme", theme.directory);
    if (dumps === undefined) return;
    for (const { folder } of await dumpsIn(dumps)) await this.#copyFolder(`dumps/${folder}`, join(dumps, folder));
  }

  async #copyFolder(name: string, source?: string): Promise<void> {
    for (const [file, from] of this.#filesIn(name, source))
      await this.#files.copy(file, from, await this.#information(file));
  }

  /** The description of a IIIF Image service as a service gives it, with its address, which was not known when the tiles were cut; `undefined` for any other file. */
  async #information(file: string): Promise<string | undefined> {
    if (!/^images\/.*\/info\.json$/.test(file)) return undefined;
    const { addresses } = this.#publication;
    const url = `${addresses.base}/${file.split("/").map(encodeURIComponent).join("/")}`;
    const information = await informationAt(this.options.service.images, { addresses }, url);
    return information && String(informationContent(information, url.replace(/\/info\.json$/, "")).body);
  }

  /** The files of a folder that a service would give, each with its source: not hidden ones, and also those that symbolic links lead to. @param above the folders that this one is in */
  *#filesIn(name: string, source?: string, above: readonly string[] = []): Iterable<[file: string, source: string]> {
    if (source === undefined) return;
    const folders = [...above, realpathSync(source)];
    for (const entry of readdirSync(source).filter((each) => !each.startsWith("."))) {
      this.options.signal.throwIfAborted();
      const [file, from] = [`${name}/${entry}`, join(source, entry)];
      const found = statSync(from, { throwIfNoEntry: false });
      if (found?.isFile()) yield [file, from];
      else if (found?.isDirectory() && !folders.includes(realpathSync(from))) yield* this.#filesIn(file, from, folders);
    }
  }

  /** Write the answer at an address as a file. @param mayLack whether there may be no answer */
  async #kept(file: string, url: string, headers: { accept?: string } = {}, { group = file, mayLack = false } = {}) {
    const tag = this.#files.known(file, group)?.tag;
    const answer = await this.#handler.ask(pathOf(url)!, { ...headers, ...(tag && { "if-none-match": tag }) });
    if (answer.status === 304) this.#files.keep(file, group);
    else if (answer.status === 200) await this.#write(file, answer, group);
    else if (!mayLack) this.options.onProblem(url, `has no file: ${answer.problem?.detail ?? answer.status}`);
  }

  async #write(file: string, { body, headers }: Answer, group: string): Promise<void> {
    const header = (name: string): string => (headers.includes(name) ? headers[headers.indexOf(name) + 1]! : "");
    const text = isWhole(body) ? body.toString() : await textOf(body);
    const isHtml = header("Content-Type").startsWith(HTML);
    const leads = isHtml ? this.#leadsIn(text) : [];
    // A record in a syntax for data says only what was loaded, whatever addresses that has.
    const isRecord = this.#publication.representations.some(({ suffix, holds }) => holds && group + suffix === file);
    const about = {
      tag: header("ETag"),
      ...(header("Cache-Control").includes("immutable") && { isFinal: true }),
      ...(leads.length > 0 && { leads }),
    };
    this.#files.write(file, { content: isRecord ? text : this.#addresses.rewritten(text, isHtml), ...about }, group);
  }

  /** The lists that a page leads to, as addresses from the service's root. */
  #leadsIn(page: string): readonly string[] {
    const { path } = this.#publication.site;
    const links = [...page.matchAll(/\bhref="([^"]*)"/g)].map(([, address]) => unescapeHtml(address!));
    const own = links.filter((link) => link.startsWith(`${path}/`)).map((link) => link.slice(path.length));
    return [...new Set(own.filter((link) => /^\/(?:referring|browse\/\w+)\?/.test(link)))];
  }
}
