/** What an agent's workflow keeps of its schedule when clocks change, by time zone or because somebody sets them. */
import assert from 'node:assert/strict';
import type { AgentSettings } from '../../src/features/monitoring-agents/contract.ts';
import { Plan } from '../../src/features/monitoring-agents/plan/schema.ts';
import { plannedBy } from '../../src/features/monitoring-agents/agent/settings.ts';
import { dueTimes, scheduleChecks } from '../../src/features/monitoring-agents/schedule/index.ts';
import { MonitoringAgentState } from '../../workflows/monitoring-agents.state.ts';

const AGENT = '00000000-0000-4000-8000-000000000001';
const SECOND = 1_000;

/** The workflow's own loop, by a clock that the test moves. */
class Clockwork {
  readonly state = new MonitoringAgentState();
  readonly ran: { at: string; missed: number }[] = [];
  private readonly settings: AgentSettings;

  constructor(schedule: object) {
    const check = { type: 'log_pattern', source: 'loki', condition: { type: 'count' } };
    this.settings = {
      revision: 1,
      title: 'Nightly',
      active: true,
      planVersion: 1,
      plan: plannedBy(Plan.parse({ checks: [{ id: 'nightly', title: 'Nightly', check, schedule }] })),
      config: { channel: 'nobody', evictionHours: 72, modelBudgetUsdPerDay: 5 },
    };
    this.state.offer(this.settings);
    this.state.apply();
  }

  /** As `GET …/plan` shows it. */
  get dueAt(): string {
    const { dueAt } = this.state.state().checks[0]!;
    return dueAt === null ? 'never' : new Date(dueAt).toISOString();
  }

  /** Wakes it at a time, as its timer or a worker that is back does. */
  wake(iso: string): void {
    const now = Date.parse(iso);
    const checks = this.state.unplanned(now);
    this.state.planned(checks, scheduleChecks({ agentId: AGENT, now, checks }), now);
    for (const { check, run } of this.state.takeDue(now, () => `session-${this.ran.length}`).flat()) {
      this.ran.push({ at: iso, missed: run.missed });
      const ended = now + SECOND;
      const facts = { agentId: AGENT, checkId: check.id, now: ended, lastScheduledAt: ended, lastResultAt: ended };
      const next = { ...dueTimes(check.schedule, facts), missed: 0 };
      const result = { checkId: check.id, sessionId: run.sessionId, finishedAt: ended, durationMs: SECOND };
      this.state.ended({ ...result, status: 'ok', digest: 'fine' }, next);
    }
  }

  /** Sleeps until it is due, so many times. @returns when that was */
  sleepAndWake(times: number): string[] {
    return Array.from({ length: times }, () => {
      const at = this.dueAt;
      this.wake(at);
      return at;
    });
  }
}

describe('schedules of a monitoring agent when clocks change', () => {
  const nightly = { cron: '30 2 * * *', time_zone: 'Europe/Berlin' };

  it('a nightly check stays at its time of the day, through summer time and back', () => {
    const spring = new Clockwork({ cron: '0 9 * * *', time_zone: 'Europe/Berlin' });
    spring.wake('2027-03-26T12:00:00.000Z');
    assert.deepEqual(spring.sleepAndWake(3), [
      '2027-03-27T08:00:00.000Z',
      '2027-03-28T07:00:00.000Z',
      '2027-03-29T07:00:00.000Z',
    ]);
    const autumn = new Clockwork({ cron: '0 9 * * *', time_zone: 'Europe/Berlin' });
    autumn.wake('2026-10-23T12:00:00.000Z');
    assert.deepEqual(autumn.sleepAndWake(3), [
      '2026-10-24T07:00:00.000Z',
      '2026-10-25T08:00:00.000Z',
      '2026-10-26T08:00:00.000Z',
    ]);
  });

  it('a time that the clocks leave out is run once, when they jump; one that comes twice is run once', () => {
    const spring = new Clockwork(nightly);
    spring.wake('2027-03-26T12:00:00.000Z');
    assert.deepEqual(spring.sleepAndWake(3), [
      '2027-03-27T01:30:00.000Z',
      '2027-03-28T01:00:00.000Z',
      '2027-03-29T00:30:00.000Z',
    ]);
    const autumn = new Clockwork(nightly);
    autumn.wake('2026-10-24T12:00:00.000Z');
    assert.deepEqual(autumn.sleepAndWake(2), ['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z']);
    assert.deepEqual(
      [...spring.ran, ...autumn.ran].map(({ missed }) => missed),
      [0, 0, 0, 0, 0, 0, 0],
    );
  });

  it('away over the change: one run catches up, and counts the nights as the clocks on the wall do', () => {
    const agent = new Clockwork(nightly);
    agent.wake('2026-10-23T12:00:00.000Z');
    agent.wake('2026-10-27T12:00:00.000Z');
    assert.deepEqual(agent.ran.at(-1), { at: '2026-10-27T12:00:00.000Z', missed: 3 });
    assert.equal(agent.dueAt, '2026-10-28T01:30:00.000Z');
  });

  it('a clock that is set back runs nothing twice, and keeps no check waiting for the time it had', () => {
    const agent = new Clockwork({ every_seconds: 60 });
    agent.wake('2026-11-21T12:00:00.000Z');
    agent.wake('2026-11-21T11:00:00.000Z');
    assert.equal(agent.ran.length, 1);
    const due = agent.dueAt;
    assert.match(due, /^2026-11-21T11:00:/);
    agent.wake(due);
    assert.deepEqual(agent.ran.at(-1), { at: due, missed: 0 });
  });
});
