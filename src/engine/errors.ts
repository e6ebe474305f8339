/** Errors between this service and an engine. */
import { RefusalError } from "../base/named-error.js";

/** An engine did not do what was asked of it; it is to be tried again, or the message says what to do. */
export class EngineError extends RefusalError {}

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
