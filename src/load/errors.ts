/** The errors of inputs that cannot be read or grouped into records. Malformed text is a `SyntaxProblem`. */
import { grouped } from "../base/counted.js";
import { NamedError, RefusalError } from "../base/named-error.js";

/** An input is refused. The message is for the person who supplied the input, and names a remedy where there is one. */
export class InputError extends RefusalError {}

export class MissingInputError extends InputError {
  constructor(path: string) {
    const download = /^https?:\/\//.test(path)
      ? ": download it first; vitrine follow keeps a store equal to a service"
      : "";
    super(`${path}: no such file or directory${download}`);
  }
}

/** The format of an input cannot be told from its name. */
export class UnknownFormatError extends InputError {
  constructor(path: string, known: readonly string[]) {
    const table = /\.(?:[ct]sv|xlsx?|ods)(?:\.gz)?$/i.test(path);
    super(
      table
        ? `${path}: a table does not say what its columns mean: turn it into documents with a script (docs/publish/prepare.md has some)`
        : `${path}: unknown format: give --format, or a file that ends in one of ${extensions(known)}`,
    );
  }
}

export class EmptyDirectoryError extends InputError {
  constructor(path: string, known: readonly string[]) {
    super(`${path}: the directory has no file that ends in one of ${extensions(known)}`);
  }
}

function extensions(formats: readonly string[]): string {
  return `${formats.map((format) => `.${format}`).join(" ")} (also with .gz)`;
}

/** A gzip stream is damaged or truncated, or is not gzip. */
export class CorruptGzipError extends InputError {
  constructor(path: string, reason: string) {
    super(`${path}: the gzip data is damaged: ${reason}`);
  }
}

/** A named graph does not describe the entity that its name identifies. */
export class NotARecordError extends InputError {
  /** `graph` is an N-Triples term; `source` is the place where the graph begins, as `file:line`. */
  constructor(graph: string, source: string, reason: string) {
    super(
      `${source}: the named graph ${graph} is not a record: ${reason}. ` +
        "A record's graph is named by the entity that it describes; for a dataset in other graphs, " +
        "give --divide, which divides its triples among the entities that they describe",
    );
  }
}

/** The triples without a graph describe no record. */
export class NoRecordError extends InputError {
  /** `node` is the first node described, as an N-Triples term; `source` is its place, as `file:line`. */
  constructor(node: string, source: string) {
    const isXml = /\.xml(?:\.gz)?:\d+$/i.test(source);
    super(
      `${source}: none of the triples without a graph describes a record: no class of ${node}, or of any other IRI, ` +
        `belongs to an endpoint${isXml ? ". If this is LIDO or other XML, and not RDF/XML, see docs/publish/prepare.md" : ""}`,
    );
  }
}

/** There are too many triples without a graph to divide. */
export class TooManyTriplesError extends InputError {
  constructor(limit: number) {
    super(
      `more than ${grouped(limit)} triples without a graph, more than can be divided at once: ` +
        "put each record into the named graph of its entity (N-Quads, TriG), or load in parts",
    );
  }
}

/** A temporary file cannot be written: a failure of the machine, not of the input. */
export class TemporaryFileError extends NamedError {
  constructor(path: string, cause: NodeJS.ErrnoException) {
    const reason = cause.code === "ENOSPC" ? "no space is left on the device" : cause.message;
    super(`temporary file ${path}: ${reason}. Set TMPDIR to a directory with room for the uncompressed input`, {
      cause,
    });
  }
}

/** The load was interrupted, usually before anything was published. */
export class InterruptedError extends RefusalError {
  constructor(became = "nothing was loaded") {
    super(`interrupted: ${became}`);
  }
}
