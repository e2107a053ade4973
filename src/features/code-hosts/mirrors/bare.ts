/** One mirror: a bare repository that is only ever written by Git. It has no remote configured. */
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CodeHostError } from '@casebook/connectors';
import {
  callRemote,
  GitError,
  removeStaleLocks,
  runGit,
  writeAuthorities,
  type GitOptions,
  type GitRemote,
  type GitResult,
} from '../../../platform/git/index.ts';
import { isUuid } from '../../../platform/uuid.ts';
import { hostErrorOf, ownLines, secretsOf } from './errors.ts';
import { GC_TIMEOUT_MS, keepHouse, locksOf, removeTemporary, sizeOf } from './housekeeping.ts';
import { candidatesOf, isRefName, refspecProblem } from './ref-names.ts';

export interface MirrorOptions {
  /** The directory of all mirrors: one folder for each team. */
  directory: string;
  /** The Git executable; `git` on the PATH by default. */
  program?: string;
  /** Timeout of a command that does not talk to the host, ms. */
  gitTimeoutMs: number;
  /** Timeout of a fetch or push, ms; 30 minutes by default. */
  transferTimeoutMs?: number;
  /** Age at which a lock counts as left by a killed process, ms; three times `gitTimeoutMs`. */
  staleMs?: number;
  /** A larger mirror is given up, bytes; 20 GiB by default. */
  maxBytes?: number;
}

export interface BareMirror {
  gitDir: string;
  /** @throws as `runGit` */
  git(args: readonly string[], options?: GitOptions): Promise<GitResult>;
  /**
   * Makes the branches and tags those of the remote, all or none. Forced pushes and deletions are followed. Creates the
   * mirror if it is missing. Safe to repeat, and to kill at any point. @throws {CodeHostError}
   */
  fetch(remote: GitRemote, signal?: AbortSignal): Promise<void>;
  /** Whether the remote's branches and tags are those of the mirror. @throws {CodeHostError} */
  isCurrent(remote: GitRemote, signal?: AbortSignal): Promise<boolean>;
  /**
   * Creates branches of Casebook at the remote, or moves them forward, all or none.
   * @param refspecs `COMMIT:refs/heads/casebook/NAME`
   * @throws {CodeHostError} `invalid` for any other ref; `conflict` when the host refuses
   */
  push(remote: GitRemote, refspecs: readonly string[], signal?: AbortSignal): Promise<void>;
  /** The newest commit of a branch. @throws {CodeHostError} `not_found` */
  head(branch: string, signal?: AbortSignal): Promise<string>;
  /** The commit that a branch, a tag or a commit's id names; undefined if there is none. */
  resolve(revision: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Collects what is due; bounded. */
  collect(now: number, signal?: AbortSignal): Promise<void>;
  /** Bytes on disk. */
  size(): Promise<number>;
  remove(): Promise<void>;
}

const TRANSFER_TIMEOUT_MS = 30 * 60_000;
const LIST_TIMEOUT_MS = 60_000;
const STALE_LOCK_TIMES = 3;
const MAX_BYTES = 20 * 1_024 ** 3;
const WATCH_EVERY_MS = 2_000;

const FETCH = [
  'fetch',
  '--quiet',
  '--prune',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
  '--no-auto-maintenance',
];
const EVERYTHING = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
/** Whoever answers without it, such as a page that says "down for maintenance", is not taken for an empty repository. */
const HEAD = '+HEAD:refs/casebook/HEAD';
const NO_HEAD = /couldn't find remote ref HEAD/u;

const LOCKED = /Unable to create '[^']+\.lock': File exists/u;
/** A branch `a` became `a/b`: one transaction cannot do both. */
const IN_THE_WAY = /cannot lock ref|there is a non-empty directory|exists; cannot create|refname conflict/u;

/** @throws {TypeError} unless both ids are UUIDs */
export function mirrorAt(options: MirrorOptions, teamId: string, repositoryId: string): BareMirror {
  if (!isUuid(teamId) || !isUuid(repositoryId)) throw new TypeError('The ids of a mirror must be UUIDs');
  const { directory, program = 'git', gitTimeoutMs, transferTimeoutMs = TRANSFER_TIMEOUT_MS } = options;
  const { staleMs = STALE_LOCK_TIMES * gitTimeoutMs, maxBytes = MAX_BYTES } = options;
  const temporaryMs = Math.max(transferTimeoutMs, GC_TIMEOUT_MS) + staleMs;
  const gitDir = join(directory, teamId, `${repositoryId}.git`);
  const git: BareMirror['git'] = (args, given) => runGit(program, gitDir, args, { timeoutMs: gitTimeoutMs, ...given });

  /** Runs a command that talks to the remote. */
  const transfer = async (
    remote: GitRemote,
    argsFor: (url: string) => string[],
    { timeoutMs = transferTimeoutMs, signal }: { timeoutMs?: number; signal?: AbortSignal },
  ): Promise<GitResult> => {
    signal?.throwIfAborted();
    try {
      const { url, env } = await callRemote(remote, await authorities(directory));
      return await git(argsFor(url), { env, timeoutMs, signal });
    } catch (error) {
      if (error instanceof GitError && LOCKED.test(ownLines(error))) {
        await removeStaleLocks(gitDir, await locksOf(gitDir), staleMs);
        throw new CodeHostError('unavailable', 'Another process is writing the mirror.', { retryAfterMs: staleMs });
      }
      throw error;
    }
  };
  const fetchRefs = async (remote: GitRemote, refspecs: string[], signal: AbortSignal): Promise<void> => {
    const args = (more: string[]) => (url: string) => [...FETCH, ...more, '--', url, ...refspecs];
    try {
      await transfer(remote, args(['--atomic']), { signal });
    } catch (error) {
      if (!(error instanceof GitError) || !IN_THE_WAY.test(ownLines(error))) throw error;
      await transfer(remote, args([]), { signal });
    }
  };
  /** Branches and tags: `COMMIT\tREF`. */
  const refsOf = async (remote: GitRemote, signal?: AbortSignal): Promise<string> => {
    const list = (url: string): string[] => ['ls-remote', '--quiet', '--heads', '--tags', '--refs', '--', url];
    return sortedLines(await transfer(remote, list, { timeoutMs: LIST_TIMEOUT_MS, signal }));
  };
  const ownRefs = async (signal?: AbortSignal): Promise<string> =>
    sortedLines(
      await git(['for-each-ref', '--format=%(objectname)%09%(refname)', 'refs/heads', 'refs/tags'], { signal }),
    );
  const translated = async <T>(remote: GitRemote, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw hostErrorOf(error, remote.credential && secretsOf(remote.credential));
    }
  };

  return {
    gitDir,
    git,
    fetch: (remote, signal) =>
      translated(remote, async () => {
        await create(program, gitDir);
        await removeTemporary(gitDir, temporaryMs);
        await removeStaleLocks(gitDir, await locksOf(gitDir), staleMs);
        await bounded(gitDir, maxBytes, signal, async (within) => {
          try {
            await fetchRefs(remote, [HEAD, ...EVERYTHING], within);
          } catch (error) {
            if (!(error instanceof GitError) || !NO_HEAD.test(ownLines(error))) throw error;
            const isEmpty = (await refsOf(remote, within)) === '' && (await ownRefs(within)) !== '';
            if (isEmpty) throw new CodeHostError('unavailable', 'The host lists no branches any more.');
            await fetchRefs(remote, EVERYTHING, within);
          }
        });
      }),
    isCurrent: (remote, signal) =>
      translated(remote, async () => {
        await create(program, gitDir);
        return (await refsOf(remote, signal)) === (await ownRefs(signal));
      }),
    push: (remote, refspecs, signal) =>
      translated(remote, async () => {
        const problem = refspecs.map(refspecProblem).find(Boolean);
        if (problem !== undefined || refspecs.length === 0)
          throw new CodeHostError('invalid', problem ?? 'There is nothing to push');
        const options = ['--porcelain', '--atomic', '--no-verify', '--no-signed', '--recurse-submodules=no'];
        await transfer(remote, (url) => ['push', ...options, '--', url, ...refspecs], { signal });
      }),
    async head(branch, signal) {
      const commit = isRefName(branch) ? await commitOf(git, `refs/heads/${branch}`, signal) : undefined;
      if (commit === undefined) throw new CodeHostError('not_found', `There is no branch ${JSON.stringify(branch)}`);
      return commit;
    },
    async resolve(revision, signal) {
      for (const candidate of candidatesOf(revision)) {
        const commit = await commitOf(git, candidate, signal);
        if (commit !== undefined) return commit;
      }
      return undefined;
    },
    collect: (now, signal) => keepHouse({ gitDir, git }, { temporaryMs, now, signal }),
    size: () => sizeOf(gitDir),
    remove: () => rm(gitDir, { recursive: true, force: true }),
  };
}

async function commitOf(git: BareMirror['git'], name: string, signal?: AbortSignal): Promise<string | undefined> {
  const { code, stdout } = await git(['rev-parse', '--verify', '--quiet', `${name}^{commit}`], {
    accept: [1, 128],
    signal,
  });
  return code === 0 ? stdout.toString('latin1').trim() : undefined;
}

const sortedLines = ({ stdout }: GitResult): string =>
  stdout.toString('utf8').split('\n').filter(Boolean).sort().join();

/** Creates a missing repository. Several processes may do so at once: the first to move it into place wins. */
async function create(program: string, gitDir: string): Promise<void> {
  const there = await access(join(gitDir, 'HEAD')).then(
    () => true,
    () => false,
  );
  if (there) return;
  await mkdir(dirname(gitDir), { recursive: true, mode: 0o700 });
  const beside = await mkdtemp(join(dirname(gitDir), 'new-'));
  try {
    const layout = ['--template=', '--initial-branch=main', '--object-format=sha1'];
    await runGit(program, beside, ['init', '--quiet', '--bare', '--shared=0600', ...layout]);
    await rename(beside, gitDir);
  } catch (error) {
    await rm(beside, { recursive: true, force: true });
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}

/** @throws {CodeHostError} `invalid` as soon as the repository is larger than `maxBytes` */
async function bounded(
  gitDir: string,
  maxBytes: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const tooLarge = new AbortController();
  const check = async (): Promise<void> => {
    if ((await sizeOf(gitDir)) <= maxBytes) return;
    const message = `The repository is larger than ${Math.ceil(maxBytes / 1_048_576)} MiB, the limit of a mirror.`;
    tooLarge.abort(new CodeHostError('invalid', message));
  };
  const within = AbortSignal.any([tooLarge.signal, ...(signal ? [signal] : [])]);
  await check();
  within.throwIfAborted();
  const timer = setInterval(() => void check(), WATCH_EVERY_MS);
  try {
    await work(within);
    await check();
    within.throwIfAborted();
  } finally {
    clearInterval(timer);
  }
}

const written = new Map<string, Promise<void>>();

/** Written once by each process. @returns its path */
async function authorities(directory: string): Promise<string> {
  const file = join(directory, 'authorities.pem');
  const writing = written.get(file) ?? writeAuthorities(file);
  written.set(file, writing);
  await writing.catch((error: unknown) => {
    written.delete(file);
    throw error;
  });
  return file;
}
