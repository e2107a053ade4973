/** Where the time of a chat's turn went until its first words, read afterwards from what the turn left behind. */
import type { Client } from '@temporalio/client';
import type proto from '@temporalio/proto';
import type { Client as Database } from 'pg';
import { chatTurnWorkflowId } from '../../src/features/chats/contract.ts';

/** Moments in milliseconds since 1970, in the order in which they come. All clocks are this machine's. */
export interface TurnMoments {
  /** The transaction with the turn was on disk. */
  committed: number;
  /** Temporal had the start. */
  started: number;
  /** A worker had the workflow's first task. */
  taskStarted: number;
  /** Temporal had the worker's answer, which asks for the model turn. */
  activityScheduled: number;
  /** The model turn's activity was given to a worker. */
  activityStarted: number;
  /** The event with the first words was on disk. */
  appended: number;
  /** The API noted that its start was taken; nothing waits for this. */
  startAnswered: number;
}

/** Needs `track_commit_timestamp`: a row knows when it was made, its transaction when it was on disk. */
const COMMITS = `
  select extract(epoch from pg_xact_commit_timestamp(m.xmin)) * 1000 as committed,
    extract(epoch from r.started_at) * 1000 as start_answered,
    (select extract(epoch from pg_xact_commit_timestamp(e.xmin)) * 1000 from events e
      where e.stream = 'run:' || t.id and e.type = 'text.delta' order by e.sequence limit 1) as appended
  from chat_turns t join runs r on r.id = t.id
  join messages m on m.conversation_id = t.chat_id and m.delivered_step = t.first_step
  where t.id = $1 limit 1`;

export async function momentsOf(turnId: string, database: Database, temporal: Client): Promise<TurnMoments> {
  const { rows } = await database.query<Record<'committed' | 'start_answered' | 'appended', string>>(COMMITS, [turnId]);
  const [row] = rows;
  if (!row) throw new Error(`There is no turn ${turnId}.`);
  const { events } = await temporal.workflow.getHandle(chatTurnWorkflowId(turnId)).fetchHistory();
  const at = (kind: keyof proto.temporal.api.history.v1.IHistoryEvent): number => {
    const time = events?.find((event) => event[kind])?.eventTime;
    if (!time) throw new Error(`The history of turn ${turnId} has no ${kind}.`);
    return Number(time.seconds) * 1000 + Number(time.nanos) / 1e6;
  };
  return {
    committed: Number(row.committed),
    startAnswered: Number(row.start_answered),
    started: at('workflowExecutionStartedEventAttributes'),
    taskStarted: at('workflowTaskStartedEventAttributes'),
    activityScheduled: at('activityTaskScheduledEventAttributes'),
    activityStarted: at('activityTaskStartedEventAttributes'),
    appended: Number(row.appended),
  };
}
