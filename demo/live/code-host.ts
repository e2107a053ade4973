/** The code host of the live shop: a Gitea whose newest commit runs in the payments service. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import type { Log } from '../../src/embedded/log.ts';
import type { Supervisor } from '../../src/embedded/supervisor.ts';
import { waitUntil } from '../../src/embedded/wait-until.ts';
import { callApi, type CasebookAddress } from '../casebook-api.ts';
import { deployBranch } from '../code-host/deploying.ts';
import { BRANCH, breaking, healthy, ORGANISATION, REPOSITORY } from '../code-host/history.ts';
import { commitTo, makeRepository, mergePullRequest, type GiteaAddress } from '../code-host/repository.ts';
import { findGitea } from '../servers/find.ts';
import { giteaProcess } from '../servers/gitea.ts';

/** The name of the connection, which makes it replace that of an earlier demo. */
const CONNECTION = 'demo-gitea';
const DATABASE = 'casebook_demo_gitea';
const SYNC_MS = 60_000;

const connected = z.object({ integrations: z.array(z.object({ id: z.string(), name: z.string() })) });
const listed = z.object({
  repositories: z.array(z.object({ full_name: z.string(), synced_at: z.string().nullable() })),
});

/** The repository whose commit breaks the shop. */
export const FULL_NAME = `${ORGANISATION}/${REPOSITORY}`;

export interface LiveCodeHost {
  url: string;
  address: GiteaAddress;
  /** For people who sign in there. */
  account: { username: string; password: string };
  /** What broke the service; undefined until then. */
  readonly commit: string | undefined;
  /** Commits what breaks the service, and deploys it. */
  breakIt(): Promise<void>;
  /** Merges a pull request, and deploys the branch. */
  merge(number: number): Promise<void>;
}

/**
 * Starts Gitea with the shop's repository, connects it to Casebook, and deploys it.
 * @param options.service base URL of the payments service
 * @throws if there is no Gitea, or Casebook cannot connect it
 */
export async function startCodeHost(options: {
  home: string;
  log: Log;
  supervisor: Supervisor;
  casebook: CasebookAddress;
  /** Of a role that may create databases. */
  adminDatabaseUrl: string;
  service: string;
  signal: AbortSignal;
}): Promise<LiveCodeHost> {
  const { home, log, supervisor, casebook, service, signal } = options;
  const folder = join(home, 'demo', 'gitea');
  const databaseUrl = await emptyDatabase(options.adminDatabaseUrl);
  const { spec, url, admin } = await giteaProcess({ binary: await findGitea({ home, log }), folder, databaseUrl });
  await supervisor.start(spec);
  const gitea: GiteaAddress = { url, token: admin.token };
  await makeRepository(gitea, healthy);
  const deploying = deployBranch(gitea, { folder: join(home, 'demo', 'deployed'), service, log, signal });
  await deploying.now();
  await connect(casebook, gitea, signal);
  let commit: string | undefined;
  return {
    url,
    address: gitea,
    account: admin,
    get commit() {
      return commit;
    },
    async breakIt() {
      commit = await commitTo(gitea, breaking);
      await deploying.now();
    },
    async merge(number) {
      await mergePullRequest(gitea, number);
      await deploying.now();
    },
  };
}

/** @returns the address of a new database beside Casebook's own, as a role that owns nothing else */
async function emptyDatabase(server: string): Promise<string> {
  const password = randomBytes(16).toString('hex');
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(`drop database if exists ${DATABASE} with (force)`);
    await client.query(`drop role if exists ${DATABASE}`);
    await client.query(`create role ${DATABASE} login password '${password}'`);
    await client.query(`create database ${DATABASE} owner ${DATABASE}`);
  } finally {
    await client.end();
  }
  const url = new URL(server);
  Object.assign(url, { pathname: `/${DATABASE}`, username: DATABASE, password });
  return url.href;
}

async function connect(casebook: CasebookAddress, { url, token }: GiteaAddress, signal: AbortSignal): Promise<void> {
  const { integrations } = connected.parse(await callApi(casebook, 'GET', '/api/integrations', { signal }));
  for (const { id, name } of integrations)
    if (name === CONNECTION) await callApi(casebook, 'DELETE', `/api/code-hosts/${id}`, { signal });
  await callApi(casebook, 'POST', '/api/code-hosts/gitea', { body: { name: CONNECTION, url, token }, signal });
  await waitUntil(
    async () => {
      const { repositories } = listed.parse(await callApi(casebook, 'GET', '/api/code-hosts/repositories', { signal }));
      return repositories.some((one) => one.full_name === FULL_NAME && one.synced_at !== null) || undefined;
    },
    { what: `the mirror of ${FULL_NAME} (${BRANCH})`, timeoutMs: SYNC_MS, signal },
  );
}
