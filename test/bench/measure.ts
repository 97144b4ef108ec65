/** One figure of the benchmark and the bar it is held against. */
export interface Measure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The highest value that is good enough. */
  readonly bar: number;
  readonly ok: boolean;
}

/** A figure of which less is better. */
export function atMost(name: string, value: number, unit: string, bar: number): Measure {
  const rounded = Number(value.toPrecision(4));
  return { name, value: rounded, unit, bar, ok: rounded <= bar };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
