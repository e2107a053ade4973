/** What was flaky in the last runs on this machine. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { keyOf, type Failure } from './verdict.ts';

const MAX_RUNS = 5;
const file = (tier: string): string => join(homedir(), '.cache', 'casebook', `flaky-${tier}.json`);

function lastRuns(tier: string): string[][] {
  try {
    return JSON.parse(readFileSync(file(tier), 'utf8'));
  } catch {
    return [];
  }
}

/** Keys of the tests that were flaky in any of the four runs before this one. */
export const flakyBefore = (tier: string): Set<string> =>
  new Set(
    lastRuns(tier)
      .slice(1 - MAX_RUNS)
      .flat(),
  );

export function recordFlaky(tier: string, flaky: readonly Failure[]): void {
  mkdirSync(dirname(file(tier)), { recursive: true });
  const runs = [...lastRuns(tier), flaky.map(keyOf)].slice(-MAX_RUNS);
  writeFileSync(file(tier), JSON.stringify(runs, null, 2));
}
