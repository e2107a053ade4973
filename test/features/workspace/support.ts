/** Workspaces in a temporary folder, looked at and prepared with Git itself. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createGitWorkspaces,
  WorkspaceError,
  type CommitInput,
  type GitWorkspaceOptions,
  type WorkspaceErrorCode,
  type WorkspacePort,
  type Workspaces,
  type WorkspaceUpkeep,
} from '../../../src/features/workspace/index.ts';
import { LONG_TIMEOUTS } from '../../support/timeouts.ts';

export interface Scratch {
  directory: string;
  workspaces: Workspaces & WorkspaceUpkeep;
  remove(): void;
}

export function scratch(options: Partial<GitWorkspaceOptions> = {}): Scratch {
  const folder = mkdtempSync(join(tmpdir(), 'casebook-workspace-test-'));
  const directory = join(folder, 'workspaces');
  return {
    directory,
    workspaces: createGitWorkspaces({ directory, gitTimeoutMs: LONG_TIMEOUTS.gitMs, ...options }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface TestTeam {
  id: string;
  workspace: WorkspacePort;
  repository: string;
  /** Output of a Git command in the team's repository, without the last line break. */
  git(...args: string[]): string;
}

export function team({ directory, workspaces }: Scratch, id: string = randomUUID()): TestTeam {
  const repository = join(directory, `${id}.git`);
  return { id, workspace: workspaces.forTeam(id), repository, git: (...args) => git(repository, args) };
}

export function git(
  repository: string,
  args: readonly string[],
  { input, env }: { input?: string | Uint8Array; env?: Record<string, string> } = {},
): string {
  return execFileSync('git', [`--git-dir=${repository}`, ...args], {
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', ...env },
  }).replace(/\n$/, '');
}

/** Adds a commit with files of any mode and content, as a mirror of another repository may have them. */
export async function mirrored(
  { workspace, repository }: TestTeam,
  files: Record<string, { mode?: string; content: string | Uint8Array }>,
): Promise<string> {
  await workspace.head();
  const parts: (string | Uint8Array)[] = ['commit refs/heads/main\ncommitter M <m@example.org> 0 +0000\ndata 1\nm\n'];
  parts.push('from refs/heads/main^0\n');
  for (const [path, { mode = '100644', content }] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    parts.push(`M ${mode} inline ${JSON.stringify(path)}\ndata ${bytes.length}\n`, bytes, '\n');
  }
  git(repository, ['fast-import', '--quiet'], { input: Buffer.concat(parts.map((part) => Buffer.from(part))) });
  return workspace.head();
}

export const author = { name: 'Ada', email: 'ada@example.org' };
export const date = new Date('2026-03-01T12:00:00Z');

/** A commit of the changes onto the newest state. */
export async function commitTo(
  workspace: WorkspacePort,
  files: Record<string, string | null>,
  given: Partial<CommitInput> = {},
): Promise<{ commit: string; input: CommitInput }> {
  const changes = Object.entries(files).map(([path, content]) => ({ path, content }));
  const base = given.base ?? (await workspace.head());
  const input = { changes, message: 'Change files', author, date, key: randomUUID(), ...given, base };
  return { commit: (await workspace.commit(input)).commit, input };
}

/** The text of a file at a revision. */
export async function textOf(workspace: WorkspacePort, path: string, at: string): Promise<string | null> {
  return (await workspace.read(path, { at })).text;
}

export async function failsWith(code: WorkspaceErrorCode, work: Promise<unknown>): Promise<WorkspaceError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof WorkspaceError, `${code} expected, got ${String(error)}`);
  assert.equal(error.code, code, error.message);
  return error;
}

/** Every commit of the branch has a key; each key once. @returns the keys */
export function keysInHistory({ git }: TestTeam): string[] {
  return git('log', '--format=%(trailers:key=Casebook-Change,valueonly,separator=%x2C)', 'refs/heads/main')
    .split('\n')
    .filter(Boolean)
    .sort();
}

/** Git's own check of the repository finds nothing; objects that nothing needs are allowed. */
export function isSound({ git }: TestTeam): void {
  const said = git('fsck', '--full', '--strict', '--no-dangling', '--no-progress');
  assert.equal(said, '');
}
