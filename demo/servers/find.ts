/** Where Prometheus, Grafana Loki, Jaeger and Gitea come from on an unprepared machine. */
import { chmodSync, existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../src/embedded/log.ts';
import { finishes, makingIn, programCache, saysVersion, writableFolder } from '../../src/embedded/program.ts';
import { downloadRelease, goPlatform } from './release.ts';
import { messageOf } from '../../src/platform/message-of.ts';

const prometheusVersion = '3.5.0';
const lokiVersion = '3.7.8';
const jaegerVersion = '1.76.0';
const giteaVersion = '1.26.0';
const unpackTimeoutMs = 120_000;
const packageTimeoutMs = 120_000;

export interface FindOptions {
  log: Log;
  /** Folder of all embedded state; `HOME/bin` is used if the cache is not writable. */
  home: string;
  /** Folder shared by all clones of one user; `~/.cache/casebook/bin` by default. */
  cache?: string;
  /** URL of the folder with a release's files; the project's own by default. */
  release?: string;
  /** Command on PATH to try first; the program's usual name by default, none if empty. */
  command?: string;
}

interface Program {
  title: string;
  command: string;
  /** Name in the cache. */
  kept: string;
  /** The argument that makes it say its version, and what it says then. */
  version: string;
  mark: string;
  /** Ways to get it into a folder, in order. Each returns its path or throws. */
  ways: readonly { name: string; get: (folder: string, options: FindOptions) => Promise<string> }[];
}

const prometheus: Program = {
  title: 'Prometheus',
  command: 'prometheus',
  // Any version: a package's version is not ours to choose.
  kept: 'prometheus',
  version: '--version',
  mark: 'prometheus, version',
  ways: [
    {
      name: 'download',
      async get(folder, options) {
        const name = `prometheus-${prometheusVersion}.${goPlatform()}`;
        const home = `https://github.com/prometheus/prometheus/releases/download/v${prometheusVersion}`;
        const archive = await downloadRelease(options.release ?? home, `${name}.tar.gz`, 'sha256sums.txt', folder);
        await succeeds('tar', ['-xzf', archive, '-C', folder], { timeout: unpackTimeoutMs });
        return join(folder, name, 'prometheus');
      },
    },
    {
      // Needs no root: the package is fetched and unpacked, not installed.
      name: "Debian's package",
      async get(folder) {
        await succeeds('apt-get', ['download', '-q', 'prometheus'], { timeout: packageTimeoutMs, cwd: folder });
        const archive = readdirSync(folder).find((file) => file.endsWith('.deb'));
        if (!archive) throw new Error('apt-get downloaded nothing');
        await succeeds('dpkg-deb', ['-x', join(folder, archive), folder], { timeout: unpackTimeoutMs });
        return join(folder, 'usr', 'bin', 'prometheus');
      },
    },
  ],
};

const loki: Program = {
  title: 'Grafana Loki',
  command: 'loki',
  // Debian has an unrelated genetics program of that name.
  kept: `loki-v${lokiVersion}`,
  version: '--version',
  mark: 'loki, version',
  ways: [
    {
      name: 'download',
      async get(folder, options) {
        const name = `loki-${goPlatform()}`;
        const home = `https://github.com/grafana/loki/releases/download/v${lokiVersion}`;
        const archive = await downloadRelease(options.release ?? home, `${name}.zip`, 'SHA256SUMS', folder);
        const withUnzip = await finishes('unzip', ['-q', archive, '-d', folder], { timeout: unpackTimeoutMs });
        // The tar of macOS and Windows reads zip files.
        if (withUnzip !== undefined)
          await succeeds('tar', ['-xf', archive, '-C', folder], { timeout: unpackTimeoutMs });
        return join(folder, name);
      },
    },
  ],
};

const jaeger: Program = {
  title: 'Jaeger',
  command: 'jaeger-all-in-one',
  kept: `jaeger-all-in-one-v${jaegerVersion}`,
  version: 'version',
  mark: 'gitVersion',
  // Building it takes minutes, which a demo has not got: `npm run test:servers` does.
  ways: [],
};

const gitea: Program = {
  title: 'Gitea',
  command: 'gitea',
  kept: `gitea-v${giteaVersion}`,
  version: '--version',
  mark: 'itea version',
  // As Jaeger.
  ways: [],
};

/**
 * Path of a Prometheus: on PATH, kept from an earlier run, its release, or Debian's package. @throws with what was
 * tried
 */
export function findPrometheus(options: FindOptions): Promise<string> {
  return find(prometheus, options);
}

/** Path of a Grafana Loki: on PATH, kept from an earlier run, or its release. @throws with what was tried */
export function findLoki(options: FindOptions): Promise<string> {
  return find(loki, options);
}

/** Path of a Jaeger: on PATH, or kept from an earlier build. @throws if there is none: it is not downloaded */
export function findJaeger(options: FindOptions): Promise<string> {
  return find(jaeger, options);
}

/** Path of a Gitea: on PATH, or kept from an earlier build. @throws if there is none: it is not downloaded */
export function findGitea(options: FindOptions): Promise<string> {
  return find(gitea, options);
}

async function find(program: Program, options: FindOptions): Promise<string> {
  const { title, kept, version, mark, ways } = program;
  const { log, home, cache = programCache, command = program.command } = options;
  const works = (path: string) => saysVersion(path, version, mark);
  if (command !== '' && (await works(command))) return command;
  const places = [join(cache, kept), join(home, 'bin', kept)];
  for (const path of places) if (existsSync(path) && (await works(path))) return path;

  if (ways.length === 0) throw new Error(`${title} was not found (${command} on PATH, or ${kept} in ${cache})`);
  log.info(`${title} not found: getting it (once) ...`);
  const folder = writableFolder(cache, join(home, 'bin'));
  const failures: string[] = [];
  for (const way of ways) {
    try {
      return await makingIn(folder, async (making) => {
        const made = await way.get(making, options);
        chmodSync(made, 0o755);
        if (!(await works(made))) throw new Error('it does not run on this machine');
        const target = join(folder, kept);
        renameSync(made, target);
        return target;
      });
    } catch (error) {
      failures.push(`${way.name}: ${messageOf(error)}`);
    }
  }
  throw new Error(`${title} was not found and could not be downloaded (${failures.join('; ')})`);
}

async function succeeds(command: string, args: string[], options: { timeout: number; cwd?: string }): Promise<void> {
  const failure = await finishes(command, args, options);
  if (failure !== undefined) throw new Error(failure);
}
