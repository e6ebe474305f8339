/** The base class of errors; it sets an error's `name` to the name of its class. */
export class NamedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The program was given something wrong or impossible. It reports that to the user; it is not a fault of the program. */
export class RefusalError extends NamedError {}

/** The message of a thrown value, which need not be an `Error`. */
export function thrownMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
