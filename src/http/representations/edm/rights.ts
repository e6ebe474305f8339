/** The rights statements that Europeana accepts, recognized in every spelling of their URLs. */

const CREATIVE_COMMONS =
  /^https?:\/\/(?:www\.)?creativecommons\.org\/((?:licenses\/by(?:-[a-z-]+)?\/(?:[123]\.\d(?:\/[a-z]{2,8})?|4\.0)|publicdomain\/(?:zero|mark)\/1\.0))(?:\/(?:deed|legalcode)(?:\.[\w-]+)?)?\/?$/i;
const RIGHTS_STATEMENTS =
  /^https?:\/\/(?:www\.)?rightsstatements\.org\/(?:vocab|page|data)\/(NoC-NC|NoC-OKLR|InC|InC-EDU|InC-OW-EU|CNE)\/1\.0(?:\/|\/\?.*)?$/i;

/** The rights statement for records without one: the copyright is not evaluated. */
export const NOT_EVALUATED = "http://rightsstatements.org/vocab/CNE/1.0/";

/**
 * A rights statement as Europeana writes it, or `undefined` if Europeana does not accept it.
 * @example
 * europeanaRights("https://creativecommons.org/publicdomain/zero/1.0/deed.nl"); // => "http://creativecommons.org/publicdomain/zero/1.0/"
 */
export function europeanaRights(iri: string): string | undefined {
  const licence = CREATIVE_COMMONS.exec(iri)?.[1];
  if (licence !== undefined) return `http://creativecommons.org/${licence.toLowerCase()}/`;
  const statement = RIGHTS_STATEMENTS.exec(iri)?.[1];
  return statement && `http://rightsstatements.org/vocab/${statement}/1.0/`;
}
