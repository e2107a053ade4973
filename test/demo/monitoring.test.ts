import assert from 'node:assert/strict';
import { stripVTControlCharacters } from 'node:util';
import { foundSince, unsettledOf, type Finding } from '../../demo/monitoring/finding.ts';
import { agentHints } from '../../demo/monitoring/hints.ts';
import { GREEN_RUNS, learningOf, type Session } from '../../demo/monitoring/learning.ts';
import { planLines } from '../../demo/monitoring/plan-lines.ts';
import type { LiveCodeHost } from '../../demo/live/code-host.ts';
import { partLines } from '../../demo/terminal/parts.ts';
import { incidentAfter, liveIncidents } from '../../demo/shop/incidents.ts';
import type { ShopAddresses } from '../../demo/shop/processes.ts';

const run = (more: Partial<Session> = {}): Session => ({
  check: 'health',
  status: 'ok',
  summary: '6 services normal',
  isFinished: true,
  judged: 6,
  ...more,
});
const green = (count: number): Session[] => Array.from({ length: count }, () => run());

describe('what an agent of the demo knows by now', () => {
  it('is enough when every check was green several times in a row', () => {
    assert.equal(learningOf(['health'], green(GREEN_RUNS)).isDone, true);
    assert.equal(learningOf(['health'], green(GREEN_RUNS - 1)).isDone, false);
    assert.equal(learningOf(['health', 'logs'], green(GREEN_RUNS)).isDone, false);
    assert.equal(learningOf([], green(GREEN_RUNS)).isDone, false);
  });

  it('is not enough while it learns, finds something, cannot say, or judges less than before', () => {
    const learning = run({ judged: 0, summary: 'learning: 13 of 20 points' });
    for (const last of [learning, run({ status: 'finding' }), run({ status: 'failed' }), run({ judged: 5 })]) {
      assert.equal(learningOf(['health'], [last, ...green(GREEN_RUNS)]).isDone, false);
    }
    assert.deepEqual(learningOf(['health'], [learning]), { isDone: false, text: 'learning: 13 of 20 points' });
  });

  it('does not wait for a check that runs just now', () => {
    const running = run({ status: 'running', isFinished: false, judged: 0 });
    assert.equal(learningOf(['health'], [running, ...green(GREEN_RUNS)]).isDone, true);
  });
});

describe('the finding of a fault', () => {
  const finding = (more: Partial<Finding>): Finding => ({
    id: 'a',
    origin: 'check',
    status: 'open',
    title: 'Health of the shop',
    summary: 'catalog is slow',
    openedAt: 2_000,
    investigationId: null,
    ...more,
  });

  it('is one of a check, confirmed after the fault, and not over', () => {
    const others = [
      finding({ openedAt: 999 }),
      finding({ openedAt: null, status: 'pending' }),
      finding({ status: 'resolved' }),
      finding({ origin: 'health' }),
    ];
    for (const other of others) assert.equal(foundSince([other], 1_000), undefined);
    assert.equal(foundSince([...others, finding({ id: 'b' })], 1_000)?.first.id, 'b');
  });

  it('is the first that is investigated', () => {
    const found = [finding({ id: 'late', openedAt: 9_000, investigationId: 'x' }), finding({ id: 'early' })];
    assert.equal(foundSince(found, 1_000)?.first.id, 'late');
    assert.deepEqual(
      foundSince(found, 1_000)?.others.map(({ id }) => id),
      ['early'],
    );
  });

  it('would not be a new one while an earlier one cools down', () => {
    const all = [finding({ status: 'resolved' }), finding({ status: 'closed' }), finding({ origin: 'health' })];
    assert.deepEqual(
      unsettledOf(all).map(({ status }) => status),
      ['resolved'],
    );
  });
});

describe('the second fault of the demo', () => {
  it('is of another kind and in another service than the first, always the same', () => {
    for (const first of Object.values(liveIncidents)) {
      const second = incidentAfter(first);
      assert.notEqual(second.kind, first.kind);
      assert.notEqual(second.service, first.service);
      assert.equal(incidentAfter({ ...first }), second);
    }
  });
});

describe('what the demo says of its agent', () => {
  it('is each check in one line, with what follows from a finding', () => {
    const checks = [
      {
        id: 'all-health',
        description: 'health of every service, every 10 seconds',
        actions: ['notify', 'investigate'],
      },
      { id: 'quiet', description: 'x'.repeat(1_000), actions: ['notify'] },
    ];
    const [first = '', second = ''] = planLines({ checks }).map((line) => stripVTControlCharacters(line));
    assert.equal(
      first,
      '◆ all-health health of every service, every 10 seconds — on a finding: notify, start an investigation',
    );
    assert.ok(second.length < 250 && second.endsWith('— on a finding: notify'), second);
    const many = planLines({ checks: Array.from({ length: 9 }, () => checks[0]!) });
    assert.match(many.at(-1) ?? '', /and 3 more/);
  });

  it('has commands for all that can be done with it', () => {
    const hints = agentHints({ apiUrl: 'http://127.0.0.1:3000', apiKey: 'cb_1' }, '7c7d');
    const commands = hints.map(({ command }) => command).join('\n');
    for (const part of ['/list', '/plan', '/sessions', '/findings', '/run', '/pause', 'DELETE', '"chat_id":"7c7d"'])
      assert.ok(commands.includes(part), part);
  });
});

describe('the parts of the live shop', () => {
  it('are ticked only if they run; for what is missing it is said what is lost', () => {
    const lines = partLines({
      addresses: { storefront: 'http://127.0.0.1:1' } as ShopAddresses,
      prometheusUrl: 'http://127.0.0.1:2',
      jaegerUrl: 'http://127.0.0.1:3',
      codeHost: { url: 'http://127.0.0.1:4' } as LiveCodeHost,
    });
    assert.deepEqual(lines.map(stripVTControlCharacters), [
      '  ✓ Shop          http://127.0.0.1:1',
      '  ✓ Prometheus    http://127.0.0.1:2',
      '  – Loki          missing: no logs',
      '  ✓ Jaeger        http://127.0.0.1:3',
      '  ✓ Gitea         http://127.0.0.1:4',
    ]);
  });
});
