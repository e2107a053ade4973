import { execFile, spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);

const lokiModule = 'github.com/grafana/loki/v3';
const lokiVersion = 'v3.7.8';
const buildTimeoutMs = 40 * 60_000;

/** Whether a program is Grafana Loki. Debian has a program of that name that does genetics. */
async function isLoki(path: string): Promise<boolean> {
  try {
    const { stdout, stderr } = await run(path, ['--version'], { timeout: 20_000 });
    return `${stdout}${stderr}`.includes('loki, version');
  } catch {
    return false;
  }
}

/** Runs a command to its end. @throws with the last lines it wrote when it fails */
async function finish(command: string, args: string[], cwd: string): Promise<string> {
  const env = { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0', GOWORK: 'off' };
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: buildTimeoutMs });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-2000)));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`${command} ${args[0]} failed:\n${errors || output}`);
  return output;
}

/**
 * Builds Loki from its Go module. The module replaces some of its dependencies, which `go install` refuses, so it is
 * built from a module beside it that has the same replacements.
 */
async function build(folder: string): Promise<string> {
  const described = await finish('go', ['mod', 'download', '-json', `${lokiModule}@${lokiVersion}`], folder);
  const { Dir: source } = z.object({ Dir: z.string() }).parse(JSON.parse(described));
  const requirements = await readFile(join(source, 'go.mod'), 'utf8');
  const own = requirements
    .replace(/^module .*$/m, 'module casebook-test-loki')
    // Relative to the repository of Loki, of which the module is only a part; the published one does as well.
    .replaceAll(/^replace .* => \.\/.*$/gm, '');
  await writeFile(join(folder, 'go.mod'), own);
  await copyFile(join(source, 'go.sum'), join(folder, 'go.sum'));
  await finish('chmod', ['u+w', 'go.sum'], folder);
  await finish('go', ['mod', 'edit', '-require', `${lokiModule}@${lokiVersion}`], folder);
  await finish('go', ['build', '-ldflags', '-s -w', '-o', join(folder, 'loki'), `${lokiModule}/cmd/loki`], folder);
  return join(folder, 'loki');
}

/**
 * Finds Grafana Loki, or builds it: `loki` on PATH; one that was built earlier; its Go module, which takes several
 * minutes once. What is built is kept in the user's cache.
 * @throws with what can be done when there is none and none can be built
 */
export async function findLokiBinary(cache = join(homedir(), '.cache', 'casebook', 'bin')): Promise<string> {
  if (await isLoki('loki')) return 'loki';
  const kept = join(cache, `loki-${lokiVersion}`);
  if (await isLoki(kept)) return kept;
  await mkdir(cache, { recursive: true });
  const making = await mkdtemp(join(cache, 'making-loki-'));
  const began = performance.now();
  const minutes = () => Math.round((performance.now() - began) / 60_000);
  console.error(`Grafana Loki not found: building it with Go, which takes some minutes, once (kept in ${cache}) ...`);
  const ticking = setInterval(() => console.error(`  still building Loki (${minutes()} min) ...`), 60_000);
  try {
    await rename(await build(making), kept);
    return kept;
  } catch (error) {
    throw new Error(
      `Grafana Loki is needed: install it (https://grafana.com/docs/loki/latest/setup/install/) so that "loki" is on ` +
        `PATH, or install Go, with which it can be built. Building it failed: ${String(error)}`,
      { cause: error },
    );
  } finally {
    clearInterval(ticking);
    await rm(making, { recursive: true, force: true });
  }
}
