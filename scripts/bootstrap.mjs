/**
 * Installs the dependencies if they are missing or out of date; otherwise silent.
 * It runs before `npm start`, `npm test`, `npm run demo`, `check` and `bench`, on whatever Node the user has, before
 * anything is installed: hence plain JavaScript for Node >= 20 with built-in modules only. The Node 24 that the rest of
 * the repository needs is itself a dependency, which npm puts first on PATH for the script that follows.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.casebook-lock.sha256');

/** Exits with one readable message. */
function fail(message) {
  process.stderr.write(`casebook: ${message}\n`);
  process.exit(1);
}

/** The text of a file, or undefined if it does not exist. */
function textOf(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/**
 * Whether npm's record of what it installed matches the lock file. Avoids a reinstall after a plain `npm install
 * PACKAGE`, which changes both together.
 */
function installedMatches(lockText, installedText) {
  const wanted = JSON.parse(lockText).packages;
  const installed = JSON.parse(installedText).packages;
  const same = (a, b) => a.version === b.version && a.integrity === b.integrity;
  const present = Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true;
    const found = installed[path];
    // Optional packages of other platforms are in the lock file but rightly not on disk.
    return found ? same(found, entry) : Boolean(entry.optional || entry.peer);
  });
  return present && Object.keys(installed).every((path) => path in wanted);
}

/** The environment for a nested npm: without the outer npm's settings, and without the Node it may replace. */
function cleanEnvironment() {
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_(lifecycle|package|command|execpath)/i.test(name));
  const env = Object.fromEntries(kept);
  env.PATH = (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.endsWith(join('node_modules', '.bin')))
    .join(delimiter);
  return env;
}

const major = Number(process.versions.node.split('.')[0]);
if (major < 20) fail(`Node 20 or newer is needed, this is Node ${process.versions.node}. See https://nodejs.org.`);

const lockText = textOf(join(root, 'package-lock.json'));
if (lockText === undefined) fail('package-lock.json is missing: this is not a complete clone.');
const lockHash = createHash('sha256').update(lockText).digest('hex');

// npm links .bin/node only once the package's install script has put a Node there.
const nodeInstalled = existsSync(join(modules, '.bin', 'node'));
if (nodeInstalled && textOf(stampFile)?.trim() === lockHash) process.exit(0);

const installedText = textOf(join(modules, '.package-lock.json'));
if (!(nodeInstalled && installedText !== undefined && installedMatches(lockText, installedText))) {
  const reason = installedText === undefined ? 'first run' : 'package-lock.json has changed';
  process.stderr.write(`casebook: installing dependencies (${reason}) ...\n`);
  const install = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    env: cleanEnvironment(),
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (install.error) fail(`npm could not be started: ${install.error.message}`);
  if (install.status !== 0) fail(`npm ci failed (exit ${install.status}); its message is above.`);
}

const check = spawnSync(join(modules, '.bin', 'node'), ['--version'], {
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
if (check.status !== 0) {
  fail('the Node 24 package did not install; allow its install script: npm rebuild node (and unset ignore-scripts).');
}
writeFileSync(stampFile, `${lockHash}\n`);
