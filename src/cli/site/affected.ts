/** The records whose files may differ since an earlier build: those that changed, and those whose pages show something of them. */
import type { Change } from "../../store/changes.js";
import { allReferring, type StoreWith } from "../../store/store.js";

const READ = 1_000;

/** Where more of the records changed than this share, all are looked at. */
const MAX_SHARE = 0.2;

type SiteStore = StoreWith<"references" | "changes">;

/**
 * The IRIs of records whose files may differ since a change; `undefined` where that may be any.
 * A page shows of others: the records that it names; the files that show the pictures that it names; the records that refer to it, with
 * their makers and pictures. So what a change may show in lies three references away at most.
 * @param formerly what the last build's version of a record named
 */
export async function affectedSince(
  store: SiteStore,
  sequence: number,
  formerly: (iri: string) => readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const { records, sequence: now } = await store.stats();
  // A store that was restored, or of which addresses may be others'.
  if (sequence > now || now - sequence > records * MAX_SHARE || store.hasFileNames?.() === true) return undefined;
  const affected = new Set<string>();
  for (const { iri, endpoint } of await changedSince(store, sequence)) {
    const named = [...formerly(iri), ...(await namedBy(store, iri))];
    const naming = await referringTo(store, iri);
    for (const each of [iri, ...named, ...naming]) affected.add(each);
    // A file is shown by whatever names the picture that it shows.
    const showing: string[] = [];
    for (const each of endpoint === "digital" ? named : [])
      if ((await store.find(each))?.meta.endpoint === "visual") showing.push(...(await referringTo(store, each)));
    for (const each of [...naming, ...showing]) {
      affected.add(each);
      for (const shown of await namedBy(store, each)) affected.add(shown);
    }
  }
  // A Set within a Set is named there by whether its members have pictures.
  for (const iri of [...affected]) {
    const found = await store.find(iri);
    if (found?.meta.endpoint === "set") for (const each of await namedBy(store, iri)) affected.add(each);
  }
  return affected;
}

async function changedSince(store: SiteStore, sequence: number): Promise<readonly Change[]> {
  const changed = new Map<string, Change>();
  for (let after = sequence; ; ) {
    const changes = await store.changes.page({ after, limit: READ });
    for (const change of changes) changed.set(change.iri, change);
    if (changes.length < READ) return [...changed.values()];
    after = changes.at(-1)!.sequence;
  }
}

/** Everything that a record names; nothing where there is none. */
async function namedBy(store: SiteStore, iri: string): Promise<readonly string[]> {
  const record = await (await store.find(iri))?.record();
  return record?.graph.terms.flatMap(({ termType, value }) => (termType === "NamedNode" ? [value] : [])) ?? [];
}

async function referringTo(store: SiteStore, iri: string): Promise<readonly string[]> {
  const referring: string[] = [];
  for await (const record of allReferring(store.references, iri)) referring.push(record);
  return referring;
}
