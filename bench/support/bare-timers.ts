import { randomUUID } from 'node:crypto';
import type { Client as Temporal } from '@temporalio/client';
import { mapConcurrently } from '../../src/platform/concurrency.ts';
import type { bareTimer, Tick } from '../workflows/index.ts';

/** Concurrent starts. */
const WIDTH = 16;

export interface BareTimersOptions {
  taskQueue: string;
  perSecond: number;
  seconds: number;
  /** How many are started a second: the first ends when the last is started. */
  startedPerSecond: number;
}

export interface BareTimers {
  /** When the first ends, unix milliseconds. */
  from: number;
  /** Resolves when the last has ended. */
  ticks: Promise<Tick[]>;
}

/** One workflow for each timer; they end one after the other at an even pace. */
export async function startBareTimers(
  temporal: Temporal,
  { taskQueue, perSecond, seconds, startedPerSecond }: BareTimersOptions,
): Promise<BareTimers> {
  const count = Math.round(perSecond * seconds);
  const from = Date.now() + 3_000 + (count / startedPerSecond) * 1_500;
  const indexes = Array.from({ length: count }, (_, index) => index);
  const handles = await mapConcurrently(indexes, WIDTH, (index) =>
    temporal.workflow.start<typeof bareTimer>('bareTimer', {
      taskQueue,
      workflowId: `timer-${randomUUID()}`,
      args: [from + (index * 1_000) / perSecond],
    }),
  );
  const ticks = Promise.all(handles.map((handle) => handle.result()));
  ticks.catch(() => undefined);
  return { from, ticks };
}
