/** `npm test -- --changed`: the tests that what has changed since the main branch can break. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(import.meta.dirname, '..', '..');

/** Programs that tests start by their path, which no import shows. */
const STARTED: Readonly<Record<string, readonly string[]>> = {
  'test/support/cluster.ts': ['src/bin/api.ts', 'src/bin/worker.ts'],
  'test/support/installation/index.ts': ['test/support/installation/main.ts', 'src/bin/api.ts', 'src/bin/worker.ts'],
  'test/support/own-programs.ts': ['workflows/index.ts', 'temporal/bundle.ts'],
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
export function reachedBy(tests: readonly string[], changed: ReadonlySet<string>): string[] {
  const imports = new Map<string, string[]>();
  const reaches = (test: string): boolean => {
    const seen = new Set([test]);
    // A set gives out what is added to it meanwhile.
    for (const file of seen) {
      if (changed.has(file)) return true;
      let next = imports.get(file);
      if (next === undefined) imports.set(file, (next = importsOf(file)));
      for (const one of next) seen.add(one);
    }
    return false;
  };
  return tests.filter((test) => ALWAYS.test(test) || reaches(test));
}

/** What a file imports at run time of ours: types are gone by then. */
function importsOf(file: string): string[] {
  const path = join(root, file);
  if (!/\.tsx?$/.test(file) || !existsSync(path)) return [];
  const specifiers = readFileSync(path, 'utf8').matchAll(
    /(?:^(?:import|export)(?! type\b)[^;']*|import\()'((?:\.{1,2}\/|@casebook\/)[^']+)'/gm,
  );
  const imported = [...specifiers].map(([, specifier = '']) =>
    specifier.startsWith('.') ? resolve(path, '..', specifier) : fileURLToPath(import.meta.resolve(specifier)),
  );
  return [...imported.map((target) => relative(root, target)), ...(STARTED[file] ?? [])];
}
