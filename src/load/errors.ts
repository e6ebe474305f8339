/** The errors of inputs that cannot be read or grouped into records; malformed text is a `SyntaxProblem`. */

/** An input is refused. The message is for the person who gave it, and says what to do where that helps. */
export class InputError extends Error {
  override readonly name: string = "InputError";
}

/** There is no file or directory of this name. */
export class MissingInputError extends InputError {
  override readonly name = "MissingInputError";

  constructor(readonly path: string) {
    super(`${path}: no such file or directory`);
  }
}

/** A file or directory is there, but cannot be read. */
export class UnreadableInputError extends InputError {
  override readonly name = "UnreadableInputError";

  /** `reason` in words, for example `permission denied`. */
  constructor(
    readonly path: string,
    reason: string,
  ) {
    super(`${path}: cannot be read: ${reason}`);
  }
}

/** An input's name does not tell its format. */
export class UnknownFormatError extends InputError {
  override readonly name = "UnknownFormatError";

  constructor(
    readonly path: string,
    known: readonly string[],
  ) {
    const extensions = known.map((format) => `.${format}`).join(" ");
    super(`${path}: unknown format: give --format, or a file that ends in one of ${extensions} (also with .gz)`);
  }
}

/** A directory has no file of a known format. */
export class EmptyDirectoryError extends InputError {
  override readonly name = "EmptyDirectoryError";

  constructor(
    readonly path: string,
    known: readonly string[],
  ) {
    const extensions = known.map((format) => `.${format}`).join(" ");
    super(`${path}: the directory has no file that ends in one of ${extensions} (also with .gz)`);
  }
}

/** A gzip stream is damaged, cut off, or none at all. */
export class CorruptGzipError extends InputError {
  override readonly name = "CorruptGzipError";

  constructor(
    readonly path: string,
    reason: string,
  ) {
    super(`${path}: the gzip data is damaged: ${reason}`);
  }
}

/** A record's triples are more than one record may hold. */
export class RecordTooLargeError extends InputError {
  override readonly name = "RecordTooLargeError";

  constructor(
    readonly iri: string,
    /** Where the record begins, as `file:line`. */
    readonly source: string,
    limit: number,
  ) {
    super(
      `${source}: the record <${iri}> is larger than ${limit / 1024 / 1024} MiB as N-Triples. If it is a whole dataset ` +
        "in one graph, give --divide, which divides its triples among the entities that they describe",
    );
  }
}

/** A named graph is not the description of the entity that its name says. */
export class NotARecordError extends InputError {
  override readonly name = "NotARecordError";

  constructor(
    /** The graph's name as an N-Triples term. */
    readonly graph: string,
    /** Where the graph begins, as `file:line`. */
    readonly source: string,
    reason: string,
  ) {
    super(
      `${source}: the named graph ${graph} is no record: ${reason}. ` +
        "A record's graph is named by the entity that it describes; for a dataset in other graphs, " +
        "give --divide, which divides its triples among the entities that they describe",
    );
  }
}

/** Triples without a graph describe no record. */
export class NoRecordError extends InputError {
  override readonly name = "NoRecordError";

  constructor(
    /** The first node described, as an N-Triples term. */
    readonly node: string,
    /** Where it is described, as `file:line`. */
    readonly source: string,
  ) {
    super(
      `${source}: none of the triples without a graph describes a record: no class of ${node}, or of any other IRI, ` +
        "belongs to an endpoint",
    );
  }
}

/** There are more triples without a graph than can be divided. */
export class TooManyTriplesError extends InputError {
  override readonly name = "TooManyTriplesError";

  constructor(limit: number) {
    super(
      `more than ${limit.toLocaleString("en")} triples without a graph, more than can be divided at once: ` +
        "put each record into the named graph of its entity (N-Quads, TriG), or load in parts",
    );
  }
}

/** A temporary file cannot be written: no failure of the input, but of the machine. */
export class TemporaryFileError extends Error {
  override readonly name = "TemporaryFileError";

  constructor(
    readonly path: string,
    cause: NodeJS.ErrnoException,
  ) {
    const reason = cause.code === "ENOSPC" ? "no space is left on the device" : cause.message;
    super(`temporary file ${path}: ${reason}. Set TMPDIR to a directory with room for the uncompressed input`, {
      cause,
    });
  }
}
