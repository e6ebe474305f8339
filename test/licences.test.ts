/** The licences of all packages that are installed with Vitrine: a museum may use them without asking its lawyers. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const PERMISSIVE = new Set([
  "MIT",
  "MIT-0",
  "ISC",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "BlueOak-1.0.0",
  "Unlicense",
  "CC0-1.0",
  // Icons of the query editor.
  "CC-BY-4.0",
  "Python-2.0",
  "W3C",
  "Zlib",
]);

interface Locked {
  readonly license?: string;
  readonly dev?: boolean;
}

/** Whether a licence expression (SPDX) can be satisfied with permissive licences only. */
function isPermissive(expression: string): boolean {
  const text = expression.replace(/[()]/g, "");
  return text.split(" OR ").some((choice) => choice.split(" AND ").every((licence) => PERMISSIVE.has(licence.trim())));
}

it("the licences of all packages are stated and permissive", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, Locked> };
  const others = Object.entries(packages)
    .filter(([path, { dev }]) => path !== "" && dev !== true)
    // Its package states no licence; its source states MIT.
    .filter(([path]) => path !== "node_modules/jsuri")
    .filter(([, { license }]) => license === undefined || !isPermissive(license))
    .map(([path, { license }]) => `${path}: ${license ?? "not stated"}`);
  expect(others).toEqual([]);
});
