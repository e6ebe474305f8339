/** Why a search found its records: the words of it that stand in each of their columns. */
import type { Reason, SearchRank } from "../store/search.js";
import { COLUMN_NAMES, type TextColumn } from "./schema.js";
import { matchOf, rankedColumns, type SearchText } from "./search-text.js";
import type { Sqlite } from "./sqlite.js";

interface FoundPlace {
  readonly id: number;
  readonly rank: SearchRank | undefined;
}

/** The fields of whole names and numbers, and of IRIs, in the order of their kinds. */
const WHOLE = ["names", "numbers", "iri"] as const;

/** The reasons of each record, in its place. */
export function reasonsOf(sqlite: Sqlite, searched: SearchText, places: readonly FoundPlace[]): Reason[][] {
  const ids = JSON.stringify(places.map(({ id }) => id));
  const holders = new Map<string, ReadonlySet<number>>();
  const isIn = (id: number, column: TextColumn, word: string): boolean => {
    const match = matchOf({ ...searched, words: [word] }, [column], true, word === searched.words.at(-1));
    const known = holders.get(match);
    const rows = "SELECT rowid FROM word WHERE word MATCH ? AND rowid IN (SELECT value FROM json_each(?))";
    const held = known ?? new Set(sqlite.rows<[number]>(rows, match, ids).flat());
    if (known === undefined) holders.set(match, held);
    return held.has(id);
  };
  return places.map(({ id, rank }) => {
    const columns = rankedColumns(searched, rank);
    const found = COLUMN_NAMES.filter((column) => columns.includes(column)).flatMap((field): Reason[] => {
      const words = searched.words.filter((word) => isIn(id, field, word));
      return words.length === 0 ? [] : [{ field, words }];
    });
    return found.length > 0 ? found : [wholeReason(sqlite, searched, id)];
  });
}

/** A whole name or number, how one begins, or else the IRI. */
function wholeReason(sqlite: Sqlite, { form, among, text }: SearchText, id: number): Reason {
  const [names] = sqlite.row<[string | null]>("SELECT names FROM entity WHERE id = ?", id) ?? [];
  const kinds = (names ?? "").split("\n").filter((line) => line.startsWith(form, 1));
  const kind = among === "identifier" ? "1" : (kinds.sort()[0]?.[0] ?? "2");
  return { field: WHOLE[Number(kind)]!, words: [text] };
}
