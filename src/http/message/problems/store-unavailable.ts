/** The store's failures, kept apart from all others: 503 and `Retry-After`, never a 404 that tells caches an entity is gone. */
import { NamedError } from "../../../base/named-error.js";

/** The store could not be read; `cause` is what it threw. */
export class StoreUnavailableError extends NamedError {
  constructor(cause: unknown) {
    super("the store could not be read", { cause });
  }
}

/** What the store answers. Throws `StoreUnavailableError` for whatever it throws. */
export async function fromStore<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw new StoreUnavailableError(cause);
  }
}

/** What the store answers, at once where it need not be waited for. Throws or rejects with `StoreUnavailableError`. */
export function atOnce<T>(read: () => T): T {
  try {
    const answer = read();
    return answer instanceof Promise ? (fromStore(() => answer) as T) : answer;
  } catch (cause) {
    throw new StoreUnavailableError(cause);
  }
}
