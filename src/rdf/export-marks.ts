/** The comments that a complete file of quads begins and ends with: by them one that was cut off is known. */

/** The first line. */
export const EXPORT_BEGINS = "# Vitrine export: whole when its last line says how many records it has\n";

const ENDS = "# Vitrine export ends: records ";

/** The last line. */
export function exportEnds(records: number): string {
  return `${ENDS}${records}\n`;
}

/** The last line at the end of a text. */
export const EXPORT_ENDED = new RegExp(`(?:^|\\n)${ENDS}\\d+\\s*$`);
