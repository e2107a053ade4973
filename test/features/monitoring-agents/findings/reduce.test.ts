import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  coolDownEndsAt,
  FLAPPING_OPENS,
  FLAPPING_WINDOW_MS,
  forget,
  isChanged,
  isNews,
  MAX_SOURCES,
  reduce,
  settle,
  settlesAt,
  type FindingChange,
  type FindingPolicy,
  type FindingState,
  type Reduced,
} from '../../../../src/features/monitoring-agents/findings/reduce.ts';

const policy: FindingPolicy = { confirmations: 1, recoveries: 2, coolDownSeconds: 900 };

/** Plays reports, one a minute unless a time is given: `+` finds it, `-` does not; a letter before it names the source. */
class Played {
  state: FindingState | undefined;
  readonly changes: FindingChange[] = [];
  readonly news: string[] = [];
  now = Date.UTC(2026, 0, 1);
  private session = 0;
  readonly policy: FindingPolicy;

  constructor(overrides: Partial<FindingPolicy> = {}) {
    this.policy = { ...policy, ...overrides };
  }

  play(reports: string, stepMs = 60_000): this {
    for (const [, source = 'a', sign] of reports.matchAll(/([a-z])?([+-])/g)) {
      this.now += stepMs;
      this.report(source, sign === '+', `session-${(this.session += 1)}`);
    }
    return this;
  }

  report(source: string, isFinding: boolean, sessionId: string): void {
    const report = {
      source,
      isFinding,
      text: `${source} at ${this.now}`,
      at: this.now,
      sessionId,
      policy: this.policy,
    };
    this.take(reduce(this.state, report));
    if (this.changes.at(-1) === 'closed') this.take(reduce(undefined, report));
  }

  settle(): void {
    if (this.state) this.take(settle(this.state, this.now));
  }

  private take(reduced: Reduced): void {
    this.changes.push(reduced.change);
    if (isNews(reduced)) this.news.push(reduced.change);
    this.state = reduced.state;
  }
}

describe('the status of a finding, from its reports', () => {
  it('opens with the first, is seen while it lasts, and resolves after enough green ones in a row', () => {
    const played = new Played().play('++-+--');
    assert.deepEqual(played.changes, ['opened', 'seen', 'pending', 'seen', 'pending', 'resolved']);
    assert.deepEqual(played.news, ['opened', 'resolved']);
    assert.equal(played.state?.status, 'resolved');
    assert.equal(played.state.occurrences, 3);
    assert.equal(played.state.revision, 2);
  });

  it('says nothing of what is green', () => {
    assert.deepEqual(new Played().play('---').changes, ['none', 'none', 'none']);
  });

  it('opens when one source has found it often enough in a row; what is not confirmed leaves nothing', () => {
    assert.deepEqual(new Played({ confirmations: 3 }).play('++-').changes, ['pending', 'pending', 'dropped']);
    const played = new Played({ confirmations: 3 }).play('++-+++');
    assert.equal(played.changes.at(-1), 'opened');
    const shared = new Played({ confirmations: 2 }).play('a+b+a-b+');
    assert.deepEqual(shared.changes, ['pending', 'pending', 'pending', 'opened']);
  });

  it('is held open by each of its sources', () => {
    const played = new Played({ recoveries: 1 }).play('a+b+a-');
    assert.deepEqual(played.changes, ['opened', 'seen', 'pending']);
    assert.equal(played.play('b-').changes.at(-1), 'resolved');
  });

  it('is the same one when it comes back within its cool-down, and a new one after it', () => {
    const soon = new Played().play('+--+');
    assert.deepEqual(soon.news, ['opened', 'resolved', 'reopened']);
    const late = new Played().play('+--');
    late.now += 900_000;
    late.play('+');
    assert.deepEqual(late.changes.slice(-2), ['closed', 'opened']);
    assert.deepEqual(late.state?.opens, [late.now]);
    assert.equal(late.state?.revision, 1);
  });

  it('comes back only when that is confirmed', () => {
    const played = new Played({ confirmations: 2 }).play('++--+');
    assert.equal(played.state?.status, 'resolved');
    assert.equal(played.play('+').changes.at(-1), 'reopened');
  });

  it('is closed by time alone, not a moment early', () => {
    const played = new Played().play('+--');
    const end = coolDownEndsAt(played.state!)!;
    assert.equal(end, played.now + 900_000);
    assert.equal(settlesAt(played.state!), end);
    assert.equal(settle(played.state!, end - 1).change, 'none');
    const { state, change } = settle(played.state!, end);
    assert.equal(change, 'closed');
    assert.equal(state?.closedAt, end);
    assert.equal(settlesAt(state), null);
  });

  it('flaps when it opened four times within an hour: that is told, and then nothing until it is calm', () => {
    const played = new Played({ recoveries: 1 }).play('+-+-+-+');
    assert.deepEqual(played.news, ['opened', 'resolved', 'reopened', 'resolved', 'reopened', 'resolved', 'flapping']);
    played.play('-+-+-');
    assert.equal(played.news.at(-1), 'flapping');
    assert.equal(played.state?.status, 'resolved');
    // It is not closed while it is flapping: its next return would be news.
    played.now += 900_000;
    played.settle();
    assert.equal(played.state?.status, 'resolved');
    played.now += FLAPPING_WINDOW_MS;
    played.settle();
    assert.equal(played.changes.at(-1), 'closed');
  });

  it('is calm when it has stayed open for the window', () => {
    const played = new Played({ recoveries: 1 }).play('+-+-+-+');
    assert.equal(settlesAt(played.state!), played.now + FLAPPING_WINDOW_MS);
    played.now += FLAPPING_WINDOW_MS;
    played.play('+');
    assert.equal(played.news.at(-1), 'calmed');
    assert.equal(played.state?.isFlapping, false);
    assert.equal(played.state.status, 'open');
  });

  it('flaps across findings that are closed by now', () => {
    const at = Date.UTC(2026, 0, 1);
    const report = { source: 'a', isFinding: true, text: 'again', at, sessionId: 's', policy };
    const opens = Array.from({ length: FLAPPING_OPENS - 1 }, (_, index) => at - (index + 1) * 60_000).toReversed();
    assert.equal(reduce(undefined, report, opens).change, 'flapping');
    assert.equal(reduce(undefined, report, opens.slice(1)).change, 'opened');
  });

  it('takes no notice of a session that was heard', () => {
    const played = new Played().play('+');
    const before = played.state;
    played.report('a', true, 'session-1');
    played.report('a', false, 'session-1');
    assert.deepEqual(played.changes, ['opened', 'none', 'none']);
    assert.equal(played.state, before);
  });

  it('goes on when a clock was set back: what comes later is later', () => {
    const played = new Played({ confirmations: 2, recoveries: 1, coolDownSeconds: 900 });
    played.report('a', true, 'session-1');
    played.now -= 3_600_000;
    played.report('a', true, 'session-2');
    played.report('a', false, 'session-3');
    played.report('a', true, 'session-4');
    played.report('a', true, 'session-5');
    assert.deepEqual(played.changes, ['pending', 'opened', 'resolved', 'pending', 'reopened']);
  });

  it('that no source can resolve is resolved after a long silence; then it is new again', () => {
    const HOUR = 3_600_000;
    const alert = new Played().play('+');
    alert.state = { ...alert.state!, silenceMs: 24 * HOUR };
    const heard = alert.now;
    assert.equal(settlesAt(alert.state), heard + 24 * HOUR);
    alert.now = heard + 24 * HOUR - 1;
    alert.settle();
    assert.equal(alert.state.status, 'open');
    alert.now += 5;
    alert.settle();
    assert.deepEqual([alert.state.status, alert.state.resolvedAt], ['resolved', heard + 24 * HOUR]);
    alert.play('+');
    assert.equal(alert.changes.at(-1), 'reopened');
    // Ninety days later it is another one, also when nobody looked meanwhile.
    alert.play('+', 90 * 24 * HOUR);
    assert.deepEqual(alert.changes.slice(-2), ['closed', 'opened']);
  });

  it('is resolved when nobody watches its sources any more', () => {
    const played = new Played().play('a+b+');
    const one = forget(played.state!, (source) => source === 'a', played.now);
    assert.equal(one.change, 'pending');
    const both = forget(one.state!, () => true, played.now);
    assert.equal(both.change, 'resolved');
    assert.equal(forget(both.state!, () => true, played.now).change, 'none');
    const unconfirmed = new Played({ confirmations: 2 }).play('+');
    assert.deepEqual(
      forget(unconfirmed.state!, () => true, played.now),
      { state: undefined, change: 'dropped' },
    );
  });

  it('keeps a bounded number of sources; those that are over go first', () => {
    const played = new Played({ recoveries: 1 }).play('b+a+a-');
    for (let index = 0; index < MAX_SOURCES; index += 1) {
      played.now += 1_000;
      played.report(`more-${index}`, true, `more-${index}`);
    }
    const kept = Object.keys(played.state!.sources);
    assert.equal(kept.length, MAX_SOURCES);
    assert.ok(!kept.includes('a'));
    assert.ok(kept.includes(`more-${MAX_SOURCES - 1}`));
  });
});

describe('any reports', () => {
  const step = fc.record({
    source: fc.constantFrom('a', 'b', 'c'),
    isFinding: fc.boolean(),
    waitMs: fc.oneof(fc.integer({ min: 0, max: 120_000 }), fc.integer({ min: 0, max: 2 * FLAPPING_WINDOW_MS })),
    settles: fc.boolean(),
    repeats: fc.boolean(),
  });
  const policies = fc.record({
    confirmations: fc.integer({ min: 1, max: 3 }),
    recoveries: fc.integer({ min: 1, max: 3 }),
    coolDownSeconds: fc.constantFrom(0, 60, 900, 7_200),
  });
  const anyPlay = fc.tuple(policies, fc.array(step, { maxLength: 60 })).map(([of, steps]) => {
    const played = new Played(of);
    const repeated: { before: FindingState | undefined; after: FindingState | undefined }[] = [];
    for (const [index, { source, isFinding, waitMs, settles, repeats }] of steps.entries()) {
      played.now += waitMs;
      if (settles) played.settle();
      played.report(source, isFinding, `s${index}`);
      const before = played.state;
      if (repeats) {
        played.report(source, isFinding, `s${index}`);
        repeated.push({ before, after: played.state });
      }
    }
    return { played, repeated };
  });

  it('produce news that is never announced twice: opened, then resolved, in turn', () => {
    fc.assert(
      fc.property(anyPlay, ({ played: { news } }) => {
        let last: string | undefined;
        for (const one of news) {
          // One that was flapping may have been closed, which is told by what was told before: see the notices.
          if (one === 'opened')
            assert.ok(last === undefined || ['resolved', 'calmed', 'flapping'].includes(last), news.join(' '));
          if (one === 'resolved')
            assert.ok(last === 'opened' || last === 'reopened' || last === 'calmed', news.join(' '));
          if (one === 'reopened') assert.ok(last === 'resolved' || last === 'calmed', news.join(' '));
          if (one === 'calmed') assert.equal(last, 'flapping', news.join(' '));
          if (one === 'flapping') assert.notEqual(last, 'flapping', news.join(' '));
          last = one;
        }
      }),
      { numRuns: 500 },
    );
  });

  it('change nothing when they are repeated', () => {
    fc.assert(
      fc.property(anyPlay, ({ repeated }) => {
        for (const { before, after } of repeated) assert.deepEqual(after, before);
      }),
    );
  });

  it('end: each opened finding resolves exactly once after green ones and its cool-down', () => {
    fc.assert(
      fc.property(anyPlay, ({ played }) => {
        const { state } = played;
        if (state?.status !== 'open' && state?.status !== 'resolved') return;
        const from = played.changes.length;
        for (const source of ['a', 'b', 'c'])
          for (let run = 0; run < 3; run += 1) {
            played.now += 1;
            played.report(source, false, `green-${source}-${run}`);
          }
        played.now += Math.max(state.coolDownSeconds * 1_000, FLAPPING_WINDOW_MS) + 1;
        played.settle();
        const ends = played.changes.slice(from);
        assert.equal(ends.filter((change) => change === 'resolved').length, state.status === 'open' ? 1 : 0);
        assert.equal(ends.filter((change) => change === 'closed').length, 1);
        assert.equal(played.state?.status, 'closed');
      }),
    );
  });

  it('raise the revision with whatever people hear', () => {
    fc.assert(
      fc.property(policies, fc.array(step, { maxLength: 40 }), (of, steps) => {
        let state: FindingState | undefined;
        let now = 0;
        for (const [index, { source, isFinding, waitMs }] of steps.entries()) {
          now += waitMs;
          const before = state;
          const reduced = reduce(before, { source, isFinding, text: '', at: now, sessionId: `s${index}`, policy: of });
          if (isNews(reduced)) assert.ok(isChanged(before, reduced.state));
          state = reduced.change === 'closed' ? undefined : reduced.state;
        }
      }),
    );
  });
});
