import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from './log.ts';
import { finishes, makingIn, programCache, saysVersion, writableFolder } from './program.ts';

/** The version to build if none is found. From 1.6 on `go install` refuses the module (it has replacements). */
const cliVersion = 'v1.5.1';
const cliModule = 'github.com/temporalio/cli/cmd/temporal';
const downloadTimeoutMs = 5 * 60_000;
const buildTimeoutMs = 30 * 60_000;

export interface FindTemporalOptions {
  /** Folder of all embedded state; `HOME/bin/temporal` is used if it exists. */
  home: string;
  log: Log;
  /** Folder shared by all clones of one user; `~/.cache/casebook/bin` by default. */
  cache?: string;
}

const isTemporal = (path: string): Promise<boolean> => saysVersion(path, '--version', 'temporal version');

/** Lets the Temporal SDK download the CLI into `folder`. Returns the reason if it fails. */
async function download(folder: string, target: string): Promise<string | undefined> {
  const script = join(import.meta.dirname, 'temporal-download.ts');
  const failure = await finishes(process.execPath, [script, folder], { timeout: downloadTimeoutMs });
  if (failure !== undefined) return failure;
  for (const name of readdirSync(folder)) {
    if (await isTemporal(join(folder, name))) {
      renameSync(join(folder, name), target);
      return undefined;
    }
  }
  return 'the download is not a Temporal CLI';
}

/** Builds the CLI from source. Returns the reason if it fails. */
async function build(folder: string, target: string): Promise<string | undefined> {
  const command = [`GOBIN=${folder}`, 'go', 'install', `${cliModule}@${cliVersion}`];
  const failure = await finishes('env', command, { timeout: buildTimeoutMs });
  if (failure !== undefined) return failure;
  renameSync(join(folder, 'temporal'), target);
  return undefined;
}

/**
 * Finds a Temporal CLI, or gets one: `temporal` on PATH; one kept in `HOME/bin` or in the user's cache by an earlier
 * run; the SDK's own download; `go install`. New ones are kept in the cache.
 * @throws Error with what was tried and what the person can do
 */
export async function findTemporalBinary(options: FindTemporalOptions): Promise<string> {
  const { home, log, cache = programCache } = options;
  if (await isTemporal('temporal')) return 'temporal';
  const candidates = [join(home, 'bin', 'temporal'), join(cache, `temporal-${cliVersion}`)];
  for (const path of candidates) {
    if (existsSync(path) && (await isTemporal(path))) return path;
  }

  const folder = writableFolder(cache, join(home, 'bin'));
  const target = folder === cache ? candidates[1]! : candidates[0]!;
  return makingIn(folder, async (making) => {
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
        'A Temporal server is needed, but none could be obtained:',
        `  no "temporal" on PATH, none kept in ${candidates.join(' or ')}`,
        `  download: ${notDownloaded}`,
        `  go install ${cliModule}@${cliVersion}: ${notBuilt}`,
        'Do one of these: install the Temporal CLI (https://docs.temporal.io/cli), install Go, connect to the internet,',
        'or set TEMPORAL_ADDRESS to a Temporal server.',
      ].join('\n'),
    );
  });
}
