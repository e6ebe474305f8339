/** Options of Ajv for schemas that check a few documents: it takes two thirds of its time to optimize what it compiles. */
export const UNOPTIMIZED = { code: { optimize: false } } as const;
