/** The errors of inputs that cannot be read or grouped into records. Malformed text is a `SyntaxProblem`. */
import { NamedError, RefusalError } from "../base/named-error.js";

/** An input is refused. The message is for the person who supplied the input, and names a remedy where there is one. */
export class InputError extends RefusalError {}

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

/** The load was interrupted, usually before anything was published. */
export class InterruptedError extends RefusalError {
  constructor(became = "nothing was loaded") {
    super(`interrupted: ${became}`);
  }
}

/** A service did not say what became of a load, which may have been published. */
export class UnknownOutcomeError extends NamedError {
  constructor(what: string) {
    super(`${what} before the outcome was known: run the same command again`);
  }
}
