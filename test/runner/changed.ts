/** `npm test -- --changed`: the tests that what has changed since the main branch can break. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { importsOf } from '../architecture/import-graph.ts';

const root = resolve(import.meta.dirname, '..', '..');

/** Programs that tests start by their path, which no import shows. */
const STARTED: Readonly<Record<string, readonly string[]>> = {
  'test/support/cluster.ts': ['src/bin/api.ts', 'src/bin/worker.ts'],
  'test/support/installation/index.ts': ['test/support/installation/main.ts', 'src/bin/api.ts', 'src/bin/worker.ts'],
  'test/support/own-programs.ts': [
    'workflows/index.ts',
    'temporal/bundle.ts',
    'test/support/timing/patient.ts',
    'test/support/timing/kills.ts',
  ],
  'test/support/satellite-process.ts': ['satellite/main.ts'],
  'test/support/web/start.ts': ['web/src/main.tsx'],
};

/** They look at files as text, and cost little. */
const ALWAYS = /^test\/(?:architecture|docs|packaging)\//;

/** Files that differ from where the branch left main, committed or not, with paths from the repository's root. */
export function changedFiles(): Set<string> {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  const [base = 'HEAD'] = git(
    'merge-base',
    'HEAD',
    git('branch', '--list', 'main').length > 0 ? 'main' : 'origin/main',
  );
  return new Set([...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')]);
}

/** The test files that have changed, or reach a changed file by imports or by a program that they start. */
export async function reachedBy(tests: readonly string[], changed: ReadonlySet<string>): Promise<string[]> {
  const reaches = async (test: string): Promise<boolean> => {
    const seen = new Set([test]);
    // A set yields what is added to it meanwhile.
    for (const file of seen) {
      if (changed.has(file)) return true;
      for (const one of await reachedFrom(file)) seen.add(one);
    }
    return false;
  };
  const found: string[] = [];
  for (const test of tests) if (ALWAYS.test(test) || (await reaches(test))) found.push(test);
  return found;
}

const reached = new Map<string, readonly string[]>();

/** What a file of ours imports at run time, or starts; read once per file. */
async function reachedFrom(file: string): Promise<readonly string[]> {
  const known = reached.get(file);
  if (known) return known;
  const isSource = /\.tsx?$/.test(file) && existsSync(join(root, file));
  const imports = isSource ? await importsOf(file) : [];
  const all = [...imports.map(({ to }) => to), ...(STARTED[file] ?? [])];
  reached.set(file, all);
  return all;
}
