/**
 * `npm test`: every test, in three processes of mocha side by side, because most tests wait for processes most of the
 * time. Each process has database and Temporal servers of its own. `npm test -- FILE...` (or any options of mocha) runs
 * what is named, in one process.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureTemporalBinary } from '../src/embedded/temporal-server.ts';
import { endOf, summary, testGroups, type Ended } from './support/test-groups.ts';

const root = join(import.meta.dirname, '..');
const mocha = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');

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
  return endOf(typeof code === 'number' ? code : 1, Buffer.concat(chunks).toString('utf8'));
}

const named = process.argv.slice(2);
if (named.length > 0) {
  const child = spawn(process.execPath, [mocha, ...named], { cwd: root, stdio: 'inherit' });
  children.add(child);
  const [code] = await once(child, 'close');
  process.exit(typeof code === 'number' ? code : 1);
}

// Once for all: where it has to be built, that takes minutes.
await ensureTemporalBinary({ info: console.error, warn: console.error });
const started = performance.now();
const folders = readdirSync(join(root, 'test'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const ended = await Promise.all(testGroups(folders).map((group, index) => runMocha(group, index === 0)));
console.log(summary(ended, performance.now() - started));
process.exit(Math.max(...ended.map(({ status }) => status)));
