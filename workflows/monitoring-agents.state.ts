/**
 * What an agent's workflow knows: the plan it carries out, when each check is due, what runs, and how it stands. A plain
 * class: what it is told and the time decide, so it is tested without Temporal.
 */
import type {
  AgentSettings,
  AgentState,
  CarriedAgent,
  Check,
  CheckNow,
  CheckRun,
  CheckRunResult,
  DueTimes,
  ScheduleChecksInput,
  ScheduleChecksResult,
  TrackedCheck,
} from '../src/features/monitoring-agents/contract.ts';
import { assessHealth, draftedBy, type Health } from './monitoring-agents.health.ts';

/** Triggers remembered, so that one that is sent twice is taken once. */
const TRIGGERS_KEPT = 1_000;
/** A check whose last run took longer than this is run on its own: the others of a batch are reported when it ends. */
const SLOW_MS = 5_000;
/** A run that begins later than this has missed something: workers were away. */
const LATE_MS = 15_000;

/** A run to begin. */
export interface StartedRun {
  check: Check;
  run: CheckRun;
}

/** What a change of settings leaves behind. */
export interface SupersededRun {
  sessionId: string;
  isInstruction: boolean;
}

export class MonitoringAgentState {
  settings: AgentSettings | undefined;
  health: Health = { health: 'starting', since: 0, reasons: [] };
  /** Set while the workflow is about to continue as new: nothing more is begun. */
  isDraining = false;
  readonly signals: AgentState['signals'] = { applied: 0, superseded: 0, repeated: 0 };
  private checks = new Map<string, TrackedCheck>();
  private triggers = new Set<string>();
  /** Wishes that came before the settings: the workflow has just been started. */
  private early: CheckNow[] = [];
  private earlier: Record<string, { startedAt: number; resultAt?: number }> = {};

  constructor(carried?: CarriedAgent) {
    if (!carried) return;
    this.settings = carried.settings;
    this.checks = new Map(carried.checks.map((check) => [check.checkId, check]));
    this.health = { health: carried.health, since: carried.healthSince, reasons: carried.reasons };
    this.triggers = new Set(carried.triggers);
    Object.assign(this.signals, carried.signals);
  }

  carry(): CarriedAgent {
    const { settings, health } = this;
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

  /** What sessions of earlier runs of the workflow say; for checks that are not tracked yet. */
  remember(earlier: Record<string, { startedAt: number; resultAt?: number }>): void {
    this.earlier = earlier;
    for (const check of this.checks.values()) this.recall(check);
  }

  /**
   * Takes settings that are newer than those it has. Checks that stay as they are keep their rhythm and go on; those that
   * were changed begin anew, at once.
   * @returns the runs that are not wanted any more
   */
  apply(settings: AgentSettings): SupersededRun[] {
    const before = this.settings;
    if (before && settings.revision <= before.revision) {
      this.signals.superseded += 1;
      return [];
    }
    this.signals.applied += 1;
    this.settings = settings;
    const resumes = before !== undefined && !before.active && settings.active;
    const known = new Map(before?.plan.checks.map((check) => [check.id, JSON.stringify(check)]));
    const superseded: SupersededRun[] = [];
    const next = new Map<string, TrackedCheck>();
    for (const check of settings.plan.checks) {
      const tracked = this.checks.get(check.id);
      const isSame = tracked !== undefined && known.get(check.id) === JSON.stringify(check);
      if (!tracked) next.set(check.id, this.recall(newlyTracked(check.id)));
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

  /** Somebody wants checks to be run now; those that run are run once more. */
  want({ triggerId, trigger, checkIds }: CheckNow): void {
    if (this.triggers.has(triggerId)) {
      this.signals.repeated += 1;
      return;
    }
    this.signals.applied += 1;
    this.triggers.add(triggerId);
    for (const oldest of this.triggers) {
      if (this.triggers.size <= TRIGGERS_KEPT) break;
      this.triggers.delete(oldest);
    }
    if (this.settings) this.note(trigger, checkIds);
    else this.early.push({ triggerId, trigger, checkIds });
  }

  /** The checks whose due times are to be made. */
  unplanned(now: number): ScheduleChecksInput['checks'] {
    return this.watched().flatMap(({ check, tracked }) => {
      if (tracked.running) return [];
      const { isPlanned, dueAt, isLateKnown } = tracked;
      const isLate = isPlanned && !isLateKnown && dueAt !== null && now - dueAt > LATE_MS;
      if (isPlanned && !isLate) return [];
      return [
        {
          checkId: check.id,
          schedule: check.schedule,
          // The time that it is late for counts as run: what passed since then was missed.
          lastScheduledAt: isLate ? dueAt : tracked.lastStartedAt,
          lastResultAt: tracked.lastResultAt,
        },
      ];
    });
  }

  /** @param asked what {@link unplanned} gave: what was changed meanwhile is planned again */
  planned(asked: ScheduleChecksInput['checks'], result: ScheduleChecksResult, now: number): void {
    const schedules = new Map(this.watched().map(({ check }) => [check.id, JSON.stringify(check.schedule)]));
    for (const { checkId, schedule } of asked) {
      const tracked = this.checks.get(checkId);
      const due = result[checkId];
      if (!tracked || !due || schedules.get(checkId) !== JSON.stringify(schedule)) continue;
      const isLate = tracked.isPlanned;
      const passed = due.dueAt !== null && due.dueAt <= now;
      tracked.missed = due.missed + (isLate && passed ? 1 : 0);
      tracked.isLateKnown = isLate;
      if (!isLate) tracked.dueAt = due.dueAt;
      tracked.silentAt ??= due.silentAt;
      tracked.isPlanned = true;
    }
  }

  /** Begins what is due. @returns the cheap checks that run together, and those that run alone */
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
      const deadline = now + (subject.type === 'instruction' ? subject.max_minutes * 60_000 + LOST_AFTER_MS : Infinity);
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

  /** A run has ended. @param next when it is due next, where that is known already */
  ended(result: CheckRunResult, next?: DueTimes): void {
    const tracked = this.checks.get(result.checkId);
    if (!tracked || tracked.running?.sessionId !== result.sessionId) return;
    const { status, digest, sessionId, finishedAt: at, durationMs } = result;
    const saysSomething = status === 'ok' || status === 'finding';
    tracked.running = undefined;
    tracked.isSlow = durationMs > SLOW_MS;
    tracked.budgetSpent = result.budgetSpent ?? false;
    tracked.last = { status, digest, sessionId, at };
    tracked.failures = saysSomething ? 0 : tracked.failures + (status === 'failed' ? 1 : 0);
    if (saysSomething) Object.assign(tracked, { lastResultAt: at, silentAt: next?.silentAt ?? null });
    tracked.isPlanned = next !== undefined;
    tracked.dueAt = next?.dueAt ?? null;
    tracked.missed = 0;
  }

  /** A run ended without a result: its check is planned as if it had been run. */
  lost(sessionId: string): void {
    for (const tracked of this.checks.values()) {
      if (tracked.running?.sessionId !== sessionId) continue;
      tracked.running = undefined;
      tracked.isPlanned = false;
    }
  }

  /** Instruction checks that nobody will report any more. */
  overdueRuns(now: number): { checkId: string; sessionId: string }[] {
    return [...this.checks.values()].flatMap(({ checkId, running }) =>
      running && running.deadline <= now ? [{ checkId, sessionId: running.sessionId }] : [],
    );
  }

  /** The next moment at which something is to be done without being told; null: none. */
  nextWake(now: number): number | null {
    const times = this.watched().flatMap(({ tracked }) => {
      if (tracked.running) return Number.isFinite(tracked.running.deadline) ? [tracked.running.deadline] : [];
      if (this.isDraining) return [];
      return [tracked.dueAt, tracked.silentAt !== null && tracked.silentAt > now ? tracked.silentAt : null];
    });
    const mayBeDrafted = this.settings?.active === true && this.health.health === 'starting';
    return earliest(mayBeDrafted && this.watched().length === 0 ? [draftedBy(this.health, now)] : times);
  }

  /** The earliest times of the checks other than those named. */
  dueBesides(checkIds: readonly string[] = []): Pick<DueTimes, 'dueAt' | 'silentAt'> {
    const others = this.watched().filter(({ check }) => !checkIds.includes(check.id));
    return {
      dueAt: earliest(others.map(({ tracked }) => tracked.dueAt)),
      silentAt: earliest(others.map(({ tracked }) => tracked.silentAt)),
    };
  }

  /** @returns whether people should hear that it stands otherwise than before */
  assess(now: number): boolean {
    if (!this.settings) return false;
    const next = assessHealth(this.settings, [...this.checks.values()], now, this.health);
    const changed =
      next.health !== this.health.health ||
      next.reasons.map(({ key }) => key).join() !== this.health.reasons.map(({ key }) => key).join();
    this.health = next;
    return changed;
  }

  /** Answer of the query. */
  state(): AgentState {
    const { settings } = this;
    if (!settings) throw new TypeError('The agent has not begun yet.');
    const checks = [...this.checks.values()].map(({ checkId, dueAt, running, last, failures }) => ({
      checkId,
      dueAt: settings.active ? dueAt : null,
      running: running !== undefined,
      last,
      failures,
    }));
    const { health, reasons } = this.health;
    return { settings, health, reasons: reasons.map(({ text }) => text), checks, signals: { ...this.signals } };
  }

  get runsInstructions(): string[] {
    return [...this.checks.values()].flatMap(({ running }) => (running?.isInstruction ? [running.sessionId] : []));
  }

  private watched(): { check: Check; tracked: TrackedCheck }[] {
    const { settings } = this;
    if (!settings?.active) return [];
    return settings.plan.checks.flatMap((check) => {
      const tracked = this.checks.get(check.id);
      return check.enabled && tracked ? [{ check, tracked }] : [];
    });
  }

  private note(trigger: CheckNow['trigger'], checkIds: string[] | undefined): void {
    for (const { check, tracked } of this.watched()) {
      if (!checkIds || checkIds.includes(check.id)) tracked.wanted = trigger;
    }
  }

  private recall(tracked: TrackedCheck): TrackedCheck {
    const known = this.earlier[tracked.checkId];
    if (known && tracked.lastStartedAt === undefined) {
      Object.assign(tracked, { lastStartedAt: known.startedAt, lastResultAt: known.resultAt, isPlanned: false });
    }
    return tracked;
  }
}

/** An instruction check that has not reported so long after its time was over will not. */
const LOST_AFTER_MS = 10 * 60_000;

function newlyTracked(checkId: string): TrackedCheck {
  return {
    checkId,
    dueAt: null,
    silentAt: null,
    isPlanned: false,
    failures: 0,
    isSlow: false,
    budgetSpent: false,
    missed: 0,
    isLateKnown: false,
  };
}

/** A check that was changed, or was paused with its agent. What it said stays known when it asks the same. */
function begunAnew(tracked: TrackedCheck, isSame: boolean): TrackedCheck {
  return { ...newlyTracked(tracked.checkId), ...(isSame ? { last: tracked.last, isSlow: tracked.isSlow } : {}) };
}

const runOf = ({ running }: TrackedCheck): SupersededRun[] =>
  running ? [{ sessionId: running.sessionId, isInstruction: running.isInstruction }] : [];

const isDue = ({ running, wanted, isPlanned, dueAt }: TrackedCheck, now: number): boolean =>
  !running && (wanted !== undefined || (isPlanned && dueAt !== null && dueAt <= now));

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length > 0 ? Math.min(...known) : null;
}
