import { describe, expect, it } from "vitest";
import { beginning, onOneLine, quoted, shortened } from "../../src/base/shortened.js";

describe("long texts", () => {
  it("are cut between characters, never within one", () => {
    const text = `${"x".repeat(59)}😀 and more`;
    expect(beginning(text, 60)).toBe("x".repeat(59));
    expect(beginning(text, 61)).toBe(`${"x".repeat(59)}😀`);
    expect(shortened(text, 60)).toBe(`${"x".repeat(59)}…`);
    expect(quoted(text)).toBe(`"${"x".repeat(59)}…"`);
    expect(onOneLine(text, 60)).toBe(`${"x".repeat(59)}…`);
  });

  it("that are short enough stay as they are, but on one line", () => {
    expect(shortened("a\nb", 3)).toBe("a\nb");
    expect(onOneLine("a \n\u200bb", 3)).toBe("a b");
  });
});
