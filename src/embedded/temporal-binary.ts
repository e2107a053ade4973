import { execFile, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Log } from './log.ts';

const run = promisify(execFile);

/** The version that is built when none is found. From 1.6 on `go install` refuses the module (it has replacements). */
const cliVersion = 'v1.5.1';
const cliModule = 'github.com/temporalio/cli/cmd/temporal';
const downloadTimeoutMs = 5 * 60_000;
const buildTimeoutMs = 30 * 60_000;

export interface FindTemporalOptions {
  /** Folder of all embedded state; `HOME/bin/temporal` is used when it is there. */
  home: string;
  log: Log;
  /** Folder shared by all clones of one user; `~/.cache/casebook/bin` unless given. */
  cache?: string;
}

/** Whether a program is the Temporal CLI and runs on this machine. */
async function isTemporal(path: string): Promise<boolean> {
  try {
    const { stdout } = await run(path, ['--version'], { timeout: 20_000 });
    return stdout.startsWith('temporal version');
  } catch {
    return false;
  }
}

function canWrite(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Runs a command to its end; returns the last line of its error output when it fails. */
function finishes(command: string, args: string[], timeout: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-4_000)));
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) =>
      resolve(code === 0 ? undefined : (errors.trim().split('\n').at(-1) ?? `exit ${code}`)),
    );
  });
}

/** Lets the Temporal SDK download the CLI into `folder`. Returns why it could not, if so. */
async function download(folder: string, target: string): Promise<string | undefined> {
  const script = join(import.meta.dirname, 'temporal-download.ts');
  const failure = await finishes(process.execPath, [script, folder], downloadTimeoutMs);
  if (failure !== undefined) return failure;
  for (const name of readdirSync(folder)) {
    if (await isTemporal(join(folder, name))) {
      renameSync(join(folder, name), target);
      return undefined;
    }
  }
  return 'the download is not a Temporal CLI';
}

/** Builds the CLI from source. Returns why it could not, if so. */
async function build(folder: string, target: string): Promise<string | undefined> {
  const command = [`GOBIN=${folder}`, 'go', 'install', `${cliModule}@${cliVersion}`];
  const failure = await finishes('env', command, buildTimeoutMs);
  if (failure !== undefined) return failure;
  renameSync(join(folder, 'temporal'), target);
  return undefined;
}

/**
 * Finds a Temporal CLI, or gets one: `temporal` on PATH; one kept in `HOME/bin` or in the user's cache by an earlier run;
 * the SDK's own download; `go install`. What is got is kept in the cache.
 * @throws Error with what was tried and what the person can do
 */
export async function findTemporalBinary(options: FindTemporalOptions): Promise<string> {
  const { home, log, cache = join(homedir(), '.cache', 'casebook', 'bin') } = options;
  if (await isTemporal('temporal')) return 'temporal';
  const kept = [join(home, 'bin', 'temporal'), join(cache, `temporal-${cliVersion}`)];
  for (const path of kept) {
    if (existsSync(path) && (await isTemporal(path))) return path;
  }

  const folder = canWrite(cache) ? cache : join(home, 'bin');
  const target = folder === cache ? kept[1]! : kept[0]!;
  mkdirSync(folder, { recursive: true });
  // Made aside and moved into place, so that a second start at the same time never runs half a program.
  const making = mkdtempSync(join(folder, 'making-'));
  try {
    log.info('Temporal CLI not found: downloading it (once) ...');
    const notDownloaded = await download(making, target);
    if (notDownloaded === undefined) return target;

    log.info(`Download failed. Building it with Go instead: this takes a few minutes, once (kept in ${folder}) ...`);
    const began = performance.now();
    const ticking = setInterval(() => {
      log.info(`  still building the Temporal CLI (${Math.round((performance.now() - began) / 60_000)} min) ...`);
    }, 60_000);
    const notBuilt = await build(making, target).finally(() => clearInterval(ticking));
    if (notBuilt === undefined) return target;

    throw new Error(
      [
        'A Temporal server is needed and none could be had:',
        `  no "temporal" on PATH, none kept in ${kept.join(' or ')}`,
        `  download: ${notDownloaded}`,
        `  go install ${cliModule}@${cliVersion}: ${notBuilt}`,
        'Do one of these: install the Temporal CLI (https://docs.temporal.io/cli), install Go, connect to the internet,',
        'or set TEMPORAL_ADDRESS to a Temporal server.',
      ].join('\n'),
    );
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}
