import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './process-table.ts';

/**
 * Reads a one-line secret from a file, or generates it once and keeps it there with mode 0600.
 * @param make produces a new secret
 */
export function secretFromFile(path: string, make: () => string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  mkdirSync(dirname(path), { recursive: true });
  try {
    const secret = make();
    writeFileSync(path, `${secret}\n`, { mode: 0o600, flag: 'wx' });
    return secret;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return readFileSync(path, 'utf8').trim();
  }
}
