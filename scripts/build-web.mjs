/**
 * Builds the web app into web/dist if its sources or packages have changed, and is silent otherwise; with --force
 * always. It runs after bootstrap.mjs before `npm start`, `npm test`, `npm run demo` and `check`, and in the image:
 * plain JavaScript for Node >= 20, with built-in modules and Vite only.
 * web/dist is always one complete build or absent: a build goes to its own folder and is then renamed. Concurrent
 * builds wait for each other, and later ones find nothing left to do.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const web = join(root, 'web');
const dist = join(web, 'dist');
const work = join(web, '.build');
/** Generated for the type checker; no build takes anything from it. */
const types = join(web, 'src/api/schema.d.ts');
const lock = join(work, 'lock');
/** Digest of the build's inputs, stored inside the build so that both come and go together. */
const STAMP = '.inputs.sha256';
/** Breaks a lock whose process is gone but whose pid was reused: no build takes that long. */
const LOCK_STALE_MS = 300_000;
const COMPRESSIBLE = new Set(['.css', '.js', '.json', '.mjs', '.svg', '.txt', '.wasm', '.webmanifest']);
/** Below this size, the savings are not worth a header. */
const COMPRESSED_FROM_BYTES = 1_024;

const say = (message) => process.stderr.write(`casebook: ${message}\n`);

const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]));

/** A digest of everything that affects the build. */
function inputs() {
  const sources = filesBelow(web).filter((file) => !file.startsWith(dist) && file !== types);
  const hash = createHash('sha256');
  for (const file of [...sources.sort(), join(root, 'package-lock.json'), fileURLToPath(import.meta.url)]) {
    const text = readFileSync(file);
    hash.update(`${relative(root, file)}\0${text.length}\0`).update(text);
  }
  return hash.digest('hex');
}

function isBuilt(wanted) {
  const stamp = join(dist, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8').trim() === wanted;
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Whether the lock was free. Should two processes ever hold it, both build, and one build replaces the other. */
function takeLock() {
  const mine = join(work, `lock-${process.pid}`);
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    try {
      const fresh = Date.now() - statSync(lock).mtimeMs < LOCK_STALE_MS;
      if (!fresh || !isRunning(Number(readFileSync(lock, 'utf8')))) rmSync(lock, { force: true });
    } catch (gone) {
      if (gone.code !== 'ENOENT') throw gone;
    }
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

async function runVite(outDir) {
  const vite = createRequire(join(web, 'package.json')).resolve('vite/package.json');
  const program = join(dirname(vite), JSON.parse(readFileSync(vite, 'utf8')).bin.vite);
  const tested = join(root, 'node_modules', '.bin', 'node');
  const args = [program, 'build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn'];
  const child = spawn(existsSync(tested) ? tested : process.execPath, args, {
    cwd: web,
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 2, 2],
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill(signal));
  const [status, signal] = await once(child, 'exit');
  if (status !== 0) throw new Error(`Vite ended with ${signal ?? status}; its message is above.`);
}

/** FILE.br and FILE.gz where they pay off: the server has no time to compress this well. */
async function compress(folder) {
  const brotli = (text) =>
    promisify(brotliCompress)(text, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
    });
  const files = filesBelow(folder).filter((file) => COMPRESSIBLE.has(extname(file)));
  await Promise.all(
    files.map(async (file) => {
      const text = await readFile(file);
      if (text.length < COMPRESSED_FROM_BYTES) return;
      await writeFile(`${file}.br`, await brotli(text));
      await writeFile(`${file}.gz`, await promisify(gzip)(text, { level: 9 }));
    }),
  );
}

/** Moves the build into place. Between the two renames there is no app, but never half of one. */
function replaceDist(fresh) {
  const old = `${fresh}-old`;
  for (;;) {
    try {
      renameSync(dist, old);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
    try {
      renameSync(fresh, dist);
      return rmSync(old, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
      rmSync(old, { recursive: true, force: true });
    }
  }
}

async function build(wanted) {
  for (const name of readdirSync(work).filter((name) => name.startsWith('dist-')))
    rmSync(join(work, name), { recursive: true, force: true });
  const fresh = join(work, `dist-${process.pid}`);
  await runVite(fresh);
  await compress(fresh);
  writeFileSync(join(fresh, STAMP), `${wanted}\n`);
  replaceDist(fresh);
}

async function main() {
  const force = process.argv.includes('--force');
  if (!force && isBuilt(inputs())) return;
  mkdirSync(work, { recursive: true });
  let waited = false;
  while (!takeLock()) {
    if (!waited) say('waiting for another build of the web app ...');
    waited = true;
    await sleep(100);
  }
  try {
    const wanted = inputs();
    if (isBuilt(wanted) && (waited || !force)) return;
    const reason = force ? '' : existsSync(dist) ? ' (its sources have changed)' : ' (first run)';
    say(`building the web app${reason} ...`);
    await build(wanted);
  } finally {
    rmSync(lock, { force: true });
  }
}

try {
  await main();
} catch (error) {
  say(`the web app could not be built: ${error.message}`);
  process.exitCode = 1;
}
