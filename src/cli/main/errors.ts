/** The errors of the command line that more than one room knows. */

/** The record is not as its sender believes. */
export class HashError extends Error {
  override readonly name = "HashError";

  constructor(iri: string, problem: string) {
    super(`the record <${iri}> ${problem}: nothing was changed`);
  }
}
