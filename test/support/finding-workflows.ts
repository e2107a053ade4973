/**
 * The workflows of findings with their own activities, PostgreSQL and Temporal; investigations are real, with a scripted
 * model. Only the channel is a test's own: it remembers what it was sent, and fails when it is told to.
 */
import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { createFindingActivities } from '../../activities/findings.ts';
import { createInvestigationActivities } from '../../activities/investigations.ts';
import { createRunActivities } from '../../activities/runs.ts';
import { waitUntil } from './wait-until.ts';
import { forTeam } from '../../src/db/team-filter.ts';
import { investigationProfile } from '../../src/features/investigations/index.ts';
import { findingWorkflowId } from '../../src/features/monitoring-agents/contract.ts';
import { Finding } from '../../src/features/monitoring-agents/entities.ts';
import {
  createFindingLauncher,
  sweepFindings,
  notifyFindings,
  type FindingDeps,
  type FindingSweepOptions,
} from '../../src/features/monitoring-agents/findings/index.ts';
import type { Delivered, Delivery } from '../../src/features/notifications/port.ts';
import type { RunDeps } from '../../src/features/runs/index.ts';
import { createModelClient, DEFAULT_MODEL } from '../../src/platform/anthropic/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createEventLog } from '../../src/platform/event-log/index.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createTemporalClient } from '../../temporal/connection.ts';
import { createWorker } from '../../temporal/worker.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { startScriptedModel, type Script, type ScriptedModel } from './scripted-model/index.ts';
import { catalogOf, sampleIncident } from './telemetry-source.ts';
import { workflowBundle } from './own-programs.ts';
import { temporalAddress } from './temporal.ts';

export interface FindingWorkflows {
  database: TestDatabase;
  temporal: Client;
  taskQueue: string;
  model: ScriptedModel;
  /** What the channel took, in order. */
  sent: Delivery[];
  /** Every attempt to send, in order. */
  attempts: Delivery[];
  /** What the channel does with a delivery; by default it takes it into one thread. */
  channel: { deliver: (delivery: Delivery) => Promise<Delivered> };
  deps: FindingDeps;
  /** Tells the workflows, as whoever committed the findings does. */
  tell(findings: readonly Finding[]): Promise<void>;
  sweep(options?: Partial<FindingSweepOptions>): Promise<number>;
  /** Starts a worker more. @returns what stops it */
  startWorker(): Promise<() => Promise<void>>;
  /** Waits until a finding's row is as wanted. */
  until(id: string, what: string, wanted: (finding: Finding) => boolean): Promise<Finding>;
  /** Waits until so much was sent. @returns the events, in order */
  untilSent(count: number): Promise<string[]>;
  /** Waits until the workflow has ended. */
  untilEnded(id: string): Promise<unknown>;
  stop(): Promise<void>;
}

/**
 * @param options.launch of the workflows, to make their histories short
 * @param options.workers how many are started at once; one unless given
 */
export async function startFindingWorkflows(options: {
  script: Script;
  launch?: Parameters<typeof createFindingLauncher>[1];
  workers?: number;
}): Promise<FindingWorkflows> {
  const database = await createTestDatabase();
  const { orm } = database;
  const model = await startScriptedModel(options.script);
  const target = { address: await temporalAddress(), namespace: 'default' };
  const temporal = createTemporalClient(target);
  const taskQueue = `findings-${randomBytes(6).toString('hex')}`;
  const log = createLogger({ name: 'test', level: process.env['LOG_LEVEL'] ?? 'silent' });
  const events = createEventLog({ databaseUrl: database.url, log });
  const sent: Delivery[] = [];
  const attempts: Delivery[] = [];
  const channel: FindingWorkflows['channel'] = {
    deliver: async ({ idempotencyKey }) => ({ receipt: `took ${idempotencyKey}`, thread: { first: idempotencyKey } }),
  };
  const appUrl = 'https://casebook.example';
  const shared = { orm, clock: systemClock, log, events, appUrl };
  const runs: RunDeps & { appUrl: string } = {
    ...shared,
    model: createModelClient({ baseUrl: model.url, apiKey: 'test', model: DEFAULT_MODEL }),
    sources: async () => catalogOf(sampleIncident()),
    profiles: {
      investigation: investigationProfile(),
      chat: () => Promise.reject(new Error('there is no chat')),
      check: () => Promise.reject(new Error('there is no check')),
    },
    readScopes: {},
  };
  const deps: FindingDeps = {
    ...shared,
    model: runs.model,
    async deliver(_stored, _teamId, delivery) {
      attempts.push(delivery);
      const delivered = await channel.deliver(delivery);
      sent.push(delivery);
      return delivered;
    },
    isBudgetSpent: async () => false,
    investigationBudget: {
      maxSteps: 10,
      maxCostUsd: 5,
      maxWallSeconds: 600,
      toolTimeoutSeconds: 10,
      approvalSeconds: 60,
    },
  };
  const activities = {
    ...createFindingActivities(deps),
    ...createRunActivities(runs),
    ...createInvestigationActivities(runs),
  };
  const launcher = createFindingLauncher(temporal, { taskQueue, ...options.launch });
  const teller = { orm, log, launcher };
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
  for (let count = options.workers ?? 1; count > 0; count -= 1) await startWorker();

  const find = (id: string): Promise<Finding> =>
    orm.em.fork().findOneOrFail(Finding, { id }, { filters: { team: false } });
  return {
    database,
    temporal,
    taskQueue,
    model,
    sent,
    attempts,
    channel,
    deps,
    startWorker,
    tell: (findings) => notifyFindings(teller, findings),
    sweep: (sweeping) => sweepFindings({ ...teller, clock: systemClock }, sweeping),
    until: (id, what, wanted) =>
      waitUntil(
        async () => {
          const finding = await find(id);
          return wanted(finding) ? finding : undefined;
        },
        { what },
      ),
    async untilSent(count) {
      const what = `${count} notifications; there are ${sent.map(({ message }) => message.event).join(', ')}`;
      await waitUntil(async () => sent.length >= count || undefined, { what });
      return sent.map(({ message }) => message.event);
    },
    untilEnded: (id) => temporal.workflow.getHandle(findingWorkflowId(id)).result(),
    async stop() {
      await Promise.all([...running].map((stop) => stop()));
      await events.close();
      await temporal.connection.close();
      await model.stop();
      await database.drop();
    },
  };
}

/** Changes a finding's row, as time or an operator would. */
export async function changeFinding(
  database: TestDatabase,
  { id, teamId }: Finding,
  columns: Partial<Finding>,
): Promise<void> {
  await forTeam(database.orm.em, teamId).nativeUpdate(Finding, { id }, columns);
}
