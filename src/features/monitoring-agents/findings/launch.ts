import type { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { TASK_QUEUE } from '../../../../temporal/queues.ts';
import { kindAttribute, serviceAttribute, teamAttribute } from '../../../../temporal/search-attributes.ts';
import type { Orm } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import { mapConcurrently } from '../../../platform/concurrency.ts';
import type { Logger } from '../../../platform/logger.ts';
import { createWorkflowControl, type WorkflowState } from '../../runs/index.ts';
import { FINDING_WORKFLOW, findingChangedSignal, type FindingStatus, findingWorkflowId } from '../contract.ts';
import { Finding } from '../entities.ts';
import type { FindingWorkflowInput } from './contract.ts';

/** A missed change, such as the agent's deletion, is noticed by then. */
const LOOK_AGAIN_SECONDS = 24 * 3_600;

type ChangedFinding = Pick<Finding, 'id' | 'teamId' | 'title' | 'service' | 'revision' | 'status'>;

/** Starts and notifies the workflows of findings. */
export interface FindingLauncher {
  /**
   * Notifies a finding's workflow that its row has changed; starts a missing workflow. @throws when Temporal did not
   * accept it
   */
  notify(finding: ChangedFinding): Promise<void>;
  state(findingId: string): Promise<WorkflowState>;
}

/** @param options for tests and benches: task queue, history length, and Temporal timeout in ms */
export function createFindingLauncher(
  client: Client,
  options: { taskQueue?: string; deadlineMs?: number } & Partial<
    Pick<FindingWorkflowInput, 'lookAgainSeconds' | 'readsPerHistory'>
  > = {},
): FindingLauncher {
  const { taskQueue = TASK_QUEUE, lookAgainSeconds = LOOK_AGAIN_SECONDS, readsPerHistory } = options;
  const { soon, state } = createWorkflowControl(client, options.deadlineMs);
  return {
    async notify({ id, teamId, title, service, revision, status }) {
      const input: FindingWorkflowInput = {
        findingId: id,
        teamId,
        lookAgainSeconds,
        ...(readsPerHistory !== undefined && { readsPerHistory }),
      };
      const change: [{ revision: number; status: FindingStatus }] = [{ revision, status }];
      await soon(() =>
        client.workflow.signalWithStart(FINDING_WORKFLOW, {
          taskQueue,
          workflowId: findingWorkflowId(id),
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          args: [input],
          signal: findingChangedSignal,
          signalArgs: change,
          staticSummary: title.slice(0, 200),
          typedSearchAttributes: new TypedSearchAttributes([
            { key: teamAttribute, value: teamId },
            { key: kindAttribute, value: 'finding' },
            ...(service === null ? [] : [{ key: serviceAttribute, value: service }]),
          ]),
        }),
      );
    },
    state: (findingId) => state(findingWorkflowId(findingId)),
  };
}

/** Dependencies for notifying findings' workflows of changes. */
export interface FindingNotifier {
  orm: Orm;
  log: Logger;
  launcher: FindingLauncher;
}

const WIDTH = 8;

/**
 * Notifies the workflows of changed findings, after the commit. Leaves what Temporal does not accept to the sweeper.
 */
export async function notifyFindings(deps: FindingNotifier, findings: readonly ChangedFinding[]): Promise<void> {
  await mapConcurrently(findings, WIDTH, async (finding) => {
    const { id, teamId, revision } = finding;
    try {
      await deps.launcher.notify(finding);
      const em = forTeam(deps.orm.em, teamId);
      await em.nativeUpdate(Finding, { id, signalledRevision: { $lt: revision } }, { signalledRevision: revision });
    } catch (error) {
      deps.log.warn(
        { err: error, findingId: id },
        'could not notify the workflow of a finding; the sweeper will retry',
      );
    }
  });
}
