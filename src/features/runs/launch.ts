/** The workflows of runs: started, signalled and asked for their progress. */
import { WorkflowExecutionAlreadyStartedError, type Client, WorkflowNotFoundError } from '@temporalio/client';
import { TypedSearchAttributes, type SignalDefinition } from '@temporalio/common';
import { LRUCache } from 'lru-cache';
import { TASK_QUEUE } from '../../../temporal/queues.ts';
import { kindAttribute, teamAttribute } from '../../../temporal/search-attributes.ts';
import { cancelRunSignal, runProgressQuery, userMessageSignal, type RunBudget, type RunProgress } from './contract.ts';
import type { Run } from './entities.ts';
import type { RunKindDefinition } from './kind.ts';

/** Starts and controls the workflows of one kind of run. */
export interface RunLauncher<Row> {
  /** Starts the workflow; harmless if it was started before. @throws if Temporal did not accept it */
  start(row: Row): Promise<void>;
  /** @returns false if there is no running workflow to cancel */
  cancel(id: string, reason: string): Promise<boolean>;
  /** @returns false if there is no running workflow to notify */
  messageAdded(id: string, messageId: string): Promise<boolean>;
  progress(workflowId: string): Promise<RunProgress>;
  /** The workflow's state in Temporal, or `missing`. */
  state(id: string): Promise<WorkflowState>;
}

/** How a process launches workflows. */
export interface LaunchOptions {
  /** Bounds of every run. */
  budget: RunBudget;
  /** Where people reach the web app, for links. */
  appUrl?: string;
  /** The task queue, if not the product's own. */
  taskQueue?: string;
  /** How long to wait for Temporal, ms. */
  deadlineMs?: number;
}

export function createRunLauncher<Row extends Run>(
  client: Client,
  { kind, workflowId, start }: Pick<RunKindDefinition<Row, never, never>, 'kind' | 'workflowId' | 'start'>,
  { budget, appUrl, taskQueue = TASK_QUEUE, deadlineMs }: LaunchOptions,
): RunLauncher<Row> {
  const { soon, state, signal } = createWorkflowControl(client, deadlineMs);

  return {
    async start(row) {
      if (!start) throw new TypeError(`Another workflow starts runs of the kind ${kind}.`);
      const { workflow, input, summary, details } = start(row, budget, appUrl);
      try {
        await soon(() =>
          client.workflow.start(workflow, {
            taskQueue,
            workflowId: workflowId(row.id),
            workflowIdReusePolicy: 'REJECT_DUPLICATE',
            workflowIdConflictPolicy: 'USE_EXISTING',
            args: [input],
            staticSummary: summary,
            staticDetails: details,
            typedSearchAttributes: new TypedSearchAttributes([
              { key: teamAttribute, value: row.teamId },
              { key: kindAttribute, value: kind },
            ]),
          }),
        );
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
    },
    cancel: (id, reason) => signal(workflowId(id), cancelRunSignal, { reason }),
    messageAdded: (id, messageId) => signal(workflowId(id), userMessageSignal, { messageId }),
    progress: (id) => soon(() => client.workflow.getHandle(id).query(runProgressQuery)),
    state: (id) => state(workflowId(id)),
  };
}

/** How long a caller waits for Temporal to accept a start or signal; a sweeper repeats what it did not accept. */
const CONTROL_DEADLINE_MS = 5_000;

/** A workflow's state in Temporal; `closed` holds Temporal's name for how it ended. */
export type WorkflowState = 'running' | 'missing' | { closed: string };

/** Starts and controls workflows of any type. */
export interface WorkflowControl {
  /** Calls Temporal with a deadline. */
  soon<T>(call: () => Promise<T>): Promise<T>;
  state(workflowId: string): Promise<WorkflowState>;
  /** @returns false if there is no running workflow to signal. @throws if Temporal did not accept it */
  signal<Args extends unknown[]>(
    workflowId: string,
    definition: SignalDefinition<Args>,
    ...args: Args
  ): Promise<boolean>;
}

/** @param deadlineMs how long to wait for Temporal, ms */
export function createWorkflowControl(client: Client, deadlineMs = CONTROL_DEADLINE_MS): WorkflowControl {
  const soon = <T>(call: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + deadlineMs, call);
  return {
    soon,
    async state(workflowId) {
      try {
        const { status } = await soon(() => client.workflow.getHandle(workflowId).describe());
        return status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW' ? 'running' : { closed: status.name };
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'missing';
        throw error;
      }
    },
    async signal(workflowId, definition, ...args) {
      try {
        await soon(() => client.workflow.getHandle(workflowId).signal(definition, ...args));
        return true;
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    },
  };
}

/**
 * Answers "how far is this run?" from the running workflow, for any number of pollers: at most one query per run at a
 * time, whose answer serves everybody for half a second. If a run's worker does not answer, only the first poller waits.
 */
export interface ProgressReader<Progress = RunProgress> {
  /**
   * @param workflowId the run's workflow
   * @returns its progress (or whatever its query answers), at most `staleMs` old, or undefined if no worker answered in
   *   time: the caller then answers from the last row in PostgreSQL
   */
  read(workflowId: string): Promise<Progress | undefined>;
}

export interface ProgressReaderOptions<Progress> {
  /** Queries the workflow; rejects if it cannot. */
  query: (workflowId: string) => Promise<Progress>;
  /** How long an answer, even a failed one, is reused: 500 ms limits Temporal to two queries a second per run. */
  freshMs?: number;
  /**
   * Age up to which an answer serves the others while the one who asked for the next waits, ms from when it was asked
   * for. Without it all pollers of a run would wait for each query; beyond it they do.
   */
  staleMs?: number;
  /** How long a caller waits for a query. */
  patienceMs?: number;
  /** Maximum runs cached. */
  capacity?: number;
  now?: () => number;
}

interface Entry<Progress> {
  value?: Progress;
  /** When the query behind `value` was sent. */
  valueAt: number;
  /** When the last query was sent. */
  askedAt: number;
  underWay?: Promise<void>;
  /** The last query failed or took too long. */
  unanswered: boolean;
}

/** See {@link ProgressReader}. One per API process. */
export function createProgressReader<Progress = RunProgress>(
  options: ProgressReaderOptions<Progress>,
): ProgressReader<Progress> {
  const { query, freshMs = 500, staleMs = 1_000, patienceMs = 1_000, capacity = 20_000, now = Date.now } = options;
  const entries = new LRUCache<string, Entry<Progress>>({ max: capacity });

  const ask = (workflowId: string, entry: Entry<Progress>): Promise<void> => {
    const askedAt = now();
    entry.askedAt = askedAt;
    const underWay = query(workflowId)
      .then((value) => {
        entry.value = value;
        entry.valueAt = askedAt;
        entry.unanswered = false;
      })
      .catch(() => {
        entry.unanswered = true;
      })
      .finally(() => {
        entry.underWay = undefined;
      });
    entry.underWay = underWay;
    return underWay;
  };

  return {
    async read(workflowId) {
      const entry = entries.get(workflowId) ?? { valueAt: -Infinity, askedAt: -Infinity, unanswered: false };
      entries.set(workflowId, entry);
      const asks = !entry.underWay && now() - entry.askedAt >= freshMs;
      if (asks) void ask(workflowId, entry);
      const waits = asks || now() - entry.valueAt >= staleMs;
      if (entry.underWay && !entry.unanswered && waits) {
        const answered = await within(entry.underWay, patienceMs);
        if (!answered) entry.unanswered = true;
      }
      return entry.unanswered ? undefined : entry.value;
    },
  };
}

/** @returns false if `work` took longer than `ms`; it continues */
function within(work: Promise<void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void work.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
