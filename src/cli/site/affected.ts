/** The records whose files may differ since an earlier build: those that changed, and those whose pages show something of changed ones. */
import { nodeLabel } from "../../http/pages/caption.js";
import { descriptionOf } from "../../http/pages/description.js";
import { allReferring, type StoreWith } from "../../store/store.js";

/** The share of changed records above which all records count as affected. */
const MAX_SHARE = 0.2;

type SiteStore = StoreWith<"references" | "changes">;

/**
 * The IRIs of records whose files may differ since a change; `undefined` when any may.
 * A record's page shows parts of three kinds of other records: those that it names, the digital files of pictures that it names, and those
 * that refer to it, with their makers and pictures. So a change affects pages at most three references away.
 * @param images the IRIs of image files that changed; records that name these count as changed
 * @param formerly returns what a record named at the last build
 */
export async function affectedSince(
  store: SiteStore,
  sequence: number,
  images: ReadonlySet<string>,
  formerly: (iri: string) => readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const { records, sequence: now } = await store.stats();
  // Too much changed, or a record's IRI ends like the name of a file, perhaps another record's.
  if (now - sequence + images.size > records * MAX_SHARE || store.hasFileNames?.() === true) return undefined;
  const affected = new Set<string>();
  const isOf = async (kind: string, iri: string) => (await store.find(iri))?.meta.endpoint === kind;
  const referringToPictures = async (iris: readonly string[]) => {
    const found: string[] = [];
    for (const iri of iris) if (await isOf("visual", iri)) found.push(...(await referringTo(store, iri)));
    return found;
  };
  const changes = await store.changes.page({ after: sequence, limit: now - sequence });
  const changed = new Map(changes.map(({ iri, endpoint }) => [iri, endpoint]));
  for (const image of images)
    for (const iri of await referringTo(store, image)) changed.set(iri, (await store.find(iri))?.meta.endpoint ?? null);
  for (const [iri, endpoint] of changed) {
    const named = [...formerly(iri), ...(await namedBy(store, iri))];
    const naming = await referringTo(store, iri);
    // A digital file is shown by everything that names a picture which the file shows, or which names the file.
    if (endpoint === "digital") naming.push(...(await referringToPictures([...named, ...naming])));
    for (const each of naming) for (const shown of await namedBy(store, each)) affected.add(shown);
    // The EDM of an object describes people and groups, with the labels of what their records name without one.
    for (const each of [...naming])
      if (await takesLabel(store, each, iri)) for (const object of await referringTo(store, each)) naming.push(object);
    // It also describes what its picture names.
    for (const each of [iri, ...named, ...naming, ...(await referringToPictures(naming))]) affected.add(each);
  }
  // The entry of a Set in the page of another Set depends on whether its members have pictures.
  for (const iri of [...affected])
    if (await isOf("set", iri)) for (const each of await namedBy(store, iri)) affected.add(each);
  return affected;
}

/** All IRIs that a record names; none when there is no record. */
async function namedBy(store: SiteStore, iri: string): Promise<readonly string[]> {
  const record = await (await store.find(iri))?.record();
  return record?.graph.terms.flatMap(({ termType, value }) => (termType === "NamedNode" ? [value] : [])) ?? [];
}

/** Whether a record is of a person or group, and names an IRI without a label. */
async function takesLabel(store: SiteStore, iri: string, named: string): Promise<boolean> {
  const found = await store.find(iri);
  if (found?.meta.endpoint !== "person" && found?.meta.endpoint !== "group") return false;
  const description = descriptionOf((await found.record()).graph);
  const node = description.terms.findIndex(({ value }) => value === named);
  return node !== -1 && nodeLabel(description, node) === undefined;
}

async function referringTo(store: SiteStore, iri: string): Promise<string[]> {
  const referring: string[] = [];
  for await (const record of allReferring(store.references, iri)) referring.push(record);
  return referring;
}
