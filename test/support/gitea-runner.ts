/** Gitea's own CI runner, which executes jobs on this machine. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { silentLog } from '../../src/embedded/log.ts';
import { superviseAlone } from '../../src/embedded/supervisor.ts';
import type { TestGitea } from './gitea.ts';
import { findGoProgram } from './go-program.ts';
import { waitUntil } from './wait-until.ts';

const run = promisify(execFile);

export interface TestGiteaRunner extends AsyncDisposable {
  stop(): Promise<void>;
}

/** Finds Gitea's runner, or builds it. */
export function findGiteaRunnerBinary(): Promise<string> {
  return findGoProgram({
    title: "Gitea's runner",
    command: 'gitea-runner',
    module: 'gitea.com/gitea/runner',
    version: 'v1.0.8',
    package: '',
    identify: { args: ['--version'], says: 'gitea-runner version' },
    website: 'https://gitea.com/gitea/runner',
  });
}

/**
 * Starts a runner for all repositories, which executes jobs with `runs-on: linux` on this machine, without a container.
 * @param envs environment of the jobs
 */
export async function startGiteaRunner(gitea: TestGitea, envs: Record<string, string> = {}): Promise<TestGiteaRunner> {
  const binary = await findGiteaRunnerBinary();
  const home = await mkdtemp(join(tmpdir(), 'casebook-gitea-runner-'));
  const config = join(home, 'runner.yml');
  const runner = { file: join(home, 'runner.json'), capacity: 2, labels: ['linux:host'], envs };
  const intervals = { fetch_interval: '500ms', fetch_interval_max: '500ms', log_report_interval: '500ms' };
  // JSON is YAML.
  await writeFile(
    config,
    JSON.stringify({
      log: { level: 'warn' },
      runner: { ...runner, ...intervals, state_report_interval: '500ms' },
      cache: { enabled: false },
      host: { workdir_parent: join(home, 'work') },
    }),
  );
  const registration = await gitea.api('POST', '/admin/actions/runners/registration-token');
  const { token } = z.object({ token: z.string() }).parse(registration);
  const env = { ...process.env, HOME: home };
  const names = ['--instance', gitea.url, '--token', token, '--name', 'test', '--labels', 'linux:host'];
  await run(binary, ['register', '--config', config, '--no-interactive', ...names], { env, cwd: home });
  const runners = z.object({ runners: z.array(z.object({ status: z.string() })).nullable() });
  const server = await superviseAlone(
    {
      name: 'gitea-runner',
      marks: [`--config\n${config}\n`],
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 5_000,
      command: binary,
      args: ['daemon', '--config', config],
      cwd: home,
      env,
      async ready(signal) {
        const online = async (): Promise<true | undefined> => {
          const known = runners.parse(await gitea.api('GET', '/admin/actions/runners'));
          return known.runners?.some(({ status }) => status === 'online') || undefined;
        };
        await waitUntil(online, { what: "Gitea's runner", signal });
      },
    },
    { home, log: silentLog },
  );
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(home, { recursive: true, force: true });
  };
  return { stop, [Symbol.asyncDispose]: stop };
}
