import assert from 'node:assert/strict';
import type { AgentSettings, CheckRunResult, DueTimes } from '../../src/features/monitoring-agents/contract.ts';
import { Plan } from '../../src/features/monitoring-agents/plan/schema.ts';
import { plannedBy } from '../../src/features/monitoring-agents/agent/settings.ts';
import { MonitoringAgentState } from '../../workflows/monitoring-agents.state.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 10, 21, 12);

const checkOf = (id: string, more: object = {}) => ({
  id,
  title: `Check ${id}`,
  check: { type: 'log_pattern', source: 'loki', condition: { type: 'count' } },
  schedule: { every_seconds: 60 },
  ...more,
});

const instruction = (id: string) =>
  checkOf(id, { check: { type: 'instruction', instruction: 'Look at it.', max_minutes: 5 } });

const settingsOf = (revision: number, checks: object[], more: Partial<AgentSettings> = {}): AgentSettings => ({
  revision,
  title: 'Shop',
  active: true,
  planVersion: revision,
  plan: plannedBy(Plan.parse({ checks })),
  config: { channel: 'nobody', evictionHours: 72, modelBudgetUsdPerDay: 5 },
  ...more,
});

const due = (dueAt: number | null, silentAt: number | null = null, missed = 0): DueTimes => ({
  dueAt,
  silentAt,
  missed,
});

function take(state: MonitoringAgentState, settings: AgentSettings) {
  state.offer(settings);
  return state.apply();
}

/** Plans whatever is unplanned to be due at a time. */
function plan(state: MonitoringAgentState, now: number, times: DueTimes): string[] {
  const asked = state.unplanned(now);
  state.planned(asked, Object.fromEntries(asked.map(({ checkId }) => [checkId, times])), now);
  return asked.map(({ checkId }) => checkId);
}

let ids = 0;
const newId = (): string => `session-${(ids += 1)}`;
const started = (state: MonitoringAgentState, now: number): string[][] =>
  state.takeDue(now, newId).map((batch) => batch.map(({ run }) => run.checkId));

const resultOf = (checkId: string, sessionId: string, more: Partial<CheckRunResult> = {}): CheckRunResult => ({
  checkId,
  sessionId,
  status: 'ok',
  digest: 'fine',
  finishedAt: NOON,
  durationMs: 10,
  ...more,
});

describe('state of a monitoring agent', () => {
  it('runs what is due together, and nothing twice at once', () => {
    const state = new MonitoringAgentState();
    take(state, settingsOf(1, [checkOf('a'), checkOf('b'), instruction('c')]));
    assert.deepEqual(plan(state, NOON, due(NOON)), ['a', 'b', 'c']);
    assert.deepEqual(started(state, NOON), [['a', 'b'], ['c']]);
    assert.deepEqual(started(state, NOON + 10 * MINUTE), []);
  });

  it('runs a check that was slow on its own, so that the others are reported without it', () => {
    const state = new MonitoringAgentState();
    take(state, settingsOf(1, [checkOf('a'), checkOf('b'), checkOf('c')]));
    plan(state, NOON, due(NOON));
    const [batch] = state.takeDue(NOON, newId);
    for (const { run } of batch!) {
      const durationMs = run.checkId === 'b' ? 20_000 : 10;
      state.ended(resultOf(run.checkId, run.sessionId, { durationMs }), due(NOON + MINUTE));
    }
    assert.deepEqual(started(state, NOON + MINUTE), [['a', 'c'], ['b']]);
  });

  it('takes settings only when they are newer, whatever order they come in, and counts every signal', () => {
    const state = new MonitoringAgentState();
    take(state, settingsOf(2, [checkOf('a')]));
    take(state, settingsOf(1, []));
    take(state, settingsOf(2, []));
    take(state, settingsOf(3, [checkOf('b')]));
    assert.deepEqual(
      state.state().checks.map(({ checkId }) => checkId),
      ['b'],
    );
    assert.deepEqual(state.state().signals, { applied: 2, superseded: 2, repeated: 0 });
  });

  it('lets a check that stays as it is go on, and stops one that is changed or removed', () => {
    const state = new MonitoringAgentState();
    take(state, settingsOf(1, [checkOf('same'), checkOf('changed'), checkOf('removed')]));
    plan(state, NOON, due(NOON));
    const runs = new Map(state.takeDue(NOON, newId)[0]!.map(({ run }) => [run.checkId, run.sessionId]));
    const superseded = take(state, settingsOf(2, [checkOf('same'), checkOf('changed', { title: 'Other' })]));
    assert.deepEqual(
      superseded.map(({ sessionId }) => sessionId),
      [runs.get('changed'), runs.get('removed')],
    );
    // The changed one begins anew, although its last run has just begun.
    assert.deepEqual(plan(state, NOON + 1_000, due(NOON + 1_000)), ['changed']);
    assert.deepEqual(started(state, NOON + 1_000), [['changed']]);
    // What a run that was stopped says is nothing to the check as it is now.
    state.ended(resultOf('changed', runs.get('changed')!, { status: 'finding' }));
    assert.equal(state.state().checks.find(({ checkId }) => checkId === 'changed')?.last, undefined);
  });

  it('does nothing while paused, stops what runs, and begins with every check when resumed', () => {
    const state = new MonitoringAgentState();
    const checks = [checkOf('a'), instruction('b')];
    take(state, settingsOf(1, checks));
    plan(state, NOON, due(NOON));
    started(state, NOON);
    const paused = take(state, settingsOf(2, checks, { active: false }));
    assert.deepEqual(
      paused.map(({ isInstruction }) => isInstruction),
      [false, true],
    );
    assert.deepEqual(state.unplanned(NOON + 60 * MINUTE), []);
    assert.equal(state.nextWake(NOON), null);
    state.want({ triggerId: 't', trigger: 'now' });
    assert.deepEqual(started(state, NOON + 60 * MINUTE), []);
    take(state, settingsOf(3, checks));
    const asked = state.unplanned(NOON + 61 * MINUTE);
    assert.deepEqual(
      asked.map(({ checkId, lastScheduledAt }) => [checkId, lastScheduledAt]),
      [
        ['a', undefined],
        ['b', undefined],
      ],
    );
  });

  it('catches up with one run after workers were away, and says what was missed', () => {
    const state = new MonitoringAgentState();
    take(state, settingsOf(1, [checkOf('a')]));
    plan(state, NOON, due(NOON + MINUTE));
    const back = NOON + 10 * MINUTE;
    // Nine more times passed since the one it is late for; the schedule counts one of them as due now.
    assert.deepEqual(plan(state, back, due(back, null, 8)), ['a']);
    assert.deepEqual(plan(state, back, due(back, null, 8)), []);
    const [batch] = state.takeDue(back, newId);
    assert.deepEqual(
      batch!.map(({ run }) => [run.scheduledAt, run.missed]),
      [[NOON + MINUTE, 9]],
    );
    state.ended(resultOf('a', batch![0]!.run.sessionId), due(back + MINUTE));
    assert.deepEqual(started(state, back + MINUTE - 1), []);
    assert.deepEqual(started(state, back + MINUTE), [['a']]);
  });

  it('catches up with one run also where that run itself waited for a worker', () => {
    const state = new MonitoringAgentState();
    take(state, settingsOf(1, [checkOf('a')]));
    plan(state, NOON, due(NOON));
    const [batch] = state.takeDue(NOON, newId);
    const back = NOON + 60 * MINUTE;
    // The attempt was scheduled when the workers went away, and knows the time of that.
    state.ended(resultOf('a', batch![0]!.run.sessionId), due(NOON + MINUTE, NOON + 4 * MINUTE), back);
    assert.deepEqual(
      state
        .unplanned(back)
        .map(({ checkId, lastScheduledAt, lastResultAt }) => [checkId, lastScheduledAt, lastResultAt]),
      [['a', back, back]],
    );
    plan(state, back, due(back + MINUTE, back + 4 * MINUTE));
    assert.deepEqual(started(state, back), []);
    state.assess(back);
    assert.equal(state.state().health, 'healthy');
  });

  it('does not run a check again at once that took longer than its period', () => {
    const state = new MonitoringAgentState();
    take(state, settingsOf(1, [instruction('a')]));
    plan(state, NOON, due(NOON));
    const [batch] = state.takeDue(NOON, newId);
    state.ended(resultOf('a', batch![0]!.run.sessionId), undefined, NOON + 3 * MINUTE);
    assert.deepEqual(
      state.unplanned(NOON + 3 * MINUTE).map(({ lastScheduledAt }) => lastScheduledAt),
      [NOON + 3 * MINUTE],
    );
  });

  it('takes the time of a result from the server: the clock of a worker may be hours behind', () => {
    const state = new MonitoringAgentState();
    take(state, settingsOf(1, [instruction('a')]));
    plan(state, NOON, due(NOON));
    const [batch] = state.takeDue(NOON, newId);
    const finishedAt = NOON - 120 * MINUTE;
    state.ended(resultOf('a', batch![0]!.run.sessionId, { finishedAt }), undefined, NOON + 1_000);
    assert.deepEqual(
      state.unplanned(NOON + 1_000).map(({ lastResultAt }) => lastResultAt),
      [NOON + 1_000],
    );
  });

  it('runs a check now that is wanted, once for each trigger, and once more when it is running', () => {
    const state = new MonitoringAgentState();
    take(state, settingsOf(1, [checkOf('a'), checkOf('b')]));
    plan(state, NOON, due(NOON + MINUTE));
    state.want({ triggerId: 't1', trigger: 'deploy', checkIds: ['a'] });
    state.want({ triggerId: 't1', trigger: 'deploy', checkIds: ['a'] });
    const [batch] = state.takeDue(NOON, newId);
    assert.deepEqual(
      batch!.map(({ run }) => [run.checkId, run.trigger]),
      [['a', 'deploy']],
    );
    state.want({ triggerId: 't1', trigger: 'deploy', checkIds: ['a'] });
    state.want({ triggerId: 't2', trigger: 'now' });
    assert.deepEqual(started(state, NOON), [['b']]);
    state.ended(resultOf('a', batch![0]!.run.sessionId), due(NOON + MINUTE));
    assert.deepEqual(started(state, NOON), [['a']]);
    assert.deepEqual(state.signals, { applied: 3, superseded: 0, repeated: 2 });
  });

  it('keeps a wish that came before the settings', () => {
    const state = new MonitoringAgentState();
    state.want({ triggerId: 't', trigger: 'now' });
    take(state, settingsOf(1, [checkOf('a')]));
    const [batch] = state.takeDue(NOON, newId);
    assert.equal(batch![0]!.run.trigger, 'now');
  });

  it('carries everything over continue-as-new: due times, triggers, counts, and an instruction check that runs', () => {
    const state = new MonitoringAgentState();
    take(state, settingsOf(1, [checkOf('a'), instruction('b')]));
    plan(state, NOON, due(NOON));
    state.want({ triggerId: 't', trigger: 'now', checkIds: [] });
    const [cheap, asked] = state.takeDue(NOON, newId);
    state.ended(resultOf('a', cheap![0]!.run.sessionId), due(NOON + MINUTE));
    const next = new MonitoringAgentState(structuredClone(state.carry()));
    assert.deepEqual(next.state(), state.state());
    assert.deepEqual(next.runs, [{ sessionId: asked![0]!.run.sessionId, isInstruction: true }]);
    next.want({ triggerId: 't', trigger: 'now' });
    assert.equal(next.signals.repeated, 1);
    next.ended(resultOf('b', asked![0]!.run.sessionId, { status: 'finding' }));
    assert.equal(next.state().checks[1]?.last?.status, 'finding');
    assert.deepEqual(
      next.unplanned(NOON).map(({ checkId }) => checkId),
      ['b'],
    );
  });

  it('makes new due times when the clock was set back, and does not wait for the old ones', () => {
    const state = new MonitoringAgentState();
    take(state, settingsOf(1, [checkOf('a')]));
    plan(state, NOON, due(NOON));
    const [batch] = state.takeDue(NOON, newId);
    state.ended(resultOf('a', batch![0]!.run.sessionId), due(NOON + MINUTE));
    const earlier = NOON - 60 * MINUTE;
    assert.deepEqual(
      state.unplanned(earlier).map(({ checkId, lastScheduledAt }) => [checkId, lastScheduledAt]),
      [['a', earlier]],
    );
    plan(state, earlier, due(earlier + MINUTE));
    assert.equal(state.nextWake(earlier), earlier + MINUTE);
  });

  it('wakes while a check runs when it will be due next, and for its silence when it hangs', () => {
    const state = new MonitoringAgentState();
    take(state, settingsOf(1, [checkOf('a')]));
    plan(state, NOON, due(NOON, NOON + 3 * MINUTE));
    const [batch] = state.takeDue(NOON, newId);
    assert.equal(state.nextWake(NOON), NOON + MINUTE);
    assert.equal(state.nextWake(NOON + MINUTE), NOON + 3 * MINUTE);
    state.ended(resultOf('a', batch![0]!.run.sessionId), due(NOON + MINUTE, NOON + 4 * MINUTE));
    assert.equal(state.nextWake(NOON + 1_000), NOON + MINUTE, 'the timer that is set already');
  });

  it('begins nothing while it is about to continue as new', () => {
    const state = new MonitoringAgentState();
    take(state, settingsOf(1, [checkOf('a')]));
    plan(state, NOON, due(NOON));
    state.isDraining = true;
    assert.deepEqual(started(state, NOON), []);
    assert.equal(state.nextWake(NOON), null);
  });

  it('gives up an instruction check that never reports, long after its time', () => {
    const state = new MonitoringAgentState();
    take(state, settingsOf(1, [instruction('a')]));
    plan(state, NOON, due(NOON));
    const [batch] = state.takeDue(NOON, newId);
    assert.deepEqual(state.overdueRuns(NOON + 14 * MINUTE), []);
    assert.equal(state.nextWake(NOON), NOON + 15 * MINUTE);
    assert.deepEqual(
      state.overdueRuns(NOON + 15 * MINUTE).map(({ checkId }) => checkId),
      ['a'],
    );
    state.lost(batch![0]!.run.sessionId);
    assert.deepEqual(
      state.unplanned(NOON + 15 * MINUTE).map(({ checkId }) => checkId),
      ['a'],
    );
  });

  it('begins with what sessions say when the workflow was lost', () => {
    const state = new MonitoringAgentState();
    state.remember({ a: { startedAt: NOON - MINUTE, resultAt: NOON - MINUTE + 50 } });
    take(state, settingsOf(4, [checkOf('a'), checkOf('new')]));
    assert.deepEqual(
      state
        .unplanned(NOON)
        .map(({ checkId, lastScheduledAt, lastResultAt }) => [checkId, lastScheduledAt, lastResultAt]),
      [
        ['a', NOON - MINUTE, NOON - MINUTE + 50],
        ['new', undefined, undefined],
      ],
    );
  });
});

describe('health of a monitoring agent', () => {
  const running = (checks: object[], more: Partial<AgentSettings> = {}): MonitoringAgentState => {
    const state = new MonitoringAgentState();
    take(state, settingsOf(1, checks, more));
    plan(state, NOON, due(NOON, NOON + 3 * MINUTE));
    return state;
  };
  const run = (state: MonitoringAgentState, now: number, more: Partial<CheckRunResult> = {}): void => {
    for (const { run: each } of state.takeDue(now, newId).flat()) {
      state.ended(
        resultOf(each.checkId, each.sessionId, { finishedAt: now, ...more }),
        due(now + MINUTE, now + 3 * MINUTE),
      );
    }
  };

  it('is healthy from the first result on', () => {
    const state = running([checkOf('a')]);
    state.assess(NOON);
    assert.equal(state.state().health, 'starting');
    run(state, NOON);
    assert.equal(state.assess(NOON), true);
    assert.equal(state.state().health, 'healthy');
    assert.equal(state.assess(NOON), false);
  });

  it('is degraded without a result for three periods, says so once, and is healthy with the next result', () => {
    const state = running([checkOf('a')]);
    run(state, NOON);
    state.assess(NOON);
    assert.equal(state.nextWake(NOON), NOON + MINUTE);
    assert.equal(state.assess(NOON + 3 * MINUTE - 1), false);
    assert.equal(state.assess(NOON + 3 * MINUTE), true);
    assert.match(state.state().reasons[0] ?? '', /"Check a" has had no result since 2026-11-21T12:00:00/);
    assert.equal(state.assess(NOON + 4 * MINUTE), false);
    run(state, NOON + 5 * MINUTE);
    assert.equal(state.assess(NOON + 5 * MINUTE), true);
    assert.equal(state.state().health, 'healthy');
  });

  it('is degraded when a source fails again, with the reason in its own words', () => {
    const state = running([checkOf('a')]);
    run(state, NOON, { status: 'failed', digest: 'connection refused' });
    state.assess(NOON);
    assert.notEqual(state.state().health, 'degraded');
    run(state, NOON + MINUTE, { status: 'failed', digest: 'connection refused' });
    state.assess(NOON + MINUTE);
    assert.equal(state.state().health, 'degraded');
    assert.match(state.state().reasons[0] ?? '', /cannot run: connection refused/);
  });

  it('is degraded while its model budget is spent', () => {
    const state = running([checkOf('a')]);
    run(state, NOON, { status: 'failed', budgetSpent: true });
    state.assess(NOON);
    assert.match(state.state().reasons.join(), /model budget of \$5 a day is exhausted/);
  });

  it('may be without checks while its plan is drafted, and not for longer', () => {
    const state = new MonitoringAgentState();
    take(state, settingsOf(1, []));
    state.assess(NOON);
    assert.equal(state.state().health, 'starting');
    const wake = state.nextWake(NOON);
    assert.equal(wake, NOON + 5 * MINUTE);
    assert.equal(state.dueBesides().silentAt, wake, 'the row says so too, for when no worker is left');
    assert.equal(state.assess(wake), true);
    assert.deepEqual(state.state().reasons, ['The plan has no checks.']);
  });

  it('is not well because a check that fails was changed, or the agent resumed: a result says so', () => {
    const state = new MonitoringAgentState();
    const failOnce = (now: number): void => {
      plan(state, now, due(now));
      const [batch] = state.takeDue(now, newId);
      const said = resultOf('a', batch![0]!.run.sessionId, { status: 'failed', digest: 'no such source' });
      state.ended(said, due(now + MINUTE), now);
      state.assess(now);
    };
    take(state, settingsOf(1, [checkOf('a')]));
    failOnce(NOON);
    failOnce(NOON + MINUTE);
    assert.equal(state.state().health, 'degraded');
    take(state, settingsOf(2, [checkOf('a', { title: 'Other' })]));
    assert.equal(state.assess(NOON + 2 * MINUTE), false);
    failOnce(NOON + 2 * MINUTE);
    assert.equal(state.state().health, 'degraded');
    take(state, settingsOf(3, [checkOf('a')]));
    plan(state, NOON + 3 * MINUTE, due(NOON + 3 * MINUTE));
    const [batch] = state.takeDue(NOON + 3 * MINUTE, newId);
    state.ended(resultOf('a', batch![0]!.run.sessionId), due(NOON + 4 * MINUTE), NOON + 3 * MINUTE);
    assert.equal(state.assess(NOON + 3 * MINUTE), true);
    assert.equal(state.state().health, 'healthy');
  });

  it('starts when a plan that had no checks gets some, and is well with a result', () => {
    const state = new MonitoringAgentState();
    take(state, settingsOf(1, []));
    state.assess(NOON);
    state.assess(NOON + 6 * MINUTE);
    assert.equal(state.state().health, 'degraded');
    take(state, settingsOf(2, [checkOf('a')]));
    state.assess(NOON + 7 * MINUTE);
    assert.equal(state.state().health, 'starting');
  });

  it('tells nobody anything new while it is paused', () => {
    const state = running([checkOf('a')]);
    run(state, NOON);
    state.assess(NOON);
    take(state, settingsOf(2, [checkOf('a')], { active: false }));
    assert.equal(state.assess(NOON + 60 * MINUTE), false);
  });
});
