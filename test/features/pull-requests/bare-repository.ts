/** A bare repository with a history, as a mirror has one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GitRepository } from '../../../src/features/workspace/index.ts';
import { runGit } from '../../../src/platform/git/index.ts';
import { git } from '../workspace/support.ts';

export interface BareRepository extends GitRepository {
  /** Adds a commit to a branch; null deletes a file. @returns its id */
  commit(files: Record<string, string | Uint8Array | { mode: string; content: string } | null>, to?: Options): string;
  text(revision: string, path: string): string;
  run(...args: string[]): string;
  remove(): void;
}

interface Options {
  message?: string;
  branch?: string;
  /** The commit to add it to, for a new branch. */
  from?: string;
}

export function bareRepository(): BareRepository {
  const path = mkdtempSync(join(tmpdir(), 'casebook-pulls-test-'));
  git(path, ['init', '--quiet', '--bare', '--initial-branch=main']);
  const run = (...args: string[]): string => git(path, args);
  let commits = 0;
  return {
    path,
    git: (args, options) => runGit('git', path, args, { timeoutMs: 60_000, ...options }),
    run,
    commit(files, { message = 'Change files', branch = 'main', from } = {}) {
      const ref = `refs/heads/${branch}`;
      commits += 1;
      const parts: (string | Uint8Array)[] = [
        `commit ${ref}\ncommitter Ada <ada@example.org> ${1_770_000_000 + commits} +0000\ndata ${Buffer.byteLength(message)}\n${message}\n`,
      ];
      const parent = from ?? run('for-each-ref', '--format=%(objectname)', ref);
      if (parent !== '') parts.push(`from ${parent}\n`);
      for (const [name, given] of Object.entries(files)) {
        if (given === null) {
          parts.push(`D ${JSON.stringify(name)}\n`);
          continue;
        }
        const isPlain = typeof given === 'string' || given instanceof Uint8Array;
        const { mode, content } = isPlain ? { mode: '100644', content: given } : given;
        const bytes = Buffer.from(content);
        if (mode === '160000') parts.push(`M ${mode} ${bytes.toString()} ${JSON.stringify(name)}\n`);
        else parts.push(`M ${mode} inline ${JSON.stringify(name)}\ndata ${bytes.length}\n`, bytes, '\n');
      }
      git(path, ['fast-import', '--quiet', '--force'], {
        input: Buffer.concat(parts.map((part) => Buffer.from(part))),
      });
      return run('rev-parse', ref);
    },
    text: (revision, name) => run('show', `${revision}:${name}`),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
