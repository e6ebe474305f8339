/** The store's failures, kept apart from all others: 503 and `Retry-After`, never a 404 that tells caches an entity is gone. */
import { NamedError } from "../../../base/named-error.js";
import { InvalidCursorError } from "../../../store/errors.js";
import { malformed } from "./problems.js";

/** The store could not be read; `cause` is what it threw. */
export class StoreUnavailableError extends NamedError {
  constructor(cause: unknown) {
    super("the store could not be read", { cause });
  }
}

/** The store's answer. Throws `StoreUnavailableError` for whatever it throws. */
export async function fromStore<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw new StoreUnavailableError(cause);
  }
}

/** A reading of the store for a page; a cursor that leads nowhere is the client's fault. Throws `ProblemError` for that. */
export async function readPage<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await fromStore(read);
  } catch (error) {
    if (!((error as Error).cause instanceof InvalidCursorError)) throw error;
    throw malformed("The list has no place where `after`, `before` or `from` points. Begin anew without them.");
  }
}

/** The store's answer, at once where it need not be waited for. Throws or rejects with `StoreUnavailableError`. */
export function atOnce<T>(read: () => T): T {
  try {
    const answer = read();
    return answer instanceof Promise ? (fromStore(() => answer) as T) : answer;
  } catch (cause) {
    throw new StoreUnavailableError(cause);
  }
}
