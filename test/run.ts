/**
 * `npm test`: every test, in two processes of mocha side by side, because most tests wait for processes most of the
 * time. Each process has database and Temporal servers of its own. `npm test -- FILE...` (or any options of mocha) runs
 * what is named, in one process.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureTemporalBinary } from '../src/embedded/temporal-server.ts';

const root = join(import.meta.dirname, '..');
const mocha = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');

/** Tests that start, kill and restart whole installations take about as long as all others together. */
const PROCESSES = ['bench', 'bin', 'chaos', 'demo', 'embedded'];

interface Ended {
  status: number;
  passing: number;
  failing: number;
}

const children = new Set<ReturnType<typeof spawn>>();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const child of children) child.kill(signal);
  });

/** @param show gets the output as it comes; without it, the output comes at the end in one piece */
async function runMocha(folders: readonly string[], show: boolean): Promise<Ended> {
  const child = spawn(process.execPath, [mocha, ...folders.map((folder) => `test/${folder}/**/*.test.ts`)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
  });
  children.add(child);
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (show) process.stdout.write(chunk);
    });
  const [code] = await once(child, 'close');
  children.delete(child);
  if (!show) process.stdout.write(Buffer.concat(chunks));
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    status: typeof code === 'number' ? code : 1,
    passing: counted(text, 'passing'),
    failing: counted(text, 'failing'),
  };
}

/** What mocha says in the end: `  12 passing (3s)`. */
function counted(text: string, what: string): number {
  // oxlint-disable-next-line no-control-regex -- the escapes of colours
  const plain = text.replaceAll(/\x1b\[[0-9;]*m/g, '');
  return Number([...plain.matchAll(new RegExp(`^ +(\\d+) ${what}`, 'gm'))].at(-1)?.[1] ?? 0);
}

const named = process.argv.slice(2);
if (named.length > 0) {
  const child = spawn(process.execPath, [mocha, ...named], { cwd: root, stdio: 'inherit' });
  children.add(child);
  const [code] = await once(child, 'close');
  process.exit(typeof code === 'number' ? code : 1);
}

// Once for both: where it has to be built, that takes minutes.
await ensureTemporalBinary({ info: console.error, warn: console.error });
const started = performance.now();
const others = readdirSync(join(root, 'test'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !PROCESSES.includes(entry.name))
  .map(({ name }) => name);
const ended = await Promise.all([runMocha(others, true), runMocha(PROCESSES, false)]);
const sum = (of: (one: Ended) => number): number => ended.reduce((total, one) => total + of(one), 0);
const failing = sum((one) => one.failing);
console.log(
  `\n  both together\n  ${sum((one) => one.passing)} passing (${Math.round((performance.now() - started) / 60_000)}m)`,
);
if (failing > 0) console.log(`  ${failing} failing`);
process.exit(Math.max(...ended.map(({ status }) => status)));
