/** A row of the tables of limits, from which options, docs/limits.md and tests follow. */

export interface Limit {
  readonly name: `MAX_${string}`;
  /** How many or how much. Where an option has the default and nothing else has, it is not repeated here. */
  readonly value?: number;
  /** The option that sets it. */
  readonly option?: string;
  /** What is limited, with the unit. */
  readonly of: string;
  /** What happens beyond it. */
  readonly beyond: string;
}
