/** Errors: their base class, by which an error's name is that of its class, and what they say. */
export class NamedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** What the program was given is wrong, or cannot be done: it says so, and has not failed. */
export class RefusalError extends NamedError {}

/** The message of whatever was thrown. */
export function thrownMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
