/** Runs the real `git`: without a shell, without the machine's or the user's configuration, and within bounds. */
import { spawn } from 'node:child_process';
import { childEnvironment } from '../../config.ts';

/** Default timeout of one command. */
export const GIT_TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 32 * 1_048_576;
const MAX_ERROR_BYTES = 8_192;
/** Git removes its lock files on SIGTERM; a process that does not exit is killed after this. */
const KILL_AFTER_MS = 2_000;
/**
 * A killed process is not awaited any further: it may hang in disk I/O, and its children may hold its pipes. What it
 * still does, a repeated call does as well: objects are named by their content, and a change by its key.
 */
const LEAVE_AFTER_MS = 1_000;

export interface GitOptions {
  input?: string | Uint8Array;
  /** Variables besides the fixed ones. */
  env?: Record<string, string>;
  timeoutMs?: number;
  maxBytes?: number;
  /** Ends Git after `maxBytes` and keeps them; otherwise excess output is an error. */
  cut?: boolean;
  /** Exit codes besides 0 that count as an answer. */
  accept?: readonly number[];
  signal?: AbortSignal;
}

export interface GitResult {
  code: number;
  stdout: Buffer;
  /** Output was dropped. */
  cut: boolean;
}

/** Git exited with an unexpected error. */
export class GitError extends Error {
  override name = 'GitError';
  readonly stderr: string;
  constructor(args: readonly string[], code: number | null, stderr: string) {
    super(`git ${args[0]} ended with ${code}: ${stderr.trim().slice(0, 500)}`);
    this.stderr = stderr;
  }
}

/** Git was ended: it took too long, or printed too much. */
export class GitStopped extends Error {
  override name = 'GitStopped';
  readonly reason: 'timeout' | 'output';
  constructor(reason: GitStopped['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

const CONFIGURATION = [
  'core.hooksPath=/dev/null',
  'core.attributesFile=/dev/null',
  'core.fsmonitor=false',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'core.quotePath=false',
  'core.filesRefLockTimeout=1000',
  // A reported commit must survive a power failure.
  'core.fsync=all',
  // Larger files have no line-by-line diff.
  'core.bigFileThreshold=8m',
  'protocol.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
  // One pack for each fetch instead of a file for each object, each of which would be synced.
  'fetch.unpackLimit=1',
].flatMap((setting) => ['-c', setting]);

/** Git inherits only PATH from this process. */
const ENVIRONMENT: Record<string, string> = {
  PATH: childEnvironment({})['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  // Messages in English, and case-insensitive comparison beyond ASCII.
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_ADVICE: '0',
};

/**
 * @param program the Git executable
 * @param gitDir the repository
 * @throws {GitStopped} on timeout or too much output; {@link GitError} when Git exits with a code that is neither 0 nor
 *   accepted; the signal's reason when it fires
 */
export async function runGit(
  program: string,
  gitDir: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const { input, env, timeoutMs = GIT_TIMEOUT_MS, maxBytes = MAX_OUTPUT_BYTES, accept = [], signal } = options;
  signal?.throwIfAborted();
  const child = spawn(program, [`--git-dir=${gitDir}`, ...CONFIGURATION, ...args], {
    env: { ...ENVIRONMENT, ...env },
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let ended: 'output' | 'timeout' | 'aborted' | undefined;
  let killing: NodeJS.Timeout | undefined;
  const { promise: closed, resolve: close, reject: fail } = Promise.withResolvers<number | null>();
  child.once('error', (error) => fail(new Error(`${program} cannot be run: ${error.message}`, { cause: error })));
  child.once('close', (code) => close(code));
  const end = (why: typeof ended): void => {
    if (ended !== undefined) return;
    ended = why;
    child.kill('SIGTERM');
    killing = setTimeout(() => {
      child.kill('SIGKILL');
      killing = setTimeout(() => close(null), LEAVE_AFTER_MS);
    }, KILL_AFTER_MS);
  };
  const timer = setTimeout(() => end('timeout'), timeoutMs);
  const onAbort = (): void => end('aborted');
  signal?.addEventListener('abort', onAbort, { once: true });

  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    if (bytes < maxBytes) chunks.push(chunk.subarray(0, maxBytes - bytes));
    bytes += chunk.length;
    if (bytes > maxBytes) end('output');
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < MAX_ERROR_BYTES) stderr += chunk.toString();
  });
  // Git may exit before it has read everything; its exit code says why.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');

  try {
    const code = await closed;
    if (ended === 'aborted') signal?.throwIfAborted();
    const isAnswer = bytes <= maxBytes && (code === 0 || accept.includes(code ?? -1));
    // A suspended process runs its timers before it learns that Git ended in time.
    if (ended === 'timeout' && !isAnswer)
      throw new GitStopped('timeout', `git ${args[0]} took longer than ${timeoutMs} ms`);
    if (ended === 'output' && !options.cut) throw new GitStopped('output', `git ${args[0]} printed too much output`);
    if (ended !== 'output' && !isAnswer) throw new GitError(args, code, stderr);
    return { code: code ?? 0, stdout: Buffer.concat(chunks), cut: ended === 'output' };
  } finally {
    clearTimeout(timer);
    clearTimeout(killing);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    child.unref();
    signal?.removeEventListener('abort', onAbort);
  }
}
