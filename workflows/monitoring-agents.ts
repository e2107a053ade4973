/**
 * A monitoring agent: runs the checks of its plan when they are due, for as long as it lives. It holds the plan, due
 * times and one line of each check's last result; findings are in PostgreSQL.
 */
import * as wf from '@temporalio/workflow';
import type { MonitoringAgentActivities } from '../activities/monitoring-agents.ts';
import {
  agentQuery,
  checkEndedSignal,
  checkNowSignal,
  INSTRUCTION_CHECK_WORKFLOW,
  instructionCheckWorkflowId,
  settingsSignal,
  type AgentRef,
  type InstructionCheckInput,
  type MonitoringAgentInput,
} from '../src/features/monitoring-agents/contract.ts';
import { kindAttribute, outcomeAttribute, teamAttribute } from '../temporal/search-attributes.ts';
import { BOOKKEEPING } from './bookkeeping.ts';
import { detailsOf } from './monitoring-agents.details.ts';
import type { SupersededRun } from './monitoring-agents.checks.ts';
import { MonitoringAgentState, type StartedRun } from './monitoring-agents.state.ts';
import { rootMessage } from './runs.ts';
import { timing } from './timing.ts';

const { beginMonitoring, recordStanding } = wf.proxyActivities<MonitoringAgentActivities>(BOOKKEEPING);
const { purgeAgent } = wf.proxyActivities<MonitoringAgentActivities>({
  ...BOOKKEEPING,
  // An agent may have watched for months. Each interrupted attempt leaves less for the next.
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: timing.heartbeatTimeout,
});

/**
 * A source that does not answer is a result; only a lost worker or database fails the activity. The checks then run
 * once when it is back. A run that is no longer wanted is not awaited: its findings are not stored.
 */
const { runChecks } = wf.proxyActivities<Pick<MonitoringAgentActivities, 'runChecks'>>({
  startToCloseTimeout: '3 minutes',
  heartbeatTimeout: timing.heartbeatTimeout,
  retry: { initialInterval: timing.firstRetry, maximumInterval: '15s' },
  cancellationType: wf.ActivityCancellationType.TRY_CANCEL,
});

/** Time zones and cron do not belong in workflow code, whose replay must not depend on a worker's time zone tables. */
const { scheduleChecks } = wf.proxyLocalActivities<Pick<MonitoringAgentActivities, 'scheduleChecks'>>({
  startToCloseTimeout: '10s',
  retry: { maximumInterval: '10s' },
});

/** The longest sleep: timers follow the server's clock, which somebody may set back. */
const LONGEST_SLEEP_MS = 3_600_000;

/** Watches until cancelled, which is how it is deleted. */
export async function monitoringAgent(input: MonitoringAgentInput): Promise<void> {
  const ref: AgentRef = { agentId: input.agentId, teamId: input.teamId };
  const state = new MonitoringAgentState(input.carried);
  const agent = new Agent(ref, state);

  wf.setHandler(agentQuery, () => state.state());
  wf.setHandler(settingsSignal, (settings) => agent.changed(() => state.offer(settings)));
  wf.setHandler(checkNowSignal, (wanted) => agent.changed(() => state.want(wanted)));
  wf.setHandler(checkEndedSignal, (result) => agent.changed(() => state.ended(result, undefined, Date.now())));

  try {
    if (!input.carried) {
      const { settings, earlier } = await beginMonitoring.executeWithOptions({ summary: 'Read the plan' }, [ref]);
      if (!settings) throw new wf.CancelledFailure('The agent was deleted.');
      state.remember(earlier);
      state.offer(settings);
    }
    await agent.watch(() => isTimeToContinue(input));
    await wf.continueAsNew<typeof monitoringAgent>({ ...input, title: state.settings!.title, carried: state.carry() });
  } catch (error) {
    if (!wf.isCancellation(error)) throw error;
    await wf.CancellationScope.nonCancellable(async () => {
      agent.drop(state.runs.filter(({ isInstruction }) => isInstruction));
      await purgeAgent.executeWithOptions({ summary: 'Delete stored data if the agent was deleted' }, [ref]);
    });
    throw error;
  }
}

function isTimeToContinue({ eventsPerHistory }: MonitoringAgentInput): boolean {
  const { continueAsNewSuggested, historyLength } = wf.workflowInfo();
  return continueAsNewSuggested || (eventsPerHistory !== undefined && historyLength >= eventsPerHistory);
}

/** What runs while an agent watches: its runs, and the alarm for what is due next. */
class Agent {
  private readonly ref: AgentRef;
  private readonly state: MonitoringAgentState;
  private readonly runs = new Map<string, wf.CancellationScope>();
  private underWay = 0;
  private hasNews = true;
  /** The last history may have left it to this one. */
  private mustRecord = true;
  private isRecording = false;
  private shown = '';
  private alarm: { at: number; scope: wf.CancellationScope } | undefined;

  constructor(ref: AgentRef, state: MonitoringAgentState) {
    this.ref = ref;
    this.state = state;
  }

  /** An external event arrived. */
  changed(change: () => void): void {
    change();
    this.hasNews = true;
  }

  /** Stops runs that are no longer wanted. */
  drop(superseded: readonly SupersededRun[]): void {
    this.mustRecord = true;
    for (const { sessionId, isInstruction } of superseded) {
      const scope = this.runs.get(sessionId);
      if (scope && !this.isWanted(scope)) scope.cancel();
      if (isInstruction) {
        const check = wf.getExternalWorkflowHandle(instructionCheckWorkflowId(sessionId));
        // It may have ended, or not started.
        void check.cancel().catch(() => undefined);
      }
    }
  }

  /**
   * Checks of a batch stop together: while one of them is wanted the batch continues, and the results of the others are
   * not stored.
   */
  private isWanted(scope: wf.CancellationScope): boolean {
    return this.state.runs.some(({ sessionId }) => this.runs.get(sessionId) === scope);
  }

  /** @returns when it is time to continue as new and nothing in progress would be lost */
  async watch(isTime: () => boolean): Promise<void> {
    for (;;) {
      this.hasNews = false;
      if (this.state.hasOffer) this.drop(this.state.apply());
      await this.plan();
      const now = Date.now();
      this.state.isDraining ||= isTime();
      for (const { sessionId } of this.state.overdueRuns(now)) this.state.lost(sessionId);
      for (const batch of this.state.takeDue(now, wf.uuid4)) this.begin(batch);
      if (this.state.assess(now)) this.mustRecord = true;
      this.record();
      this.show();
      if (this.state.isDraining && this.underWay === 0 && !this.hasNews) {
        this.alarm?.scope.cancel();
        return;
      }
      this.setAlarm(this.state.nextWake(now), now);
      await wf.condition(() => this.hasNews);
    }
  }

  private async plan(): Promise<void> {
    const now = Date.now();
    const checks = this.state.isDraining ? [] : this.state.unplanned(now);
    if (checks.length === 0) return;
    const due = await scheduleChecks({ agentId: this.ref.agentId, now, checks });
    this.state.planned(checks, due, now);
    this.mustRecord = true;
  }

  private begin(batch: readonly StartedRun[]): void {
    if (batch[0]?.check.check.type === 'instruction') for (const run of batch) this.beginInstruction(run);
    else this.beginCheap(batch);
  }

  private beginCheap(batch: readonly StartedRun[]): void {
    const { state, ref } = this;
    const { planVersion } = state.settings!;
    const runs = batch.map(({ run }) => run);
    const others = state.dueBesides(runs.map(({ checkId }) => checkId));
    const scope = new wf.CancellationScope();
    for (const { sessionId } of runs) this.runs.set(sessionId, scope);
    this.inBackground(async () => {
      try {
        const summary = batch
          .map(({ check }) => check.title)
          .join(', ')
          .slice(0, 200);
        const { results } = await scope.run(() =>
          runChecks.executeWithOptions({ summary }, [{ ...ref, planVersion, runs, others }]),
        );
        for (const { result, next } of results) state.ended(result, next, Date.now());
      } finally {
        for (const { sessionId } of runs) {
          this.runs.delete(sessionId);
          state.lost(sessionId);
        }
      }
    });
  }

  private beginInstruction({ check, run }: StartedRun): void {
    const { state, ref } = this;
    const { planVersion, title } = state.settings!;
    const args: [InstructionCheckInput] = [{ ...ref, planVersion, run, title: check.title }];
    this.inBackground(async () => {
      try {
        // It lives on its own, across continue-as-new of this workflow, and reports by a signal.
        await wf.startChild(INSTRUCTION_CHECK_WORKFLOW, {
          workflowId: instructionCheckWorkflowId(run.sessionId),
          parentClosePolicy: 'ABANDON',
          args,
          staticSummary: `${title}: ${check.title}`.slice(0, 200),
          typedSearchAttributes: [
            { key: teamAttribute, value: ref.teamId },
            { key: kindAttribute, value: 'check' },
          ],
        });
      } catch (error) {
        state.lost(run.sessionId);
        throw error;
      }
    });
  }

  /** Not awaited here, but the workflow does not end before it does. */
  private inBackground(work: () => Promise<void>): void {
    this.underWay += 1;
    void work()
      .catch((error: unknown) => {
        if (!wf.isCancellation(error)) wf.log.warn('a run of checks came to nothing', { reason: rootMessage(error) });
      })
      .finally(() => {
        this.underWay -= 1;
        this.hasNews = true;
      });
  }

  /** Writes the agent's health to its row, one write at a time. */
  private record(): void {
    // With a steady stream of changes there would always be something to record; leave it to the next history.
    if (!this.mustRecord || this.isRecording || this.state.isDraining || !this.state.settings) return;
    this.mustRecord = false;
    this.isRecording = true;
    const { health, since, reasons } = this.state.health;
    const standing = { health, since, reasons: reasons.map(({ text }) => text), due: this.state.dueBesides() };
    this.inBackground(async () => {
      try {
        await recordStanding.executeWithOptions({ summary: `Record health: ${health}` }, [
          { ...this.ref, ...standing },
        ]);
      } finally {
        this.isRecording = false;
      }
    });
  }

  private show(): void {
    const { settings, health } = this.state;
    if (!settings) return;
    wf.setCurrentDetails(detailsOf(this.state.state()));
    const outcome = settings.active ? health.health : 'paused';
    if (outcome === this.shown) return;
    this.shown = outcome;
    wf.upsertSearchAttributes([{ key: outcomeAttribute, value: outcome }]);
  }

  /** One timer, kept while it is the right one: each costs two events. */
  private setAlarm(at: number | null, now: number): void {
    if (this.alarm?.at === at) return;
    this.alarm?.scope.cancel();
    this.alarm = undefined;
    if (at === null) return;
    const scope = new wf.CancellationScope();
    const alarm = { at, scope };
    this.alarm = alarm;
    void scope
      .run(() => wf.sleep(Math.max(1, Math.min(at - now, LONGEST_SLEEP_MS)), { summary: 'Until a check is due' }))
      .then(() => {
        if (this.alarm === alarm) this.alarm = undefined;
        this.hasNews = true;
      })
      // Another timer has replaced it.
      .catch(() => undefined);
  }
}
