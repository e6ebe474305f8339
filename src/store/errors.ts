/** Errors of a store, or of what is put into it; nothing of the store was changed. */
import { counted, grouped } from "../base/counted.js";
import { RefusalError } from "../base/named-error.js";

/** A store cannot be used as asked. */
export class StoreError extends RefusalError {}

export class StoreMissingError extends StoreError {
  constructor(directory: string) {
    super(`there is no store in ${directory}: load records first, or name another with --store`);
  }
}

/** The store was written in another format. */
export class StoreFormatError extends StoreError {
  /** Whether opening it for writing brings it to the known format. */
  readonly isOlder: boolean;

  constructor(directory: string, found: unknown, known: number, older: number) {
    super(
      found === older
        ? `the store in ${directory} has format ${found}, of an older version: copy it, and \`vitrine check --repair\` brings it to format ${known}, as the next load does`
        : typeof found === "number" && found > known
          ? `the store in ${directory} has format ${found}, and this version of Vitrine knows ${known}: use a newer version`
          : `the store in ${directory} has format ${String(found)}, which this version of Vitrine (format ${known}) cannot read: ` +
            "export it with the version that wrote it and load it anew",
    );
    this.isOlder = found === older;
  }
}

/** Another file lies where that of the records should. */
export class StoreDamagedError extends StoreError {
  constructor(
    directory: string,
    readonly problem: string,
  ) {
    super(
      `the store in ${directory} cannot be opened: ${problem}; restore it from a backup, or remove it and load anew`,
    );
  }
}

const CHANGED_BY_DISK =
  "does not have the checksum that it was stored with: the disk has changed it; " +
  "see what else with vitrine check, then restore the store from a backup, or load anew into another folder";

/** Tables that are derived from the records cannot be built anew over damaged pages. */
export class StoreBeyondRepairError extends StoreError {
  /** @param rescued the file of what can be read, and how many records that is */
  constructor(directory: string, problem: string, rescued: { file: string; records: number } | undefined) {
    const [left, what] =
      rescued === undefined
        ? ["no record can be read", ""]
        : [`${counted(rescued.records, "record")} can be read and stand in ${rescued.file}`, "that file "];
    super(
      `the store in ${directory} cannot be repaired, for its pages are damaged (${problem}); ${left}: ` +
        `restore it from a backup, or load ${what}anew into another folder`,
    );
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

/** Something beside the records is not what was stored. */
export class EntryDamagedError extends StoreError {
  constructor(directory: string, table: string) {
    super(`an entry of the table "${table}" in ${directory} ${CHANGED_BY_DISK}`);
  }
}

/** A page of a table is not what was stored. */
export class TableDamagedError extends StoreError {
  constructor(directory: string, table: string) {
    super(
      `the keys of the table "${table}" in ${directory} do not come in their order: the disk has changed what leads to them; ` +
        "restore the store from a backup, or load anew into another folder",
    );
  }
}

/** A process of this number reads the store in another process namespace. */
export class StoreReadersError extends StoreError {
  constructor(directory: string, options?: ErrorOptions) {
    super(
      `the store in ${directory} is read by process ${process.pid} of another container, and readers are told apart by that number: run this in the ` +
        "same process namespace (docker exec, --pid=container:NAME)",
      options,
    );
  }
}

/** A cursor at which no page begins. */
export class InvalidCursorError extends StoreError {
  constructor(cursor: string) {
    super(
      `${JSON.stringify(cursor)} is not where a page begins: begin with the first, and follow what each names as next`,
    );
  }
}

/** Another process is loading into the store. */
export class StoreLockedError extends StoreError {
  constructor(
    directory: string,
    /** Who that is, in words. */
    readonly holder: string,
  ) {
    super(`${holder} is loading into the store in ${directory}: try again when it has ended`);
  }
}

/** The loader's lock was removed or taken over while the load ran. */
export class LockLostError extends StoreError {
  constructor(directory: string) {
    super(`the lock of the store in ${directory} is no longer this load's: nothing was published; load again`);
  }
}

export class StoreSpaceError extends StoreError {
  constructor(directory: string, options?: ErrorOptions) {
    super(`the disk of ${directory} is full: nothing was published; make room and load again`, options);
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
    super(iri, `takes ${takes} bytes in the store, and ${most} are allowed`);
  }
}
