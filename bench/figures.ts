/** How benchmarks measure and print: medians of interleaved runs, because machines drift and ratios do not. */

/** The median of some numbers. */
export function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

/** What a share (0 to 1) of some numbers are not above. */
export function percentile(numbers: readonly number[], share: number): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length * share)]!;
}

/** Seconds that some work takes. */
export async function seconds(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** Microseconds an item of synchronous work takes, after as long a warm-up; at least half a second of it. */
export function microseconds<T>(items: readonly T[], work: (item: T) => unknown): number {
  const run = (atLeast: number): { rounds: number; spent: number } => {
    const start = performance.now();
    let rounds = 0;
    do {
      for (const item of items) work(item);
      rounds++;
    } while (performance.now() - start < atLeast);
    return { rounds, spent: performance.now() - start };
  };
  run(500);
  const { rounds, spent } = run(500);
  return (spent * 1000) / (rounds * items.length);
}

export function report(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function fixed(number: number): string {
  return number >= 100 ? Math.round(number).toLocaleString("en") : number.toFixed(1);
}
