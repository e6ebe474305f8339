/** What a store says of an object besides its graph, for tests that do without a store. */
export const OBJECT_META = {
  endpoint: "object",
  label: "",
  valid: true,
  sequence: 1,
  modified: 0,
  hash: new Uint8Array(32),
} as const;
