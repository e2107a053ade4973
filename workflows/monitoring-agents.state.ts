/**
 * What an agent's workflow knows: its plan, when each check is due, what is running, and its health. A plain class
 * driven by inputs and the time, so it is tested without Temporal.
 */
import type {
  AgentSettings,
  AgentState,
  BeginMonitoringResult,
  CarriedAgent,
  CheckNow,
  CheckRun,
  CheckRunResult,
  DueTimes,
  PlannedCheck,
  ScheduleChecksInput,
  ScheduleChecksResult,
  TrackedCheck,
} from '../src/features/monitoring-agents/contract.ts';
import { isResult } from '../src/features/monitoring-agents/contract.ts';
import {
  applyDue,
  begunAnew,
  checkState,
  earliest,
  isCurrent,
  isDue,
  isFromLater,
  isLate,
  LOST_AFTER_MS,
  newlyTracked,
  probableDue,
  recall,
  remember,
  runOf,
  type SupersededRun,
} from './monitoring-agents.checks.ts';
import { assessHealth, draftedBy, isOtherHealth, type Health } from './monitoring-agents.health.ts';

/**
 * A check whose last run took longer than this runs on its own: a batch reports only when all its checks have ended.
 */
const SLOW_MS = 5_000;

/** A run to start. */
export interface StartedRun {
  check: PlannedCheck;
  run: CheckRun;
}

export class MonitoringAgentState {
  settings: AgentSettings | undefined;
  health: Health = { health: 'starting', since: 0, reasons: [] };
  /** Set when the workflow is about to continue as new: nothing more starts. */
  isDraining = false;
  readonly signals: AgentState['signals'] = { applied: 0, superseded: 0, repeated: 0 };
  private checks = new Map<string, TrackedCheck>();
  private triggers = new Set<string>();
  /** Newer settings than those in effect. */
  private offered: AgentSettings | undefined;
  /** Requests that arrived before the settings were applied. */
  private early: CheckNow[] = [];
  private earlier: BeginMonitoringResult['earlier'] = {};

  constructor(carried?: CarriedAgent) {
    if (!carried) return;
    this.settings = carried.settings;
    this.checks = new Map(carried.checks.map((check) => [check.checkId, check]));
    this.health = { health: carried.health, since: carried.healthSince, reasons: carried.reasons };
    this.triggers = new Set(carried.triggers);
    Object.assign(this.signals, carried.signals);
  }

  carry(): CarriedAgent {
    const { settings, health, offered } = this;
    if (offered) throw new TypeError('What was offered is to be taken first.');
    if (!settings) throw new TypeError('There is nothing to carry yet.');
    return {
      settings,
      checks: [...this.checks.values()],
      health: health.health,
      healthSince: health.since,
      reasons: health.reasons,
      triggers: [...this.triggers],
      signals: this.signals,
    };
  }

  /** What earlier sessions say about checks that are not tracked yet. */
  remember(earlier: BeginMonitoringResult['earlier']): void {
    this.earlier = earlier;
    for (const check of this.checks.values()) recall(check, earlier);
  }

  /** Offers settings; only the newest count, which {@link apply} applies: thousands may arrive at once. */
  offer(settings: AgentSettings): void {
    const known = this.offered ?? this.settings;
    if (known && settings.revision <= known.revision) {
      this.signals.superseded += 1;
      return;
    }
    this.signals.applied += 1;
    this.offered = settings;
  }

  /**
   * Applies the offered settings. Unchanged checks keep their rhythm; changed ones restart at once.
   * @returns the runs that are no longer wanted
   */
  apply(): SupersededRun[] {
    const { settings: before, offered: settings } = this;
    if (!settings) return [];
    this.offered = undefined;
    this.settings = settings;
    const resumes = before !== undefined && !before.active && settings.active;
    const known = new Map(before?.plan.checks.map((check) => [check.id, JSON.stringify(check)]));
    const superseded: SupersededRun[] = [];
    const next = new Map<string, TrackedCheck>();
    for (const check of settings.plan.checks) {
      const tracked = this.checks.get(check.id);
      const isSame = tracked !== undefined && known.get(check.id) === JSON.stringify(check);
      if (!tracked) next.set(check.id, recall(newlyTracked(check.id), this.earlier));
      else if (isSame && settings.active && !resumes) next.set(check.id, tracked);
      else {
        superseded.push(...runOf(tracked));
        next.set(check.id, begunAnew(tracked, isSame));
      }
    }
    for (const [checkId, tracked] of this.checks) if (!next.has(checkId)) superseded.push(...runOf(tracked));
    this.checks = next;
    for (const { trigger, checkIds } of this.early.splice(0)) this.note(trigger, checkIds);
    return superseded;
  }

  /** Runs checks now, on request; those already running run once more. */
  want({ triggerId, trigger, checkIds }: CheckNow): void {
    if (this.triggers.has(triggerId)) {
      this.signals.repeated += 1;
      return;
    }
    this.signals.applied += 1;
    remember(this.triggers, triggerId);
    if (this.settings && !this.offered) this.note(trigger, checkIds);
    else this.early.push({ triggerId, trigger, checkIds });
  }

  /** The checks that need due times. */
  unplanned(now: number): ScheduleChecksInput['checks'] {
    return this.watched().flatMap(({ check, tracked }) => {
      if (tracked.running) return [];
      if (isFromLater(tracked, now)) Object.assign(tracked, { isPlanned: false, silentAt: null, lastStartedAt: now });
      const late = isLate(tracked, now);
      if (tracked.isPlanned && !late) return [];
      return [
        {
          checkId: check.id,
          schedule: check.schedule,
          // The time it is late for counts as run: what passed since then was missed.
          lastScheduledAt: late ? tracked.dueAt! : tracked.lastStartedAt,
          lastResultAt: tracked.lastResultAt,
        },
      ];
    });
  }

  /** @param asked the result of {@link unplanned}: whatever changed meanwhile is planned again */
  planned(asked: ScheduleChecksInput['checks'], result: ScheduleChecksResult, now: number): void {
    const schedules = new Map(this.watched().map(({ check }) => [check.id, JSON.stringify(check.schedule)]));
    for (const { checkId, schedule } of asked) {
      const tracked = this.checks.get(checkId);
      const due = result[checkId];
      if (!tracked || !due || schedules.get(checkId) !== JSON.stringify(schedule)) continue;
      applyDue(tracked, due, now);
    }
  }

  /** Starts what is due. @returns the cheap checks that run together, and those that run alone */
  takeDue(now: number, newId: () => string): StartedRun[][] {
    if (this.isDraining) return [];
    const due = this.watched().filter(({ tracked }) => isDue(tracked, now));
    const started = due.map(({ check, tracked }): StartedRun & { isAlone: boolean } => {
      const isOnSchedule = tracked.isPlanned && tracked.dueAt !== null && tracked.dueAt <= now;
      const run: CheckRun = {
        checkId: check.id,
        sessionId: newId(),
        scheduledAt: isOnSchedule ? tracked.dueAt! : now,
        trigger: tracked.wanted ?? 'schedule',
        missed: isOnSchedule ? tracked.missed : 0,
      };
      const { check: subject } = check;
      const isInstruction = subject.type === 'instruction';
      const deadline = isInstruction ? now + subject.max_minutes * 60_000 + LOST_AFTER_MS : undefined;
      Object.assign(tracked, { wanted: undefined, missed: 0, isLateKnown: false, lastStartedAt: now });
      tracked.running = { sessionId: run.sessionId, startedAt: now, deadline, isInstruction };
      return { check, run, isAlone: isInstruction || tracked.isSlow };
    });
    const together = started.filter(({ isAlone }) => !isAlone);
    return [
      ...(together.length > 0 ? [together] : []),
      ...started.filter(({ isAlone }) => isAlone).map((run) => [run]),
    ];
  }

  /** Records the end of a run. @param next when it is due next, if known @param now by the server's clock */
  ended(result: CheckRunResult, next?: DueTimes, now = result.finishedAt): void {
    const tracked = this.checks.get(result.checkId);
    if (!tracked || tracked.running?.sessionId !== result.sessionId) return;
    const { status, digest, sessionId, finishedAt: at, durationMs } = result;
    const saysSomething = isResult(status);
    const due = next && isCurrent(next, now) ? next : undefined;
    tracked.running = undefined;
    tracked.isSlow = durationMs > SLOW_MS;
    tracked.budgetSpent = result.budgetSpent ?? false;
    tracked.last = { status, digest, sessionId, at };
    tracked.failures = saysSomething ? 0 : tracked.failures + (status === 'failed' ? 1 : 0);
    if (saysSomething) Object.assign(tracked, { lastResultAt: now, silentAt: due?.silentAt ?? null });
    // Times that passed during the run were not missed.
    Object.assign(tracked, { isPlanned: due !== undefined, dueAt: due?.dueAt ?? null, missed: 0, lastStartedAt: now });
  }

  /** A run ended without a result: plan its check as if it had run. */
  lost(sessionId: string): void {
    for (const tracked of this.checks.values()) {
      if (tracked.running?.sessionId !== sessionId) continue;
      tracked.running = undefined;
      tracked.isPlanned = false;
    }
  }

  /** Instruction checks that will never report. */
  overdueRuns(now: number): { checkId: string; sessionId: string }[] {
    return [...this.checks.values()].flatMap(({ checkId, running }) =>
      running?.deadline !== undefined && running.deadline <= now ? [{ checkId, sessionId: running.sessionId }] : [],
    );
  }

  /** The next moment at which something is due; null for none. */
  nextWake(now: number): number | null {
    const times = this.watched().flatMap(({ check, tracked }) => {
      const { running, dueAt, silentAt } = tracked;
      const next = running ? (running.deadline ?? probableDue(tracked, check, now)) : this.isDraining ? null : dueAt;
      return [next ?? (silentAt !== null && silentAt > now ? silentAt : null)];
    });
    return this.draftEnds(now) ?? earliest(times);
  }

  /** The earliest times of all checks but the named ones. */
  dueBesides(checkIds: readonly string[] = []): Pick<DueTimes, 'dueAt' | 'silentAt'> {
    const others = this.watched().filter(({ check }) => !checkIds.includes(check.id));
    return {
      dueAt: earliest(others.map(({ tracked }) => tracked.dueAt)),
      silentAt: this.draftEnds(this.health.since) ?? earliest(others.map(({ tracked }) => tracked.silentAt)),
    };
  }

  /** @returns whether people should be notified of changed health */
  assess(now: number): boolean {
    if (!this.settings) return false;
    const before = this.health;
    this.health = assessHealth(this.settings, [...this.checks.values()], now, before);
    return isOtherHealth(before, this.health);
  }

  /** Answer of the query. */
  state(): AgentState {
    const settings = this.offered ?? this.settings;
    if (!settings) throw new TypeError('The agent has not begun yet.');
    const checks = [...this.checks.values()].map((check) => checkState(check, settings.active));
    const { health, reasons } = this.health;
    return { settings, health, reasons: reasons.map(({ text }) => text), checks, signals: { ...this.signals } };
  }

  get hasOffer(): boolean {
    return this.offered !== undefined;
  }

  get runs(): SupersededRun[] {
    return [...this.checks.values()].flatMap(runOf);
  }

  private watched(): { check: PlannedCheck; tracked: TrackedCheck }[] {
    const { settings } = this;
    if (!settings?.active) return [];
    return settings.plan.checks.flatMap((check) => {
      const tracked = this.checks.get(check.id);
      return check.enabled && tracked ? [{ check, tracked }] : [];
    });
  }

  /** Until when it may be without checks; null if it has some, or should. */
  private draftEnds(now: number): number | null {
    const mayBeDrafted = this.settings?.active === true && this.health.health === 'starting';
    return mayBeDrafted && this.watched().length === 0 ? draftedBy(this.health, now) : null;
  }

  private note(trigger: CheckNow['trigger'], checkIds?: string[]): void {
    const wanted = this.watched().filter(({ check }) => !checkIds || checkIds.includes(check.id));
    for (const { tracked } of wanted) tracked.wanted = trigger;
  }
}
