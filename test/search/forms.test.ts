/** The forms of texts, which are cached. */
import { expect, it } from "vitest";
import { formsOf } from "../../src/search/forms.js";

it("the forms of short texts are cached; those of long ones would fill the memory", () => {
  const [name, statement] = ["View of Delft", "A view of Delft. ".repeat(100)];
  expect(formsOf(name)).toBe(formsOf(name));
  expect(formsOf(statement)).not.toBe(formsOf(statement));
  expect(formsOf(statement)).toEqual(formsOf(statement));
});
