/** A record as lists show it. */
import type { EndpointName } from "../../model/tables/names.js";
import type { Caption } from "./caption.js";

/** A record as a list shows it. */
export interface Entry extends Caption {
  readonly iri: string;
  readonly label: string;
  /** The language of the label, where that is known. */
  readonly language?: string | undefined;
  readonly endpoint: EndpointName | null;
  /** The address of a small picture, or of the only one there is. */
  readonly picture: string | undefined;
  /** Why it is in the list, where nothing else that is shown says so. */
  readonly why?: string | undefined;
}

export const NO_CAPTION: Caption = { makers: "", date: "", kind: "", number: "" };
