/** The error for a graph that a format cannot express. */
import { RefusalError } from "../base/named-error.js";

/** Thrown by the writer of a format. At a record, the next form that the client accepts is sent, or 406 with this reason. */
export class InexpressibleError extends RefusalError {
  /** @param format the format's name for people @param problem why, without the record */
  constructor(
    readonly format: string,
    readonly iri: string,
    readonly problem: string,
  ) {
    super(`the record <${iri}> cannot be written as ${format}: ${problem}`);
  }
}
