/** What makes our own programs start sooner: Node's compile cache, and the workflow code bundled once. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..');
const cache = join(root, 'node_modules', '.cache', 'casebook');

/** Where Node keeps compiled code of this clone. A program that is killed adds nothing, but finds what others left. */
export const COMPILE_CACHE = join(cache, 'compiled');

/** Files of test/support/timing. */
type Timing = 'patient' | 'kills';
const bundles = new Map<Timing, Promise<string>>();

/** Path of today's workflow code as one file, with the timing of a kind of tests: made when its sources have changed. */
export function workflowBundle(timing: Timing = 'patient'): Promise<string> {
  const bundle = bundles.get(timing) ?? findOrMake(timing);
  bundles.set(timing, bundle);
  return bundle;
}

async function findOrMake(timing: Timing): Promise<string> {
  const module = join(import.meta.dirname, 'timing', `${timing}.ts`);
  const file = join(cache, `workflows-${timing}-${hashOfSources(module)}.js`);
  if (existsSync(file)) return file;
  mkdirSync(cache, { recursive: true });
  const old = readdirSync(cache).filter((name) => name.startsWith(`workflows-${timing}-`));
  await promisify(execFile)(process.execPath, [join(root, 'temporal', 'bundle.ts'), file, module]);
  for (const name of old) rmSync(join(cache, name), { force: true });
  return file;
}

/** Of everything that workflows could import. */
function hashOfSources(timing: string): string {
  const hash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(readFileSync(timing));
  for (const folder of ['workflows', 'temporal', 'src', 'packages']) {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    for (const name of files.filter((path) => path.endsWith('.ts') && !path.includes('node_modules')).sort())
      hash.update(name).update(readFileSync(join(root, folder, name)));
  }
  return hash.digest('hex').slice(0, 20);
}
