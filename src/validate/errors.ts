/** The errors of what people give for validation: decisions, shapes, names of reports. Each message says what was wrong and what to write. */
import { RefusalError } from "../base/named-error.js";

/** A decision about a rule's severity that cannot be understood. */
export class SeverityError extends RefusalError {}

/** A shapes file that cannot be used. The message begins with its place, `file:line`. */
export class ShapesError extends RefusalError {}

/** The name of a report file has the ending of no form, or the file cannot be written. */
export class ReportError extends RefusalError {}
