/** Errors between this service and an engine. */
import { NamedError } from "../base/named-error.js";

/** An engine did not do what was asked of it; it is to be tried again, or the message says what to do. */
export class EngineError extends NamedError {}

/** The engine cannot be reached, or is not asked because it could not just now. */
export class EngineUnreachableError extends EngineError {
  constructor(
    message: string,
    /** Milliseconds after which to ask again, where that is known. */
    readonly retryAfter?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export class EngineTimeoutError extends EngineError {
  constructor(readonly timeout: number) {
    super(`the engine took longer than ${timeout / 1_000} seconds`);
  }
}

export class EngineAnswerError extends EngineError {}

/** A message to the engine had no effect, because another process or a late request came in between. Try it again. */
export class EngineDisturbedError extends EngineError {
  constructor(what: string) {
    super(`the engine did not do what it was asked (${what})`);
  }
}

/** The engine holds something that this store cannot know: it is left alone until somebody says so. */
export class EngineNotOursError extends EngineError {
  constructor(what: string) {
    super(`${what}: run vitrine engine fill to begin anew, which takes out what it holds of other stores`);
  }
}
