/** Server programs that no package manager installs, built from their Go modules. */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);

const buildTimeoutMs = 40 * 60_000;

export interface GoProgram {
  /** As it is called in messages. */
  title: string;
  /** On PATH, and the beginning of the kept file's name. */
  command: string;
  module: string;
  version: string;
  /** Its main package, below the module; empty for the module itself. */
  package: string;
  /** Folders of its module that it reads when it runs; they are kept in `PROGRAM.files`, beside the program. */
  files?: readonly string[];
  /** Arguments that make it say what it is, and what it says then. Other programs may have the same name. */
  identify: { args: string[]; says: string };
  /** Where people get it. */
  website: string;
}

/**
 * Finds a program, or builds it: on PATH; one that was built earlier; its Go module, which takes several minutes once.
 * What is built is kept in the user's cache.
 * @throws with what can be done when there is none and none can be built
 */
export async function findGoProgram(program: GoProgram): Promise<string> {
  const { title, command, version } = program;
  const cache = join(homedir(), '.cache', 'casebook', 'bin');
  if (await identifies(program, command)) return command;
  const kept = join(cache, `${command}-${version}`);
  if ((!program.files || existsSync(`${kept}.files`)) && (await identifies(program, kept))) return kept;
  await mkdir(cache, { recursive: true });
  const making = await mkdtemp(join(cache, `making-${command}-`));
  const began = performance.now();
  const minutes = () => Math.round((performance.now() - began) / 60_000);
  console.error(`${title} not found: building it with Go, which takes some minutes, once (kept in ${cache}) ...`);
  const ticking = setInterval(() => console.error(`  still building ${title} (${minutes()} min) ...`), 60_000);
  try {
    const built = await build(program, making);
    if (program.files) {
      await rm(`${kept}.files`, { recursive: true, force: true });
      await rename(`${built}.files`, `${kept}.files`);
    }
    await rename(built, kept);
    return kept;
  } catch (error) {
    throw new Error(
      `${title} is needed: install it (${program.website}) so that "${command}" is on PATH, or install Go, with which ` +
        `it can be built. Building it failed: ${String(error)}`,
      { cause: error },
    );
  } finally {
    clearInterval(ticking);
    await rm(making, { recursive: true, force: true });
  }
}

async function identifies({ identify }: GoProgram, path: string): Promise<boolean> {
  try {
    const { stdout, stderr } = await run(path, identify.args, { timeout: 20_000 });
    return `${stdout}${stderr}`.includes(identify.says);
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
 * Builds a program from its Go module. Modules that replace some of their dependencies are refused by `go install`, so
 * it is built from a module beside it that has the same replacements.
 */
async function build(program: GoProgram, folder: string): Promise<string> {
  const { module, version, command } = program;
  const described = await finish('go', ['mod', 'download', '-json', `${module}@${version}`], folder);
  const { Dir: source } = z.object({ Dir: z.string() }).parse(JSON.parse(described));
  const requirements = await readFile(join(source, 'go.mod'), 'utf8');
  const own = requirements
    .replace(/^module .*$/m, `module casebook-test-${command}`)
    // Relative to the program's repository, of which the module is only a part; the published one does as well.
    .replaceAll(/^replace .* => \.\/.*$/gm, '');
  await writeFile(join(folder, 'go.mod'), own);
  await copyFile(join(source, 'go.sum'), join(folder, 'go.sum'));
  await finish('chmod', ['u+w', 'go.sum'], folder);
  await finish('go', ['mod', 'edit', '-require', `${module}@${version}`], folder);
  const built = join(folder, command);
  const flags = `-s -w -X main.Version=${version.replace(/^v/, '')}`;
  await finish('go', ['build', '-ldflags', flags, '-o', built, join(module, program.package)], folder);
  for (const name of program.files ?? [])
    await cp(join(source, name), join(`${built}.files`, name), { recursive: true });
  if (program.files) await finish('chmod', ['-R', 'u+w', `${built}.files`], folder);
  return built;
}
