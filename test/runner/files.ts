/** Which files a run has, and in which order. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/**
 * `npm test` is the quick tier. `npm run test:full` has NAME.full.test.ts, and repeats what tests properties, with as many
 * runs as it says; the quick tier stops after a moment.
 */
export type Tier = 'quick' | 'full';

/** Every test file of a tier, with paths from the repository's root. */
export function testFiles(tier: Tier): string[] {
  return readdirSync(join(root, 'test'), { recursive: true })
    .map((path) => join('test', String(path)))
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => path.endsWith('.full.test.ts') === (tier === 'full') || (tier === 'full' && hasProperties(path)))
    .sort();
}

const hasProperties = (path: string): boolean => readFileSync(join(root, path), 'utf8').includes("from 'fast-check'");

/**
 * What is run in one go: a file, but for those of the browser, which share an installation. The longest first, so that
 * no process works long when the others have nothing left.
 * @param seconds recorded by earlier runs
 */
export function inOrder(files: readonly string[], seconds: Readonly<Record<string, number>>): string[][] {
  const batches = Map.groupBy(files, (file) => (/^test\/web\/[^/]+$/.test(file) ? 'browser' : file));
  const length = (batch: readonly string[]): number => batch.reduce((total, file) => total + (seconds[file] ?? 0), 0);
  return [...batches.values()].sort((a, b) => (length(a) < length(b) ? 1 : -1));
}
