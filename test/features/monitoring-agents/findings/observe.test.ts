import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { openOrm } from '../../../../src/db/orm.ts';
import { entities } from '../../../../src/rooms.ts';
import { forTeam } from '../../../../src/db/team-filter.ts';
import { Finding } from '../../../../src/features/monitoring-agents/entities.ts';
import {
  faultsOfCheck,
  observeHealth,
  releaseSources,
} from '../../../../src/features/monitoring-agents/findings/index.ts';
import type { OutsideAlert } from '../../../../src/features/monitoring-agents/triggers/port.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import {
  checkOf,
  findingsOf,
  observe,
  observeOutside,
  resultOf,
  seen,
  storeAgent,
  type StoredAgent,
} from './support.ts';

const start = Date.UTC(2026, 0, 1);
const at = (minute: number) => ({ at: new Date(start + minute * 60_000) });
const statuses = (findings: Finding[]): string[] => findings.map(({ dedupKey, status }) => `${dedupKey} ${status}`);

describe('what sessions of checks observe', () => {
  let database: TestDatabase;
  let agent: StoredAgent;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database?.drop());
  beforeEach(async () => {
    agent = await storeAgent(database.orm);
  });

  it('tells the checks when their subjects were at fault', async () => {
    const report = (isFinding: boolean, minute: number, check = checkOf({ recoveries: 2 })) =>
      observe(database.orm, agent, check, resultOf(seen('cart', isFinding), seen('web', false)), at(minute));
    const seconds = (minute: number): number => at(minute).at.getTime() / 1_000;
    const faults = async (since: number) => {
      const em = forTeam(database.orm.em, agent.teamId);
      const known = await faultsOfCheck(em, { agentId: agent.id, checkId: 'latency', since: seconds(since) });
      return [...known].flatMap(([subject, all]) =>
        all.map(({ from, to }) => [subject, (from - seconds(0)) / 60, (to - seconds(0)) / 60]),
      );
    };
    await report(true, 1);
    await report(true, 2, checkOf({ id: 'errors' }));
    await report(false, 3);
    await report(true, 4);
    assert.deepEqual(await faults(0), [['cart', 1, Infinity]], 'one all-clear of two ends nothing');
    await report(false, 5);
    await report(false, 6);
    await report(true, 7);
    assert.deepEqual(await faults(0), [
      ['cart', 1, 6],
      ['cart', 7, Infinity],
    ]);
    assert.deepEqual(await faults(6), [['cart', 7, Infinity]]);
    // Closed by its cool-down: still no history of what is usual.
    await report(false, 8);
    await report(false, 9);
    await report(true, 100);
    assert.deepEqual(
      (await faults(0)).toSorted((a, b) => String(a).localeCompare(String(b))),
      [
        ['cart', 1, 6],
        ['cart', 100, Infinity],
        ['cart', 7, 9],
      ],
    );
  });

  it('becomes one finding for each key, with what it rests on', async () => {
    const changed = await observe(
      database.orm,
      agent,
      checkOf(),
      resultOf(seen('cart', true), seen('payment', false)),
      at(0),
    );
    assert.deepEqual(statuses(changed), ['latency/cart open']);
    const [row] = await forTeam(database.orm.em, agent.teamId).find(Finding, {}, { populate: ['evidence'] });
    assert.ok(row);
    assert.deepEqual(
      [row.title, row.summary, row.service, row.severity, row.origin, row.actions],
      [
        'Latency is usual: cart',
        'p95 of cart is 1.9 s, usual are 0.2 s',
        'cart',
        'warning',
        'check',
        ['notify', 'investigate'],
      ],
    );
    assert.deepEqual([row.openedAt, row.revision, row.signalledRevision], [at(0).at, 1, 0]);
    assert.deepEqual(row.evidence, [{ source: 'prometheus', question: 'p95', answer: [1, 2] }]);
  });

  it('is seen again, resolved, back again, closed and new, and only changes are announced', async () => {
    const check = checkOf({ recoveries: 1, cool_down_seconds: 600 });
    const say = async (minute: number, isFinding: boolean): Promise<string[]> =>
      statuses(await observe(database.orm, agent, check, resultOf(seen('cart', isFinding)), at(minute)));
    assert.deepEqual(await say(0, true), ['latency/cart open']);
    assert.deepEqual(await say(1, true), []);
    assert.deepEqual(await say(2, false), ['latency/cart resolved']);
    assert.deepEqual(await say(3, false), []);
    assert.deepEqual(await say(4, true), ['latency/cart open']);
    assert.deepEqual(await say(5, false), ['latency/cart resolved']);
    assert.deepEqual(await say(16, true), ['latency/cart open']);
    assert.deepEqual(statuses(await findingsOf(database.orm, agent)), ['latency/cart closed', 'latency/cart open']);
    const [old] = await findingsOf(database.orm, agent);
    assert.deepEqual(old?.opens, [start, start + 240_000]);
  });

  it('that was not confirmed leaves no row', async () => {
    const check = checkOf({ confirmations: 2 });
    assert.deepEqual(await observe(database.orm, agent, check, resultOf(seen('cart', true)), at(0)), []);
    assert.deepEqual(statuses(await findingsOf(database.orm, agent)), ['latency/cart pending']);
    assert.deepEqual(await observe(database.orm, agent, check, resultOf(seen('cart', false)), at(1)), []);
    assert.deepEqual(await findingsOf(database.orm, agent), []);
  });

  it('is grouped across checks by the dedup key, and over when none of them finds it', async () => {
    const quick = { dedup_key: 'shop is slow', recoveries: 1 };
    const latency = checkOf({ ...quick, on_finding: ['notify'] });
    const errors = checkOf({ ...quick, id: 'errors', severity: 'critical', on_finding: ['investigate'] });
    await observe(database.orm, agent, latency, resultOf(seen('cart', true)), at(0));
    assert.deepEqual(await observe(database.orm, agent, errors, resultOf(seen('cart', true)), at(1)), []);
    const [row] = await findingsOf(database.orm, agent);
    assert.deepEqual([row?.severity, row?.actions, row?.occurrences], ['critical', ['notify', 'investigate'], 2]);
    assert.deepEqual(Object.keys(row?.sources ?? {}), ['errors/cart', 'latency/cart']);
    assert.deepEqual(await observe(database.orm, agent, latency, resultOf(seen('cart', false)), at(2)), []);
    const ended = await observe(database.orm, agent, errors, resultOf(seen('cart', false)), at(3));
    assert.deepEqual(statuses(ended), ['shop is slow resolved']);
  });

  it('that a later session no longer sees is resolved, unless that session failed', async () => {
    const check = checkOf();
    await observe(database.orm, agent, check, resultOf(seen('cart', true)), at(0));
    const failed = { status: 'failed' as const, summary: 'no answer', observations: [], evidence: [] };
    for (const minute of [1, 2, 3]) assert.deepEqual(await observe(database.orm, agent, check, failed, at(minute)), []);
    assert.deepEqual(await observe(database.orm, agent, check, resultOf(seen('other', false)), at(4)), []);
    assert.deepEqual(statuses(await observe(database.orm, agent, check, resultOf(), at(5))), ['latency/cart resolved']);
  });

  it('that could not be judged this time, or was left out of a long list, is not over', async () => {
    const check = checkOf({ recoveries: 1 });
    await observe(database.orm, agent, check, resultOf(seen('cart', true)), at(0));
    const partial = { ...resultOf(seen('other', false)), isPartial: true as const };
    assert.deepEqual(await observe(database.orm, agent, check, partial, at(1)), []);
    const cart = (await findingsOf(database.orm, agent)).find(({ dedupKey }) => dedupKey === 'latency/cart');
    assert.equal(cart?.status, 'open');
  });

  it('goes on under a new key when the dedup key is changed: the old one ends', async () => {
    await observe(database.orm, agent, checkOf({ recoveries: 1 }), resultOf(seen('cart', true)), at(0));
    const renamed = checkOf({ recoveries: 1, dedup_key: 'slow {subject}' });
    const changed = await observe(database.orm, agent, renamed, resultOf(seen('cart', true)), at(1));
    assert.deepEqual(statuses(changed), ['slow cart open', 'latency/cart resolved']);
  });

  it('is resolved when its check is removed or disabled', async () => {
    await observe(database.orm, agent, checkOf(), resultOf(seen('cart', true), seen('payment', true)), at(0));
    const released = await forTeam(database.orm.em, agent.teamId).transactional((em) =>
      releaseSources(em, { agentId: agent.id, checkIds: ['other', 'latency'], ...at(1) }),
    );
    assert.deepEqual(statuses(released), ['latency/cart resolved', 'latency/payment resolved']);
    assert.match(released[0]!.summary, /removed or disabled/);
  });

  it('counts once for a session, also when it is repeated', async () => {
    const check = checkOf({ confirmations: 2 });
    const once = { ...at(0), sessionId: randomUUID() };
    await observe(database.orm, agent, check, resultOf(seen('cart', true)), once);
    await observe(database.orm, agent, check, resultOf(seen('cart', true)), once);
    assert.deepEqual(statuses(await findingsOf(database.orm, agent)), ['latency/cart pending']);
  });

  it('is one finding, although twenty sessions report it at once', async () => {
    const checks = Array.from({ length: 20 }, (_, index) => checkOf({ id: `check-${index}`, dedup_key: 'all of it' }));
    const changed = await Promise.all(
      checks.map((check) => observe(database.orm, agent, check, resultOf(seen('cart', true)), at(0))),
    );
    assert.equal(changed.flat().length, 1);
    const [row, ...others] = await findingsOf(database.orm, agent);
    assert.deepEqual(others, []);
    assert.equal(row?.occurrences, 20);
    assert.equal(Object.keys(row?.sources ?? {}).length, 20);
  });

  it('takes any text as a subject', async () => {
    const subjects = ['\0', '__proto__', '{check}', 'a'.repeat(200), 'x\ud800', 'ü'.repeat(200)];
    const check = checkOf({ dedup_key: '{subject}{subject}{subject}{subject}/{check}' });
    const changed = await observe(
      database.orm,
      agent,
      check,
      resultOf(...subjects.map((one) => seen(one, true))),
      at(0),
    );
    assert.equal(changed.length, subjects.length);
    const again = await observe(database.orm, agent, check, resultOf(...subjects.map((one) => seen(one, true))), at(1));
    assert.deepEqual(again, []);
  });

  it('costs one small query when it is green', async () => {
    const queries: string[] = [];
    const orm = await openOrm({ entities, databaseUrl: database.url });
    orm.config.getLogger().logQuery = ({ query }) => void queries.push(query ?? '');
    const green = resultOf(...Array.from({ length: 50 }, (_, index) => seen(`service-${index}`, false)));
    await observe(orm, agent, checkOf(), green, at(0));
    queries.length = 0;
    await observe(orm, agent, checkOf(), green, at(1));
    const [begin, select, commit, ...others] = queries;
    assert.deepEqual([begin, commit, ...others], ['begin', 'commit']);
    assert.match(select ?? '', /^select id from .* limit 1$/s);
    await orm.close();
  });
});

describe('what agents and other tools report', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database?.drop());

  it('an agent that is degraded is one finding until it is healthy again', async () => {
    const agent = await storeAgent(database.orm);
    const say = (health: 'starting' | 'healthy' | 'degraded', minute: number) =>
      forTeam(database.orm.em, agent.teamId).transactional((em) =>
        observeHealth(em, { agent, health, reasons: ['Prometheus does not answer.'], ...at(minute) }),
      );
    assert.deepEqual(await say('starting', 0), []);
    assert.deepEqual(await say('healthy', 1), []);
    const [finding] = await say('degraded', 2);
    assert.deepEqual(
      [finding?.origin, finding?.status, finding?.actions, finding?.summary],
      ['health', 'open', ['notify'], 'Prometheus does not answer.'],
    );
    assert.deepEqual(await say('degraded', 3), []);
    assert.deepEqual(statuses(await say('healthy', 4)), ['agent/health resolved']);
    assert.deepEqual(await say('healthy', 5), []);
  });

  const alert = (overrides: Partial<OutsideAlert> = {}): OutsideAlert => ({
    fingerprint: 'alertmanager:abc',
    source: 'alertmanager',
    title: 'HighLatency',
    summary: 'p95 is 2 s',
    severity: 'critical',
    service: 'checkout',
    status: 'firing',
    labels: { alertname: 'HighLatency' },
    links: [{ label: 'Alert', url: 'https://alerts.example/1' }],
    ...overrides,
  });

  it('an alert of a team is one finding that belongs to no agent, and each team has its own', async () => {
    const teams = [randomUUID(), randomUUID()];
    for (const teamId of teams) {
      const say = (one: OutsideAlert, minute: number) => observeOutside(database.orm, teamId, one, at(minute).at);
      assert.equal(await say(alert({ status: 'resolved' }), 0), undefined);
      const opened = await say(alert(), 1);
      assert.deepEqual([opened?.agentId, opened?.status, opened?.service], [null, 'open', 'checkout']);
      assert.deepEqual(opened?.details['labels'], { alertname: 'HighLatency' });
      assert.equal(await say(alert(), 2), undefined);
      const over = await say(alert({ status: 'resolved' }), 3);
      assert.deepEqual([over?.id, over?.dedupKey, over?.status], [opened?.id, 'alert/alertmanager:abc', 'resolved']);
      const rows = await forTeam(database.orm.em, teamId).find(Finding, {});
      assert.equal(rows.length, 1);
    }
  });

  it('an alert in twenty concurrent requests is one finding', async () => {
    const teamId = randomUUID();
    const changed = await Promise.all(
      Array.from({ length: 20 }, () => observeOutside(database.orm, teamId, alert(), at(0).at)),
    );
    assert.equal(changed.filter((finding) => finding !== undefined).length, 1);
  });
});
