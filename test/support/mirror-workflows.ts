/** The workflows of mirrors with PostgreSQL, Temporal, and repositories that are served over HTTP; no code host's API. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { CodeHostError } from '@casebook/connectors';
import { createMirrorActivities } from '../../activities/mirrors.ts';
import { creatorOf } from '../../src/db/base.ts';
import { anyTeam, forTeam } from '../../src/db/team-filter.ts';
import { mirrorWorkflowId } from '../../src/features/code-hosts/contract.ts';
import { Repository } from '../../src/features/code-hosts/entities.ts';
import { createMirrorLauncher, type MirrorLauncher } from '../../src/features/code-hosts/launch.ts';
import { createMirrors, type Mirrors } from '../../src/features/code-hosts/mirrors/index.ts';
import { Team } from '../../src/features/identity/index.ts';
import { Integration } from '../../src/features/integrations/index.ts';
import { createGitWorkspaces, type Workspaces } from '../../src/features/workspace/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { Orm } from '../../src/db/orm.ts';
import { createLogger, type Logger } from '../../src/platform/logger.ts';
import { createOutbound } from '../../src/platform/outbound/index.ts';
import { createTemporalClient } from '../../temporal/connection.ts';
import { createWorker } from '../../temporal/worker.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { startGitHttp, type GitHttp, type HostedRepository } from './git-http.ts';
import { workflowBundle } from './own-programs.ts';
import { temporalAddress } from './temporal.ts';
import { LONG_TIMEOUTS } from './timeouts.ts';
import { waitUntil } from './wait-until.ts';

export const CREDENTIAL = { username: 'casebook', password: 'a-token' };

export interface MirrorWorkflows {
  database: TestDatabase;
  temporal: Client;
  launcher: MirrorLauncher;
  mirrors: Mirrors;
  workspaces: Workspaces;
  host: GitHttp;
  teamId: string;
  /** The folder of workspaces and mirrors. */
  home: string;
  taskQueue: string;
  /** In place of a credential, an error. */
  refusal: { error: CodeHostError | undefined };
  /** Connects a repository that the host has. */
  connect(hosted: HostedRepository, fullName: string, given?: Partial<Repository>): Promise<Repository>;
  row(id: string): Promise<Repository | null>;
  until(id: string, what: string, wanted: (row: Repository) => boolean): Promise<Repository>;
  /** Asks for the newest commits, as a webhook does. */
  want(id: string): Promise<void>;
  /** How many fetches of a repository have begun. */
  fetches(hosted: HostedRepository): number;
  untilEnded(id: string): Promise<unknown>;
  startWorker(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

/** Mirrors and workspaces below a folder, of hosts that give {@link CREDENTIAL}. */
export function buildMirrors({
  orm,
  log,
  launcher,
  home,
  refusal = { error: undefined },
  program,
  staleMs,
}: {
  orm: Orm;
  log: Logger;
  launcher: MirrorLauncher;
  home: string;
  refusal?: MirrorWorkflows['refusal'];
  program?: string;
  staleMs?: number;
}): { mirrors: Mirrors; workspaces: Workspaces } {
  const gitTimeoutMs = LONG_TIMEOUTS.gitMs;
  const directory = join(home, 'workspaces');
  const workspaces = createGitWorkspaces({ directory, gitTimeoutMs, program, staleLockMs: staleMs });
  const { network } = createOutbound({ allow: ['127.0.0.1'] });
  const mirrors = createMirrors(
    {
      orm,
      clock: systemClock,
      log,
      workspaces,
      launcher,
      async remoteOf({ cloneUrl }) {
        if (refusal.error) throw refusal.error;
        return { url: cloneUrl, network, credential: CREDENTIAL };
      },
    },
    { directory: join(directory, 'mirrors'), gitTimeoutMs, program, staleMs },
  );
  return { mirrors, workspaces };
}

/** @param options.launch of the workflows, such as their pauses */
export async function startMirrorWorkflows({
  launch,
  workers = 1,
}: { launch?: Parameters<typeof createMirrorLauncher>[1]; workers?: number } = {}): Promise<MirrorWorkflows> {
  const database = await createTestDatabase();
  const { orm } = database;
  const host = await startGitHttp(CREDENTIAL);
  const home = mkdtempSync(join(tmpdir(), 'casebook-mirrors-'));
  const target = { address: await temporalAddress(), namespace: 'default' };
  const temporal = createTemporalClient(target);
  const taskQueue = `mirrors-${randomBytes(6).toString('hex')}`;
  const log = createLogger({ name: 'test', level: process.env['LOG_LEVEL'] ?? 'silent' });
  const launcher = createMirrorLauncher(temporal, { taskQueue, pauseMs: 20, longestPauseMs: 200, ...launch });
  const refusal: MirrorWorkflows['refusal'] = { error: undefined };
  const { mirrors, workspaces } = buildMirrors({ orm, log, launcher, home, refusal });
  const em = orm.em.fork();
  const teamId = em.create(Team, { name: 'Mirrors' }).id;
  const integration = em.create(Integration, {
    teamId,
    ...creatorOf(),
    family: 'mcp',
    name: 'Code',
    slug: 'code',
    status: 'connected',
    statusSince: new Date(),
    settings: {},
    sealed: '',
    found: { warnings: [], resources: [] },
    dueAt: new Date(),
  } as never);
  await em.flush();

  const activities = createMirrorActivities({ mirrors });
  const running = new Set<() => Promise<void>>();
  const startWorker = async (): Promise<() => Promise<void>> => {
    const { worker, run } = await createWorker({
      ...target,
      taskQueue,
      workflowBundle: await workflowBundle(),
      activities,
      worker: { shutdownGraceTime: '100ms', shutdownForceTime: '5s', stickyQueueScheduleToStartTimeout: '1s' },
    });
    const ended = run();
    const stop = async (): Promise<void> => {
      if (!running.delete(stop)) return;
      worker.shutdown();
      await ended;
    };
    running.add(stop);
    return stop;
  };
  for (let count = workers; count > 0; count--) await startWorker();

  const row = (id: string): Promise<Repository | null> => orm.em.fork().findOne(Repository, { id }, anyTeam);
  return {
    database,
    temporal,
    launcher,
    mirrors,
    workspaces,
    host,
    teamId,
    home,
    taskQueue,
    refusal,
    async connect(hosted, fullName, given) {
      const ofTeam = forTeam(orm.em, teamId);
      const made = ofTeam.create(Repository, {
        teamId,
        integrationId: integration.id,
        hostId: randomUUID(),
        fullName,
        defaultBranch: 'main',
        cloneUrl: hosted.cloneUrl,
        webUrl: hosted.cloneUrl,
        isPrivate: true,
        isArchived: false,
        webhookId: 'hook',
        webhookDueAt: new Date(),
        head: null,
        wantedAt: null,
        syncedAt: null,
        dueAt: new Date(Date.now() + 3_600_000),
        error: null,
        sizeBytes: null,
        ...given,
      });
      await ofTeam.flush();
      return made;
    },
    row,
    until: (id, what, wanted) =>
      waitUntil(
        async () => {
          const found = await row(id);
          return found && wanted(found) ? found : undefined;
        },
        { what },
      ),
    async want(id) {
      const found = await row(id);
      await mirrors.want([found!]);
    },
    fetches: ({ cloneUrl }) =>
      host.requests.filter(({ url }) => url.startsWith(`${new URL(cloneUrl).pathname}/info/refs`)).length,
    untilEnded: (id) => temporal.workflow.getHandle(mirrorWorkflowId(id)).result(),
    startWorker,
    async stop() {
      await Promise.all([...running].map((stop) => stop()));
      await temporal.connection.close();
      await host.close();
      await database.drop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
