/** Processes of mocha that take batches of files from one queue. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { FromProcess, Used } from './mocha-process.ts';
import type { TestResult } from './verdict.ts';

/** Longer than any test may take: after this much silence a process hangs. */
const MAX_SILENCE_MS = 15 * 60_000;
/**
 * Where a process gives way to a new one. Linux copies the page tables of whoever starts a program: with each gigabyte,
 * another 20 ms of processor time for every `git`, and tests of repositories start thousands.
 */
const MAX_RESIDENT_BYTES = 600e6;
/** Node's own choice keeps 130 MB for new objects. */
const SMALLER_YOUNG_GENERATION = ['--max-semi-space-size=16'];
/** Characters of a process's output that go with a batch that failed. */
const MAX_OUTPUT = 4_000;

export interface BatchResult extends Used {
  files: string[];
  results: TestResult[];
  seconds: number;
}

interface MochaProcess {
  /** Resolves when the batch has ended, also with the process. */
  run(files: string[]): Promise<Omit<BatchResult, 'files' | 'seconds'>>;
  isAlive(): boolean;
  end(): Promise<void>;
}

const processes = new Set<ChildProcess>();

/** Ends everything now; what the tests started ends with them. */
export function endAll(): void {
  for (const child of processes) child.kill('SIGTERM');
}

/** Works the queue off with so many processes. @param report gets each batch as it ends */
export async function runBatches(
  queue: readonly string[][],
  count: number,
  report: (batch: BatchResult) => void,
): Promise<TestResult[]> {
  const left = [...queue];
  const all: TestResult[] = [];
  const work = async (): Promise<void> => {
    let mocha: MochaProcess | undefined;
    for (let files = left.shift(); files; files = left.shift()) {
      if (!mocha?.isAlive()) mocha = await startProcess();
      const started = performance.now();
      const ended = await mocha.run(files);
      all.push(...ended.results);
      report({ files, ...ended, seconds: (performance.now() - started) / 1000 });
      if (ended.residentBytes > MAX_RESIDENT_BYTES) await mocha.end();
    }
    await mocha?.end();
  };
  await Promise.all(Array.from({ length: Math.min(count, queue.length) }, work));
  return all;
}

async function startProcess(): Promise<MochaProcess> {
  const child = fork(join(import.meta.dirname, 'mocha-process.ts'), {
    execArgv: SMALLER_YOUNG_GENERATION,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  processes.add(child);
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT);
      process.stdout.write(text);
    });
  let isAlive = true;
  const exited = once(child, 'exit').then(([code, signal]: (number | string | null)[]) => {
    isAlive = false;
    processes.delete(child);
    return `The process ended with ${signal ?? code}.`;
  });
  let results: TestResult[] = [];
  let ended = Promise.withResolvers<Used>();
  let silence: NodeJS.Timeout | undefined;
  child.on('message', (message: FromProcess) => {
    silence?.refresh();
    if ('cpuSeconds' in message) ended.resolve(message);
    else results.push(message);
  });
  /** @returns what it took, or why the process ended instead */
  const untilEnded = async (): Promise<Used | string> => {
    silence = setTimeout(() => child.kill('SIGKILL'), MAX_SILENCE_MS);
    const end = await Promise.race([ended.promise, exited]);
    clearTimeout(silence);
    return end;
  };
  const early = await untilEnded();
  if (typeof early === 'string') throw new Error(`A process of mocha could not start. ${early}\n${output}`);
  return {
    isAlive: () => isAlive,
    async run(files) {
      results = [];
      output = '';
      ended = Promise.withResolvers();
      child.send(files);
      const end = await untilEnded();
      if (typeof end !== 'string') return { results, ...end };
      for (const file of files)
        results.push({ file, title: '(the process)', status: 'failed', isHook: true, error: `${end}\n${output}` });
      return { results, cpuSeconds: Number.NaN, residentBytes: Number.NaN };
    },
    async end() {
      if (isAlive) child.send([]);
      await exited;
    },
  };
}
