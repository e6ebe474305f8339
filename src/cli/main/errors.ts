/** The errors of the command line that more than one room knows. */
import { NamedError } from "../../base/named-error.js";

/** The record is not as its sender believes. */
export class HashError extends NamedError {
  constructor(iri: string, problem: string) {
    super(`the record <${iri}> ${problem}: nothing was changed`);
  }
}
