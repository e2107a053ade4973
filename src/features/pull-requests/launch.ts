/** Starts the workflows of pull requests, and repairs what a crash between two systems leaves behind. */
import type { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { FilterQuery } from '@mikro-orm/core';
import { TASK_QUEUE } from '../../../temporal/queues.ts';
import { kindAttribute, teamAttribute } from '../../../temporal/search-attributes.ts';
import { anyTeam, forTeam } from '../../db/team-filter.ts';
import { casebookLink } from '../runs/contract.ts';
import { createWorkflowControl, repairEach, type WorkflowState } from '../runs/index.ts';
import { PULL_REQUEST_WORKFLOW, pullRequestWorkflowId, type PullRequestWorkflowInput } from './contract.ts';
import type { PullRequestDeps } from './deps.ts';
import { PullRequest } from './entities.ts';
import { originUrl } from './links.ts';

/** By then a host is back, or somebody should know. */
const OUTAGE_SECONDS = 24 * 3_600;

export interface PullRequestLauncher {
  /** Starts the workflow; harmless while one runs. @throws when Temporal did not accept it */
  start(row: PullRequest): Promise<void>;
  state(id: string): Promise<WorkflowState>;
}

export function createPullRequestLauncher(
  client: Client,
  options: { appUrl: string; taskQueue?: string; deadlineMs?: number; outageSeconds?: number },
): PullRequestLauncher {
  const { appUrl, taskQueue = TASK_QUEUE, deadlineMs, outageSeconds = OUTAGE_SECONDS } = options;
  const { soon, state } = createWorkflowControl(client, deadlineMs);
  return {
    async start(row) {
      const { id, teamId, title, repository } = row;
      const input: PullRequestWorkflowInput = { pullRequestId: id, teamId, outageSeconds };
      await soon(() =>
        client.workflow.start(PULL_REQUEST_WORKFLOW, {
          taskQueue,
          workflowId: pullRequestWorkflowId(id),
          // After a conflict or failure it can be asked for again.
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          workflowIdConflictPolicy: 'USE_EXISTING',
          args: [input],
          staticSummary: `${repository}: ${title}`.slice(0, 200),
          staticDetails: casebookLink(originUrl(appUrl, row)),
          typedSearchAttributes: new TypedSearchAttributes([
            { key: teamAttribute, value: teamId },
            { key: kindAttribute, value: 'pull-request' },
          ]),
        }),
      );
    },
    state: (id) => state(pullRequestWorkflowId(id)),
  };
}

/** Starts the workflow of a committed row; leaves what Temporal does not accept to the sweeper. */
export async function launch(deps: PullRequestDeps, row: PullRequest): Promise<void> {
  const { id, teamId, attempt } = row;
  try {
    await deps.launcher.start(row);
    const startedAt = deps.clock.now();
    await forTeam(deps.orm.em, teamId).nativeUpdate(PullRequest, { id, attempt, startedAt: null }, { startedAt });
  } catch (error) {
    const message = 'could not start the workflow of a pull request; the sweeper will retry';
    deps.log.warn({ err: error, pullRequestId: id }, message);
  }
}

export interface PullRequestSweepOptions {
  /** How long a row may wait for its start, ms. */
  graceMs: number;
  /** How long a pending row may stay unchanged before Temporal is asked about its workflow, ms. */
  silenceMs: number;
  /** Maximum rows of each sort per sweep. */
  batch: number;
}

const defaults: PullRequestSweepOptions = { graceMs: 3_000, silenceMs: 60_000, batch: 100 };

/** Starts what was never started or was lost, for all teams. Several workers may sweep at once. */
export async function sweepUnstarted(
  deps: PullRequestDeps,
  { graceMs, silenceMs, batch }: PullRequestSweepOptions = defaults,
): Promise<number> {
  const now = deps.clock.now().getTime();
  const repair = async (
    where: FilterQuery<PullRequest>,
    work: (row: PullRequest) => Promise<void>,
  ): Promise<number> => {
    const rows = await deps.orm.em
      .fork()
      .find(
        PullRequest,
        { $and: [{ status: 'pending' }, where] },
        { ...anyTeam, limit: batch, orderBy: { updatedAt: 'asc' } },
      );
    return repairEach(rows, work, {
      log: deps.log,
      message: 'could not repair a pull request',
      facts: ({ id }) => ({ pullRequestId: id }),
    });
  };
  const unstarted = await repair({ startedAt: null, updatedAt: { $lt: new Date(now - graceMs) } }, (row) =>
    launch(deps, row),
  );
  const silent = await repair(
    { startedAt: { $ne: null }, updatedAt: { $lt: new Date(now - silenceMs) } },
    async (row) => {
      await touch(deps, row);
      if ((await deps.launcher.state(row.id)) !== 'running') await launch(deps, row);
    },
  );
  return unstarted + silent;
}

/** Records that the sweep handled a row, so that the next one begins with others. */
async function touch({ orm, clock }: PullRequestDeps, { id, teamId }: PullRequest): Promise<void> {
  await forTeam(orm.em, teamId).nativeUpdate(PullRequest, { id }, { updatedAt: clock.now() });
}
