import type { BenchResult } from './result.ts';

/** One benchmark of `npm run bench`. */
export interface Benchmark {
  /** The word `--only` takes. */
  name: string;
  /** What is measured, in one line. */
  about: string;
  /** @throws when it could not be measured; a target that is missed is a result, not an error */
  run(options: BenchOptions): Promise<BenchReport>;
}

export interface BenchOptions {
  /** Folder with the PetShop data set, where one was given. */
  petshop?: string;
  /** Fires on Ctrl-C: what was started has to be stopped. */
  signal: AbortSignal;
  /** Says what is going on, on standard error. */
  say(line: string): void;
}

export interface BenchReport {
  results: BenchResult[];
  /** Details that one figure cannot say. */
  tables?: BenchTable[];
}

export interface BenchTable {
  title: string;
  columns: string[];
  rows: (string | number | null)[][];
}
