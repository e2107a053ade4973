import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { Effect } from '../../../../src/features/effects/index.ts';
import {
  isToBeInvestigated,
  nextNotice,
  noticeChangesAt,
  noticeOf,
  notificationKey,
  type FindingInvestigation,
} from '../../../../src/features/monitoring-agents/findings/due.ts';
import {
  FLAPPING_WINDOW_MS,
  reduce,
  settle,
  type FindingState,
} from '../../../../src/features/monitoring-agents/findings/reduce.ts';

type Standing = Parameters<typeof isToBeInvestigated>[0];
type Notified = Pick<Effect, 'status' | 'key'>;

const now = Date.UTC(2026, 0, 1);
const standing = (overrides: Partial<Standing> = {}): Standing => ({
  id: 'f',
  agentId: 'agent',
  actions: ['notify', 'investigate'],
  judge: false,
  judgement: null,
  status: 'open',
  isFlapping: false,
  revision: 1,
  opens: [now],
  coolDownSeconds: 900,
  investigationId: null,
  acknowledgedAt: null,
  mutedUntil: null,
  closedBy: null,
  ...overrides,
});
const told = (...notices: string[]): Notified[] =>
  notices.map((notice) => {
    const [event = '', n = '1', status = 'done'] = notice.split(' ');
    const of = { event, n } as Parameters<typeof notificationKey>[1];
    return { status: status as Notified['status'], key: notificationKey('f', of) };
  });
const investigation = (status: string, agoMs = 0): FindingInvestigation => ({
  id: 'inv',
  status,
  createdAt: new Date(now - agoMs),
});
const judgement = { isWorthIt: false, title: 't', reason: 'noise', costUsd: 0, model: 'm' };

describe('the next notification', () => {
  const cases: [string, Partial<Standing>, string[], FindingInvestigation | undefined, string | undefined][] = [
    ['that it opened', {}, [], undefined, 'opened 1'],
    ['nothing while it is not confirmed', { status: 'pending' }, [], undefined, undefined],
    ['nothing before it was judged', { judge: true }, [], undefined, undefined],
    ['nothing that is not worth it', { judge: true, judgement }, [], investigation('completed'), undefined],
    ['nothing where nobody wants to be told', { actions: ['investigate'] }, [], investigation('failed'), undefined],
    ['nothing where it belongs to no agent', { agentId: null }, [], undefined, undefined],
    ['that it opened, although it is over by now', { status: 'closed', revision: 3 }, [], undefined, 'opened 3'],
    ['then that it is over', { status: 'closed', revision: 3 }, ['opened'], undefined, 'resolved 3'],
    ['what was not delivered yet', { status: 'resolved' }, ['opened 1 pending'], undefined, 'opened 1'],
    [
      'the next one where one was given up',
      { status: 'resolved', revision: 2 },
      ['opened 1 failed'],
      undefined,
      'resolved 2',
    ],
    ['nothing while it is investigated', {}, ['opened'], investigation('processing'), undefined],
    [
      'the report, before that it is over',
      { status: 'resolved' },
      ['opened'],
      investigation('completed'),
      'report inv',
    ],
    ['the report once', {}, ['opened', 'report inv'], investigation('completed'), undefined],
    [
      'the report also after it was over',
      { status: 'closed' },
      ['opened', 'resolved 2'],
      investigation('failed'),
      'report inv',
    ],
    ['that it is back', { revision: 3 }, ['opened', 'resolved 2'], undefined, 'reopened 3'],
    ['that it is flapping', { isFlapping: true, revision: 7 }, ['opened', 'resolved 2'], undefined, 'flapping 7'],
    [
      'nothing while it is',
      { isFlapping: true, status: 'resolved', revision: 9 },
      ['opened', 'flapping 7'],
      undefined,
      undefined,
    ],
    ['how it ended to flap', { revision: 10 }, ['opened', 'flapping 7'], undefined, 'reopened 10'],
    [
      'how it ended to flap, when it is over',
      { status: 'closed', revision: 10 },
      ['flapping 7'],
      undefined,
      'resolved 10',
    ],
  ];
  for (const [what, overrides, before, about, expected] of cases) {
    it(what, () => {
      const notice = nextNotice(standing(overrides), told(...before), about, [], now);
      assert.equal(notice && `${notice.event} ${notice.n}`, expected);
    });
  }

  it('is announced once, even if a clock was set back and rows arrive out of order', () => {
    const over = standing({ status: 'resolved', revision: 2 });
    assert.equal(nextNotice(over, told('resolved 2', 'opened 1'), undefined, [], now), undefined);
    assert.equal(
      nextNotice(over, told('resolved 2', 'opened 2'), undefined, [], now),
      undefined,
      'told late, in one revision',
    );
    const again = standing({ status: 'open', revision: 11 });
    assert.equal(nextNotice(again, told('reopened 11', 'resolved 9', 'opened 1'), undefined, [], now), undefined);
  });

  it('is announced in order and once, whatever is reported and whenever it is looked at', () => {
    const step = fc.record({
      isFinding: fc.boolean(),
      waitMs: fc.oneof(fc.integer({ min: 0, max: 300_000 }), fc.integer({ min: 0, max: 2 * FLAPPING_WINDOW_MS })),
      looks: fc.integer({ min: 0, max: 3 }),
    });
    const coolDowns = fc.constantFrom(0, 300, 7_200);
    fc.assert(
      fc.property(coolDowns, fc.array(step, { maxLength: 60 }), (coolDownSeconds, steps) => {
        const policy = { confirmations: 1, recoveries: 1, coolDownSeconds };
        let state: FindingState | undefined;
        let time = now;
        let sent: Notified[] = [];
        const look = (times: number): void => {
          for (let count = 0; count < times; count += 1) {
            const notice = state && nextNotice(standing(state), sent, undefined, [], now);
            if (!notice) return;
            const key = notificationKey('f', notice);
            assert.ok(!sent.some((one) => one.key === key), `${key} is told twice`);
            sent.push({ status: 'done', key });
          }
        };
        const end = (): void => {
          look(10);
          const events = sent.map((one) => noticeOf('f', one).event);
          if (events.length > 0) assert.equal(events.at(-1), 'resolved', events.join(' '));
          for (const [index, event] of events.entries()) {
            const before = events[index - 1];
            if (event === 'opened') assert.equal(index, 0);
            if (event === 'resolved') assert.ok(before && before !== 'resolved', events.join(' '));
            if (event === 'reopened') assert.ok(before === 'resolved' || before === 'flapping', events.join(' '));
            if (event === 'flapping') assert.notEqual(before, 'flapping', events.join(' '));
          }
          state = undefined;
          sent = [];
        };
        for (const [index, { isFinding, waitMs, looks }] of steps.entries()) {
          time += waitMs;
          const report = { source: 'a', isFinding, text: '', at: time, sessionId: `s${index}`, policy };
          const reduced = reduce(state, report);
          state = reduced.state;
          if (reduced.change === 'closed') {
            end();
            state = reduce(undefined, report).state;
          }
          look(looks);
        }
        if (!state) return;
        const green = { source: 'a', isFinding: false, text: '', at: time + 1, sessionId: 'end', policy };
        state = reduce(state, green).state;
        state = settle(state!, time + 10 * FLAPPING_WINDOW_MS).state;
        assert.equal(state?.status, 'closed');
        end();
      }),
      { numRuns: 500 },
    );
  });
});

describe('the next notification, with what people do', () => {
  const acknowledgedAt = new Date(now - 60_000);
  const mutedUntil = new Date(now + 1);
  const acts = (...all: string[]) =>
    all.map((one) => {
      const [kind = '', quiet] = one.split(' ');
      return { id: `of-${kind}`, kind: kind as 'muted', isNotified: quiet === undefined };
    });
  const cases: [string, Partial<Standing>, string[], string[], string | undefined][] = [
    ['that it opened, before what people did', {}, [], ['acknowledged'], 'opened 1'],
    ['what they did', { acknowledgedAt }, ['opened'], ['acknowledged', 'assigned'], 'acknowledged of-acknowledged'],
    [
      'each of it',
      {},
      ['opened', 'acknowledged of-acknowledged'],
      ['acknowledged', 'assigned'],
      'assigned of-assigned',
    ],
    ['once', {}, ['opened', 'acknowledged of-acknowledged'], ['acknowledged'], undefined],
    ['nothing where nobody heard of the finding', { actions: [] }, [], ['commented'], undefined],
    ['acknowledged: that it is over', { acknowledgedAt, status: 'resolved' }, ['opened'], [], 'resolved 1'],
    ['acknowledged: not that it is back', { acknowledgedAt, revision: 3 }, ['opened', 'resolved 2'], [], undefined],
    [
      'acknowledged: that it is back, once that has lasted',
      { acknowledgedAt, revision: 3, opens: [now - 900_000] },
      ['opened', 'resolved 2'],
      [],
      'reopened 3',
    ],
    ['acknowledged: not that it is flapping', { acknowledgedAt, isFlapping: true }, ['opened'], [], undefined],
    [
      'acknowledged: that what is flapping is over',
      { acknowledgedAt, isFlapping: true, status: 'resolved', revision: 7 },
      ['opened'],
      [],
      'resolved 7',
    ],
    ['muted: that it is, and nothing else', { mutedUntil }, ['opened'], ['commented', 'muted'], 'muted of-muted'],
    ['muted: not that it is over', { mutedUntil, status: 'resolved' }, ['opened'], [], undefined],
    ['muted: not that it opened', { mutedUntil }, [], [], undefined],
    ['the state after a mute', { mutedUntil: new Date(now), status: 'resolved' }, ['opened'], [], 'resolved 1'],
    ['not what was said during a mute', {}, ['opened'], ['commented quietly'], undefined],
    ['closed: who closed it', { closedBy: 'Anna', status: 'closed' }, ['opened'], ['closed'], 'closed of-closed'],
    ['closed: not that it is over', { closedBy: 'Anna', status: 'closed' }, ['opened'], [], undefined],
  ];
  for (const [what, overrides, before, did, expected] of cases) {
    it(what, () => {
      const notice = nextNotice(standing(overrides), told(...before), undefined, acts(...did), now);
      assert.equal(notice && `${notice.event} ${notice.n}`, expected);
    });
  }

  it('changes when a mute ends, and when a return has lasted', () => {
    assert.equal(noticeChangesAt(standing(), now), null);
    assert.equal(noticeChangesAt(standing({ mutedUntil }), now), now + 1);
    assert.equal(noticeChangesAt(standing({ acknowledgedAt }), now), now + 900_000);
    assert.equal(noticeChangesAt(standing({ acknowledgedAt }), now + 900_000), null);
    assert.equal(noticeChangesAt(standing({ acknowledgedAt, status: 'resolved' }), now), null);
  });
});

describe('whether it is investigated', () => {
  const old = 1_000_000;
  const cases: [string, Partial<Standing>, FindingInvestigation | undefined, boolean][] = [
    ['when it opens', {}, undefined, true],
    ['not where only people are told', { actions: ['notify'] }, undefined, false],
    ['not before it was judged', { judge: true }, undefined, false],
    ['not when it is not worth it', { judge: true, judgement }, undefined, false],
    ['not when it is over', { status: 'resolved' }, undefined, false],
    ['not when it is flapping', { isFlapping: true }, undefined, false],
    ['once', { investigationId: 'inv' }, investigation('completed', old), false],
    [
      'again when it came back after its cool-down',
      { investigationId: 'inv', opens: [now - 1] },
      investigation('completed', old),
      true,
    ],
    [
      'not again within its cool-down',
      { investigationId: 'inv', opens: [now - 1] },
      investigation('completed', 60_000),
      false,
    ],
    [
      'not while the last one goes on',
      { investigationId: 'inv', opens: [now - 1] },
      investigation('processing', old),
      false,
    ],
  ];
  for (const [what, overrides, about, expected] of cases) {
    const opened = { opens: [now - 2 * old], ...overrides };
    it(what, () => assert.equal(isToBeInvestigated(standing(opened), about, now), expected));
  }
});
