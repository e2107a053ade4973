/** Which files a run has, and in which order. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** `npm test` leaves these to `npm run test:full`: NAME.full.test.ts. */
export type Tier = 'quick' | 'full';

/** Every test file of a tier, with paths from the repository's root. */
export function testFiles(tier: Tier): string[] {
  return readdirSync(join(root, 'test'), { recursive: true })
    .map((path) => join('test', String(path)))
    .filter((path) => path.endsWith('.test.ts') && path.endsWith('.full.test.ts') === (tier === 'full'))
    .sort();
}

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
