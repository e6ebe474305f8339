/** Errors of a store or of its input. When one is thrown, the store is unchanged. */
import { grouped } from "../base/counted.js";
import { RefusalError } from "../base/named-error.js";

/** The store cannot do what was requested. */
export class StoreError extends RefusalError {}

export class StoreMissingError extends StoreError {
  constructor(directory: string) {
    super(`there is no store in ${directory}: load records first, or name another folder`);
  }
}

export class StoreFormatError extends StoreError {
  /** Whether opening it for writing upgrades it to the known format. */
  readonly isOlder: boolean;

  constructor(directory: string, found: unknown, known: number, older: number) {
    super(
      found === older
        ? `the store in ${directory} has format ${found}, of an older version: back it up with that version; \`vitrine check --repair\` or the next load brings it to format ${known}`
        : typeof found === "number" && found > known
          ? `the store in ${directory} has format ${found}, and this version of Vitrine knows ${known}: use a newer version`
          : `the store in ${directory} has format ${String(found)}, which this version of Vitrine (format ${known}) cannot read: ` +
            "export it with the version that wrote it, and load the export again",
    );
    this.isOlder = found === older;
  }
}

/** The file of the records is not the file of a store. */
export class StoreDamagedError extends StoreError {
  constructor(
    directory: string,
    readonly problem: string,
  ) {
    super(
      `the store in ${directory} cannot be opened: ${problem}; restore it from a backup, or remove it and load again`,
    );
  }
}

const AFTER_DAMAGE =
  "look for further damage with vitrine check, then restore the store from a backup, or load again into another folder";

const CHANGED_BY_DISK = `does not have the checksum that it was stored with: the disk changed it; ${AFTER_DAMAGE}`;

/** Matches LMDB's errors about pages that the disk changed, and about the transactions that met one. */
const OF_PAGES = /^MDB_(?:PAGE_NOTFOUND|CORRUPTED|BAD_TXN|CURSOR_FULL|INCOMPATIBLE)/;

/** What to say of LMDB's error about a page that the disk changed; `undefined` for any other error. */
export function pageProblem(error: unknown): string | undefined {
  const isOfPage = error instanceof Error && OF_PAGES.test(error.message);
  return isOfPage ? `the disk changed pages of the store (${error.message}): ${AFTER_DAMAGE}` : undefined;
}

/** What `read` gives; `undefined` for a damaged record. */
export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RecordDamagedError) return undefined;
    throw error;
  }
}

export class RecordDamagedError extends StoreError {
  constructor(
    directory: string,
    readonly iri: string,
  ) {
    super(`the record <${iri}> in ${directory} ${CHANGED_BY_DISK}`);
  }
}

/** An entry of a table other than the records is not what was stored. */
export class EntryDamagedError extends StoreError {
  constructor(directory: string, table: string) {
    super(`an entry of the table "${table}" in ${directory} ${CHANGED_BY_DISK}`);
  }
}

export class TableDamagedError extends StoreError {
  constructor(directory: string, table: string) {
    super(
      `the keys of the table "${table}" in ${directory} are out of order: the disk changed the pages that lead to them; ` +
        "restore the store from a backup, or load again into another folder",
    );
  }
}

/** A process with the same id reads the store from another process namespace. */
export class StoreReadersError extends StoreError {
  constructor(directory: string, options?: ErrorOptions) {
    super(
      `the store in ${directory} is read by process ${process.pid} of another container, and readers must have different process ids: run this in the ` +
        "same process namespace (docker exec, --pid=container:NAME)",
      options,
    );
  }
}

export class InvalidCursorError extends StoreError {
  constructor(cursor: string) {
    super(
      `${JSON.stringify(cursor)} is not where a page begins: begin with the first page, and follow the next that each page names`,
    );
  }
}

export class StoreLockedError extends StoreError {
  constructor(
    /** The process that has the lock, as a phrase for messages. */
    readonly holder: string,
    doing: string,
  ) {
    super(`${holder} ${doing}: try again when it has ended`);
  }
}

export class StoreSpaceError extends StoreError {
  constructor(directory: string, options?: ErrorOptions) {
    super(
      `the disk of ${directory} is full (32 MiB are kept free): nothing was published; make room and try again`,
      options,
    );
  }
}

export class UnstorableRecordError extends StoreError {
  constructor(
    readonly iri: string,
    readonly problem: string,
  ) {
    super(`the record ${iri} ${problem}`);
  }
}

export class RecordTooLargeError extends UnstorableRecordError {
  constructor(iri: string, bytes: number, maxBytes: number) {
    const [takes, most] = [bytes, maxBytes].map(grouped);
    super(iri, `takes ${takes} bytes in the store; the limit is ${most}`);
  }
}
