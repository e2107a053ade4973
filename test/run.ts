/**
 * `npm test`: the tests that every change has to pass, in one process more than there are cores (half of their time
 * is waiting), from one queue of files.
 * What failed is run again alone when all others have ended; test/runner/verdict.ts says what that means.
 * - `--full`: the other tests instead, `NAME.full.test.ts`
 * - `--changed`: only those that imports of what has changed since the main branch reach
 * - `--record`: writes how long the files took to test/durations.json, which orders the queue
 * - anything else goes to mocha, in one process: files and its options
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { changedFiles, reachedBy } from './runner/changed.ts';
import { cpuSeconds } from './runner/cpu.ts';
import { inOrder, testFiles, type Tier } from './runner/files.ts';
import { flakyBefore, recordFlaky } from './runner/history.ts';
import { endAll, runBatches, type BatchResult } from './runner/processes.ts';
import { batchLine, summary } from './runner/summary.ts';
import { filesForSecondLook, verdictOf } from './runner/verdict.ts';
import { stopTestServer, TEST_POSTGRES, testServer } from './support/database.ts';
import { COMPILE_CACHE, workflowBundle } from './support/own-programs.ts';
import { stopTemporal, TEST_TEMPORAL, temporalAddress } from './support/temporal.ts';

process.chdir(join(import.meta.dirname, '..'));
const DURATIONS = 'test/durations.json';
/** Files that take less need no place in the order. */
const MIN_RECORDED_SECONDS = 2;

const OURS = ['--changed', '--full', '--record'];
const args = process.argv.slice(2);
if (args.some((arg) => !OURS.includes(arg))) {
  const mocha = spawn(process.execPath, ['node_modules/mocha/bin/mocha.js', ...args], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => mocha.kill(signal));
  const [code] = await once(mocha, 'close');
  process.exit(typeof code === 'number' ? code : 1);
}
const { values } = parseArgs({
  args,
  options: { changed: { type: 'boolean' }, full: { type: 'boolean' }, record: { type: 'boolean' } },
});

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    endAll();
    process.exit(1);
  });

const tier: Tier = values.full ? 'full' : 'quick';
const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
// The same commit tries the same values.
const seed = Number.parseInt(commit.slice(0, 7), 16);
process.env['CASEBOOK_TEST_TIER'] = tier;
process.env['CASEBOOK_TEST_SEED'] = String(seed);

// Once for all processes: servers, the workflow code, and a folder for compiled code.
process.env['NODE_COMPILE_CACHE'] = COMPILE_CACHE;
process.env[TEST_TEMPORAL] = await temporalAddress();
process.env[TEST_POSTGRES] = (await testServer()).url;
await Promise.all([workflowBundle(), workflowBundle('kills')]);

const durations: Record<string, number> = JSON.parse(readFileSync(DURATIONS, 'utf8'));
const took: Record<string, number> = {};
const started = performance.now();
const report = (batch: BatchResult): void => {
  for (const file of batch.files) took[file] = Math.round(batch.seconds / batch.files.length);
  console.log(batchLine(batch));
};
const files = values.changed ? await reachedBy(testFiles(tier), changedFiles()) : testFiles(tier);
const first = await runBatches(inOrder(files, durations), availableParallelism() + 1, report);
const load = loadavg()[0]!;

// Each alone, and in a process that has run nothing else.
const second = [];
for (const file of filesForSecondLook(first)) {
  console.log(`Again, alone: ${file}`);
  second.push(...(await runBatches([[file]], 1, report)));
}

await Promise.all([stopTestServer(), stopTemporal()]);
const verdict = verdictOf(first, second, flakyBefore(tier));
recordFlaky(tier, verdict.flaky);
writeFileSync('test/flaky.json', JSON.stringify({ tier, commit, seed, load, flaky: verdict.flaky }, null, 2));
if (values.record) {
  const all = { ...durations, ...took };
  const known = [...testFiles('quick'), ...testFiles('full')].filter((file) => all[file]! >= MIN_RECORDED_SECONDS);
  writeFileSync(DURATIONS, `${JSON.stringify(Object.fromEntries(known.map((file) => [file, all[file]])), null, 2)}\n`);
}
const minutes = ((performance.now() - started) / 60_000).toFixed(1);
console.log(
  summary(
    verdict,
    `${minutes} minutes, ${Math.round(cpuSeconds())} s of processor time, load ${load.toFixed(1)}, seed ${seed}`,
  ),
);
process.exit(verdict.failed.length > 0 ? 1 : 0);
