/** A process of `npm test`: runs the batches of files that its parent sends, one after the other, and reports each test. */
import { readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { relative } from 'node:path';
import Mocha, { type Hook, type Runner, type Test } from 'mocha';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../support/global.ts';
import { cpuSeconds } from './cpu.ts';
import type { TestResult } from './verdict.ts';

/** What a process says when it is ready, and when a batch has ended. */
export interface Used {
  /** Of the process and of those that it waited for. */
  cpuSeconds: number;
  /** Memory that the process holds by now. */
  residentBytes: number;
}

export type FromProcess = TestResult | Used;

const send = (message: FromProcess): void => void process.send?.(message);
const { timeout } = JSON.parse(readFileSync('.mocharc.json', 'utf8')) as { timeout: string };

class Reporter {
  /** How often a title was seen: tests of one file may share theirs. */
  readonly #seen = new Map<string, number>();

  constructor(runner: Runner, options: { reporterOptions: { files: string[] } }) {
    const [firstFile = ''] = options.reporterOptions.files;
    const report = (runnable: Test | Hook, status: TestResult['status'], error?: Error): void => {
      const file = runnable.file === undefined ? firstFile : relative('.', runnable.file);
      const name = runnable.fullTitle();
      const nth = (this.#seen.get(`${file}: ${name}`) ?? 0) + 1;
      this.#seen.set(`${file}: ${name}`, nth);
      const title = nth === 1 ? name : `${name} (${nth})`;
      send({ file, title, status, isHook: runnable.type === 'hook', ...(error && { error: described(error) }) });
    };
    runner.on('pass', (test) => report(test, 'passed'));
    runner.on('pending', (test) => report(test, 'pending'));
    runner.on('fail', (test, error) => report(test, 'failed', error));
  }
}

async function run(files: string[]): Promise<void> {
  const before = cpuSeconds();
  const mocha = new Mocha({ timeout, forbidOnly: true, reporter: Reporter as never, reporterOptions: { files } });
  for (const file of files) mocha.addFile(file);
  try {
    await mocha.loadFilesAsync();
    await new Promise((resolve) => void mocha.run(resolve));
    mocha.dispose();
  } catch (error) {
    for (const file of files)
      send({ file, title: '(loading)', status: 'failed', isHook: true, error: described(error as Error) });
  }
  // A process that is killed would keep what it compiled to itself.
  flushCompileCache();
  send({ cpuSeconds: cpuSeconds() - before, residentBytes: process.memoryUsage.rss() });
}

function described(error: Error): string {
  const cause = error.cause instanceof Error ? `\n  caused by ${error.cause.stack}` : '';
  return `${error.stack ?? String(error)}${cause}`.slice(0, 8_000);
}

// `process.exit` runs what ends the programs that tests started; a signal alone would not.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.on('message', (files: string[]) => {
  if (files.length > 0) void run(files);
  else void mochaGlobalTeardown().then(() => process.exit(0));
});
process.on('disconnect', () => process.exit(1));
await mochaGlobalSetup();
send({ cpuSeconds: cpuSeconds(), residentBytes: process.memoryUsage.rss() });
