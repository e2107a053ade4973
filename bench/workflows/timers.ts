/** The least a workflow can do that watches: what `bench/monitoring-*.ts` compare agents with. */
import * as wf from '@temporalio/workflow';
import type { AgentSettings } from '../../src/features/monitoring-agents/contract.ts';

export interface TickActivities {
  /** @returns when it was begun, unix milliseconds */
  benchTick(): Promise<number>;
  /** Looks at nothing, and answers with as much as a check does. */
  benchCheck(input: { agentId: string; teamId: string; checkId: string; sessionId: string }): Promise<object>;
}

const { benchTick, benchCheck } = wf.proxyActivities<TickActivities>({ startToCloseTimeout: '3 minutes' });

/** How late a timer was, milliseconds: when the workflow had it, and when the activity after it was begun. */
export interface Tick {
  wokenMs: number;
  begunMs: number;
}

/** Sleeps until a moment, and records how late it was then. @param at unix milliseconds */
export async function bareTimer(at: number): Promise<Tick> {
  await wf.sleep(Math.max(1, at - Date.now()));
  const wokenMs = Date.now() - at;
  return { wokenMs, begunMs: (await benchTick()) - at };
}

export interface NaiveMonitorInput {
  agentId: string;
  teamId: string;
  checkIds: string[];
  everyMs: number;
  /** So many runs of each check. */
  runs: number;
}

/** Watches as one would write it first: for each check a timer, and an activity of its own when it ends. */
export async function naiveMonitor({ agentId, teamId, checkIds, everyMs, runs }: NaiveMonitorInput): Promise<void> {
  const results = new Map<string, object>();
  await Promise.all(
    checkIds.map(async (checkId, index) => {
      // Checks were added at different moments.
      await wf.sleep(1 + (everyMs * index) / checkIds.length);
      for (let run = 0; run < runs; run++) {
        results.set(checkId, await benchCheck({ agentId, teamId, checkId, sessionId: wf.uuid4() }));
        await wf.sleep(everyMs);
      }
    }),
  );
}

export const bareSettings = wf.defineSignal<[AgentSettings]>('bare_settings');
export const bareRevision = wf.defineQuery<number>('bare_revision');
export const bareEnd = wf.defineSignal('bare_end');

/** Takes settings, says which it has, and does nothing with them. */
export async function bareHolder(): Promise<void> {
  let settings: AgentSettings | undefined;
  let ended = false;
  wf.setHandler(bareSettings, (next) => void (settings = next));
  wf.setHandler(bareRevision, () => settings?.revision ?? 0);
  wf.setHandler(bareEnd, () => void (ended = true));
  await wf.condition(() => ended);
}
