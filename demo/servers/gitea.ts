import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../src/embedded/free-port.ts';
import type { ChildSpec } from '../../src/embedded/supervisor.ts';
import { waitUntil } from '../../src/embedded/wait-until.ts';

const run = promisify(execFile);

const USUAL_PORT = 3300;
const LOOPBACK = '127.0.0.1';

export interface GiteaAccount {
  username: string;
  password: string;
  /** An access token with all scopes. */
  token: string;
}

export interface GiteaServer {
  spec: ChildSpec;
  /** Its root, without a slash at the end. */
  url: string;
  admin: GiteaAccount;
  createUser(username: string): Promise<GiteaAccount>;
}

/**
 * Gitea on loopback only, empty but for its administrator, with CI and with webhooks to this machine.
 * @param options.binary path of Gitea; what a build of its Go module reads is in `BINARY.files`
 * @param options.folder of all its files; emptied
 * @param options.databaseUrl an empty PostgreSQL database
 */
export async function giteaProcess(options: {
  binary: string;
  folder: string;
  databaseUrl: string;
  port?: number;
}): Promise<GiteaServer> {
  const { binary, folder } = options;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const port = await freePort(options.port ?? USUAL_PORT);
  const url = `http://${LOOPBACK}:${port}`;
  const config = join(folder, 'app.ini');
  writeFileSync(config, settings({ ...options, url, port }), { mode: 0o600 });
  const env = { ...process.env, HOME: folder };
  const gitea = async (...args: string[]): Promise<string> => {
    const { stdout } = await run(binary, ['--work-path', folder, '--config', config, ...args], { env, cwd: folder });
    return stdout;
  };
  const createUser = async (username: string, ...flags: string[]): Promise<GiteaAccount> => {
    const password = randomBytes(12).toString('hex');
    const named = ['--username', username, '--password', password, '--email', `${username}@example.com`];
    await gitea('admin', 'user', 'create', ...named, '--must-change-password=false', ...flags);
    const tokens = ['admin', 'user', 'generate-access-token', '--username', username];
    // Warnings come before it.
    const written = await gitea(...tokens, '--token-name', 'all', '--scopes', 'all', '--raw');
    return { username, password, token: written.trim().split('\n').at(-1) ?? '' };
  };
  await gitea('migrate');
  return {
    url,
    admin: await createUser('casebook', '--admin'),
    createUser: (username) => createUser(username),
    spec: {
      name: 'gitea',
      marks: [`--config\n${config}\n`],
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 10_000,
      command: binary,
      args: ['--work-path', folder, '--config', config, 'web'],
      cwd: folder,
      env,
      ready: async (signal) => {
        await waitUntil(async () => (await fetch(`${url}/api/v1/version`, { signal })).ok || undefined, {
          what: `Gitea at ${url}`,
          timeoutMs: 60_000,
          signal,
        });
      },
    },
  };
}

type Sections = Record<string, Record<string, string | number | boolean>>;

function settings(options: { binary: string; databaseUrl: string; url: string; port: number }): string {
  const database = new URL(options.databaseUrl);
  const files = `${options.binary}.files`;
  const sections: Sections = {
    '': { RUN_USER: userInfo().username, I_AM_BEING_UNSAFE_RUNNING_AS_ROOT: true, RUN_MODE: 'prod' },
    server: {
      HTTP_ADDR: LOOPBACK,
      HTTP_PORT: options.port,
      ROOT_URL: `${options.url}/`,
      DISABLE_SSH: true,
      OFFLINE_MODE: true,
      // Released programs have these files inside.
      ...(existsSync(files) && { STATIC_ROOT_PATH: files }),
    },
    database: {
      DB_TYPE: 'postgres',
      HOST: database.host,
      NAME: database.pathname.slice(1),
      USER: decodeURIComponent(database.username),
      PASSWD: `\`${decodeURIComponent(database.password)}\``,
      SSL_MODE: 'disable',
    },
    security: { INSTALL_LOCK: true },
    service: { DISABLE_REGISTRATION: true },
    oauth2: { INVALIDATE_REFRESH_TOKENS: true },
    repository: { DEFAULT_BRANCH: 'main' },
    webhook: { ALLOWED_HOST_LIST: 'loopback' },
    actions: { ENABLED: true, DEFAULT_ACTIONS_URL: 'self' },
    indexer: { ISSUE_INDEXER_TYPE: 'db' },
    queue: { TYPE: 'channel' },
    log: { MODE: 'console', LEVEL: 'warn' },
  };
  return Object.entries(sections)
    .map(([name, values]) =>
      [...(name ? [`[${name}]`] : []), ...Object.entries(values).map(([key, value]) => `${key} = ${value}`), ''].join(
        '\n',
      ),
    )
    .join('\n');
}
