/** Measuring and printing: benchmarks take medians of interleaved runs, because machines drift, but ratios do not. */

/** The median of some numbers. */
export function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

/** The number that a share (0 to 1) of some numbers do not exceed. */
export function percentile(numbers: readonly number[], share: number): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length * share)]!;
}

/** The seconds that some work takes. */
export async function seconds(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** The microseconds that synchronous work takes per item, measured for at least half a second after as long a warm-up. */
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
