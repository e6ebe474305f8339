/**
 * Texts and addresses of any code points, for property tests. `fc.string` with the unit "binary" and `fc.webUrl` number all code points
 * before they give the first one: that takes a second, and a hundred megabytes for as long as the process runs.
 */
import fc from "fast-check";

const MOST = 0x10ffff;
const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/** Any code point except surrogates, as the `unit` of `fc.string`: it gives the same texts as "binary". */
export const ANY_CODE_POINT: fc.Arbitrary<string> = fc.nat(MOST - SURROGATES).map(
  (number) => String.fromCodePoint(number < FIRST_SURROGATE ? number : number + SURROGATES),
  (text) => {
    const code = typeof text === "string" ? text.codePointAt(0) : undefined;
    if (code === undefined || String.fromCodePoint(code) !== text || !text.isWellFormed())
      throw new Error("this is not a code point");
    return code < FIRST_SURROGATE ? code : code - SURROGATES;
  },
);

/** The text between delimiters of an address (RFC 3986, 3.3): characters as they are, or percent-encoded. */
const segment = fc.string({
  unit: fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(..."abcxyzABCXYZ0189-._~!$&'()*+,;=:@") },
    { weight: 1, arbitrary: ANY_CODE_POINT.map(encodeURIComponent) },
  ),
});

/** A path: empty, or segments that each begin with a slash. */
export const webPath: fc.Arbitrary<string> = fc.array(segment.map((text) => `/${text}`)).map((all) => all.join(""));

/** An address on the web, with or without a query and a fragment. */
export const webUrl: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom("http", "https"),
    fc.domain(),
    webPath,
    fc.option(
      segment.map((text) => `?${text}`),
      { nil: "" },
    ),
    fc.option(
      segment.map((text) => `#${text}`),
      { nil: "" },
    ),
  )
  .map(([scheme, domain, ...rest]) => `${scheme}://${domain}${rest.join("")}`);
