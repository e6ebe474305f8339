/** What can be wrong with a store before anything is read from it or written to it. */

/** A store cannot be used as asked; nothing was changed. */
export class StoreError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** There is no store in the directory. */
export class StoreMissingError extends StoreError {
  constructor(readonly directory: string) {
    super(`there is no store in ${directory}: load records first, or name another with --store`);
  }
}

/** The store was written in another format. */
export class StoreFormatError extends StoreError {
  constructor(
    readonly directory: string,
    readonly found: unknown,
    readonly known: number,
  ) {
    super(
      typeof found === "number" && found > known
        ? `the store in ${directory} has format ${found}, and this version of Vitrine knows ${known}: use a newer version`
        : `the store in ${directory} has format ${String(found)}, which this version of Vitrine (format ${known}) cannot read: ` +
            "export it with the version that wrote it and load it anew",
    );
  }
}

/** Another process is loading into the store. */
export class StoreLockedError extends StoreError {
  constructor(
    readonly directory: string,
    readonly pid: number,
  ) {
    super(`process ${pid} is loading into the store in ${directory}: try again when it has ended`);
  }
}
