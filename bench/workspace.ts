import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Benchmark, BenchOptions, BenchReport } from './benchmark.ts';
import { compared, type BenchResult } from './result.ts';
import { residentBytes } from './support/process-cost.ts';
import { startProgram } from './support/program.ts';
import { withStack, type Stack } from './support/stack.ts';
import { median, quantile, significant } from './support/statistics.ts';
import type { WorkspaceSocketsInput, WorkspaceSocketsOutput } from './support/workspace-sockets.ts';

const run = promisify(execFile);
const WRITES = 60;
const WARM_UP = 10;
const SOCKETS = 1_000;
const HEARD_WRITES = 30;
const QUIET_SECONDS = 5;

/**
 * A write of one small file over the API, which authenticates, checks and names its author, against the two bare
 * commands that make a commit of a tree that is there already; then 1,000 sockets that follow the workspace on one API
 * process, against one.
 */
export const workspace: Benchmark = {
  name: 'workspace',
  about: `a write to the workspace against bare Git, and ${SOCKETS} WebSockets that hear of it`,
  run: (options) => withStack(options, (stack) => measure(options, stack)),
};

async function measure(options: BenchOptions, stack: Stack): Promise<BenchReport> {
  options.say('writing');
  const writes: number[] = [];
  const bare = await bareCommits();
  try {
    // In turn, so that both meet the same machine.
    for (let i = 0; i < WARM_UP + WRITES; i++) {
      options.signal.throwIfAborted();
      writes.push(
        await timed(() => stack.call('PUT', `/api/workspace/file?path=bench/${i % 10}`, { content: `${i}\n` })),
      );
      await bare.commit();
    }
  } finally {
    await bare.remove();
  }
  options.say('1 socket');
  const one = await followed(options, stack, 1);
  options.say(`${SOCKETS} sockets`);
  const many = await followed(options, stack, SOCKETS);
  return { results: [write(writes.slice(WARM_UP), bare), ...sockets(one, many)] };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

interface BareCommits {
  /** Makes a commit with two commands. */
  commit(): Promise<void>;
  ms: number[];
  /** The same with a new file: all six commands that it takes. */
  fileMs: number[];
  remove(): Promise<void>;
}

async function bareCommits(): Promise<BareCommits> {
  const folder = await mkdtemp(join(tmpdir(), 'casebook-bench-git-'));
  const env = {
    PATH: process.env['PATH'],
    GIT_INDEX_FILE: join(folder, 'index'),
    GIT_CONFIG_GLOBAL: '/dev/null',
    ...Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) => [
        [`GIT_${who}_NAME`, 'B'],
        [`GIT_${who}_EMAIL`, 'b'],
      ]),
    ),
  };
  const git = async (...args: string[]): Promise<string> => {
    // Reported commits survive a power failure, here as there.
    const { stdout } = await run('git', [`--git-dir=${folder}`, '-c', 'core.fsync=all', ...args], { env });
    return stdout.trim();
  };
  await git('init', '--quiet', '--bare', '--initial-branch=main', folder);
  let tree = await git('hash-object', '-t', 'tree', '-w', '/dev/null');
  let head = await git('commit-tree', tree, '-m', 'First');
  await git('update-ref', 'refs/heads/main', head);
  const move = async (): Promise<void> => {
    const next = await git('commit-tree', tree, '-p', head, '-m', 'Next');
    await git('update-ref', 'refs/heads/main', next, head);
    head = next;
  };
  const made: BareCommits = {
    ms: [],
    fileMs: [],
    async commit() {
      made.ms.push(await timed(move));
      made.fileMs.push(
        await timed(async () => {
          const writing = run('git', [`--git-dir=${folder}`, '-c', 'core.fsync=all', 'hash-object', '-w', '--stdin'], {
            env,
          });
          writing.child.stdin?.end(`${made.ms.length}\n`);
          const object = (await writing).stdout.trim();
          await git('read-tree', head);
          await git('update-index', '--add', '--cacheinfo', `100644,${object},bench/${made.ms.length % 10}`);
          tree = await git('write-tree');
          await move();
        }),
      );
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
  return made;
}

interface Followed extends WorkspaceSocketsOutput {
  residentBytes: number;
}

async function followed({ signal }: BenchOptions, stack: Stack, count: number): Promise<Followed> {
  const { apiUrl: url, apiKey } = stack;
  const input: WorkspaceSocketsInput = {
    url,
    apiKey,
    sockets: count,
    writes: HEARD_WRITES,
    quietSeconds: QUIET_SECONDS,
  };
  const program = startProgram<WorkspaceSocketsOutput>('workspace-sockets.ts', input, signal);
  await program.ready;
  await sleep((QUIET_SECONDS * 1_000) / 2, undefined, { signal });
  const bytes = residentBytes(stack.pid('api'));
  return { residentBytes: bytes, ...(await program.result) };
}

function write(ms: readonly number[], bare: BareCommits): BenchResult {
  const six = median(bare.fileMs.slice(WARM_UP));
  return compared(
    'a write to the workspace over the API, median',
    median(ms),
    'ms',
    'git commit-tree and update-ref',
    median(bare.ms.slice(WARM_UP)),
    {
      note: `the six commands of Git that a new file takes: ${significant(six)} ms, ratio ${significant(median(ms) / six)}`,
    },
  );
}

function sockets(one: Followed, many: Followed): BenchResult[] {
  const perSocket = (many.residentBytes - one.residentBytes) / (SOCKETS - 1) / 1_024;
  const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20);
  const heard = (name: string, of: (followed: Followed) => number): BenchResult =>
    compared(name, of(many), 'ms', 'the response to the same write', median(many.responseMs), {
      note: `with one socket ${significant(of(one))} ms; load average ${loadavg()[0]!.toFixed(1)}`,
    });
  return [
    compared(
      `resident memory of the API with ${SOCKETS} sockets`,
      megabytes(many.residentBytes),
      'MB',
      'with 1 socket',
      megabytes(one.residentBytes),
      {
        note: `${significant(perSocket)} kB for each socket; ${many.lost} lost`,
        target: 'no socket lost',
        met: many.lost === 0,
      },
    ),
    heard(`from a write's request to its message on ${SOCKETS} sockets, median`, ({ messageMs }) => median(messageMs)),
    heard(`from a write's request to its message on the last of ${SOCKETS} sockets, p95`, ({ lastMs }) =>
      quantile(lastMs, 0.95),
    ),
  ];
}
