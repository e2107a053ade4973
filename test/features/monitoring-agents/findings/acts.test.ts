/** What people do with findings, over the API; nobody carries anything out, and Temporal is away. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { forTeam } from '../../../../src/db/team-filter.ts';
import type { Finding } from '../../../../src/features/monitoring-agents/entities.ts';
import {
  faultsOfCheck,
  observeHealth,
  releaseSources,
  settleFinding,
} from '../../../../src/features/monitoring-agents/findings/index.ts';
import { startApiOverRows, type ApiOverRows } from '../../../support/api-over-rows.ts';
import { callerOf, keyWith, ok, placesOf, type Call, type Json } from '../api.ts';
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

describe('what people do with findings', () => {
  let api: ApiOverRows;
  let call: Call;
  let agent: StoredAgent;
  before(async () => {
    api = await startApiOverRows();
    call = callerOf(api.url, api.apiKey);
  });
  after(() => api?.stop());
  beforeEach(async () => {
    agent = await storeAgent(api.database.orm, { teamId: api.teamId });
  });

  const check = checkOf({ recoveries: 1, cool_down_seconds: 600 });
  const report = async (isFinding: boolean, at = new Date(), of = check): Promise<void> =>
    void (await observe(api.database.orm, agent, of, resultOf(seen('cart', isFinding)), { at }));
  const rows = (): Promise<Finding[]> => findingsOf(api.database.orm, agent);
  const statuses = async (): Promise<string[]> => (await rows()).map(({ status }) => status);
  const opened = async (): Promise<string> => {
    await report(true);
    return (await rows())[0]!.id;
  };
  const act = (id: string, what: string, body: Json = {}) => call('POST', `/api/findings/${id}/${what}`, body);
  const read = (id: string): Promise<Json> => ok(call('GET', `/api/findings/${id}`));
  const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();
  const member = async (name: string): Promise<string> =>
    (await ok(call('POST', '/api/team/members', { email: `${randomUUID()}@example.com`, name, role: 'member' })))
      .user_id;

  it('is recorded with who did it and when, and shown', async () => {
    const id = await opened();
    const userId = await member('Anna');
    await ok(act(id, 'acknowledge', { comment: 'on it' }));
    await ok(act(id, 'assign', { user_id: userId }));
    await ok(act(id, 'comments', { text: 'it is the pool' }));
    const until = inAnHour();
    await ok(act(id, 'mute', { until }));
    const shown = await ok(act(id, 'close', { comment: 'known' }));
    assert.deepEqual(
      shown.timeline.map(({ event, text, assignee }: Json) => [event, text, assignee]),
      [
        ['opened', null, null],
        ['acknowledged', 'on it', null],
        ['assigned', null, 'Anna'],
        ['commented', 'it is the pool', null],
        ['muted', null, null],
        ['closed', 'known', null],
      ],
    );
    for (const { event, by, via } of shown.timeline)
      assert.deepEqual([by === null, via], event === 'opened' ? [true, 'time'] : [false, 'api'], event);
    assert.equal(shown.acknowledged.by, 'Admin');
    assert.deepEqual(shown.assignee, { user_id: userId, name: 'Anna', member: true });
    assert.deepEqual([shown.muted_until, shown.status, shown.times_opened], [until, 'closed', 1]);
    assert.equal(shown.closed_by, 'Admin');
    const [row] = await rows();
    assert.equal(row!.revision, 6, 'the workflow has something to read after each');
    const listed = await ok(call('GET', `/api/findings?assignee_id=${userId}`));
    assert.deepEqual(
      listed.findings.map((one: Json) => one.id),
      [id],
    );
    assert.equal((await ok(call('GET', `/api/findings?assignee_id=${randomUUID()}`))).total, 0);
  });

  it('may be repeated, and taken back', async () => {
    const id = await opened();
    const userId = await member('Ben');
    const until = inAnHour();
    const events = async (): Promise<string[]> => (await read(id)).timeline.map(({ event }: Json) => event).slice(1);
    for (const _ of [1, 2]) {
      await ok(act(id, 'acknowledge'));
      await ok(act(id, 'assign', { user_id: userId }));
      await ok(act(id, 'mute', { until }));
    }
    assert.deepEqual(await events(), ['acknowledged', 'assigned', 'muted']);
    await ok(act(id, 'acknowledge', { acknowledged: false }));
    await ok(act(id, 'assign', { user_id: null }));
    const shown = await ok(act(id, 'mute', { until: null }));
    assert.deepEqual([shown.acknowledged, shown.assignee, shown.muted_until], [null, null, null]);
    assert.deepEqual((await events()).slice(3), ['unacknowledged', 'unassigned', 'unmuted']);
    await ok(act(id, 'close'));
    await ok(act(id, 'close'));
    assert.equal((await events()).length, 7);
  });

  it('adds a comment once for a key', async () => {
    const id = await opened();
    const comment = (text: string) =>
      fetch(`${api.url}/api/findings/${id}/comments`, {
        method: 'POST',
        headers: { 'x-api-key': api.apiKey, 'content-type': 'application/json', 'idempotency-key': 'k' },
        body: JSON.stringify({ text }),
      });
    const answers = await Promise.all([comment('one'), comment('one'), comment('one')]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal((await comment('two')).status, 409);
    assert.equal((await read(id)).timeline.filter(({ event }: Json) => event === 'commented').length, 1);
  });

  it('changes nothing when it is not valid', async () => {
    const id = await opened();
    const [before] = await rows();
    const gone = await member('Carl');
    await ok(call('DELETE', `/api/team/members/${gone}`));
    const invalid: [string, Json, string][] = [
      ['acknowledge', { comment: '' }, 'body.comment'],
      ['acknowledge', { nothing: 1 }, 'body.nothing'],
      ['mute', {}, 'body.until'],
      ['mute', { until: 'tomorrow' }, 'body.until'],
      ['mute', { until: '2020-01-01T00:00:00Z' }, 'body.until'],
      ['mute', { until: '2100-01-01T00:00:00Z' }, 'body.until'],
      ['assign', { user_id: randomUUID() }, 'body.user_id'],
      ['assign', { user_id: gone }, 'body.user_id'],
      ['assign', { user_id: 'Anna' }, 'body.user_id'],
      ['comments', { text: ' ' }, 'body.text'],
      ['comments', { text: 'x'.repeat(5_001) }, 'body.text'],
      ['comments', { text: 'a\0b' }, 'body.text'],
    ];
    for (const [what, body, place] of invalid) assert.deepEqual(placesOf(await act(id, what, body)), [place], what);
    assert.equal((await act(randomUUID(), 'close')).status, 404);
    const reading = await keyWith(call, 'monitoring:read');
    assert.equal((await call('POST', `/api/findings/${id}/close`, {}, reading)).status, 403);
    assert.deepEqual((await rows())[0], before);
    assert.deepEqual((await read(id)).timeline.length, 1);
  });

  it('is refused where nobody was notified yet, and where it is over', async () => {
    await report(true, new Date(), checkOf({ confirmations: 3 }));
    const [pending] = await rows();
    assert.equal((await act(pending!.id, 'acknowledge')).body.code, 'finding_not_confirmed');
    agent = await storeAgent(api.database.orm, { teamId: api.teamId });
    const id = await opened();
    await ok(act(id, 'close'));
    for (const [what, body] of [
      ['acknowledge', {}],
      ['assign', { user_id: null }],
      ['mute', { until: inAnHour() }],
    ] as const)
      assert.deepEqual((await act(id, what, body)).body.code, 'finding_closed');
    await ok(act(id, 'comments', { text: 'afterwards' }));
  });

  it('shows an assignee who left the team as such', async () => {
    const id = await opened();
    const userId = await member('Dora');
    await ok(act(id, 'assign', { user_id: userId }));
    await ok(call('DELETE', `/api/team/members/${userId}`));
    assert.deepEqual((await read(id)).assignee, { user_id: userId, name: 'Dora', member: false });
  });

  describe('closing what still fails', () => {
    it('opens nothing new until it has recovered', async () => {
      await ok(act(await opened(), 'close'));
      for (const _ of [1, 2, 3]) await report(true);
      assert.deepEqual(await statuses(), ['closed']);
      await report(false);
      assert.deepEqual(await statuses(), ['closed']);
      await report(true);
      assert.deepEqual((await statuses()).toSorted(), ['closed', 'open']);
    });

    it('is about what failed then: another source of the same finding is news', async () => {
      const id = await opened();
      await ok(act(id, 'close'));
      await report(true, new Date(), checkOf({ id: 'errors', dedup_key: 'latency/cart' }));
      assert.deepEqual((await statuses()).toSorted(), ['closed', 'open']);
      await report(true);
      const current = (await rows()).find(({ status }) => status === 'open');
      assert.deepEqual(Object.keys(current!.sources), ['errors/cart']);
    });

    it('ends also when its subject vanishes, or its check is removed', async () => {
      const { orm } = api.database;
      for (const end of [
        () => observe(orm, agent, check, resultOf(seen('web', false))),
        () =>
          forTeam(orm.em, agent.teamId).transactional((em) =>
            releaseSources(em, { agentId: agent.id, checkIds: ['latency'], at: new Date() }),
          ),
      ]) {
        agent = await storeAgent(orm, { teamId: api.teamId });
        await ok(act(await opened(), 'close'));
        await end();
        await report(true);
        assert.deepEqual((await statuses()).toSorted(), ['closed', 'open']);
      }
    });

    it('makes its level usual: it is no fault to the check', async () => {
      const em = forTeam(api.database.orm.em, agent.teamId);
      const faults = () => faultsOfCheck(em, { agentId: agent.id, checkId: 'latency', since: 0 });
      const id = await opened();
      assert.equal((await faults()).size, 1);
      await ok(act(id, 'close'));
      assert.equal((await faults()).size, 0);
    });

    it('holds for alerts, and for the health of agents', async () => {
      const { orm } = api.database;
      const alert = (status: 'firing' | 'resolved') =>
        observeOutside(
          orm,
          agent.teamId,
          {
            source: 'generic',
            fingerprint: agent.id,
            status,
            title: 't',
            summary: 's',
            severity: 'warning',
            labels: {},
            links: [],
          },
          new Date(),
        );
      const first = await alert('firing');
      await ok(act(first!.id, 'close'));
      assert.equal(await alert('firing'), undefined);
      await alert('resolved');
      assert.equal((await alert('firing'))?.status, 'open');
      const health = (state: 'degraded' | 'healthy') =>
        forTeam(orm.em, agent.teamId).transactional((em) =>
          observeHealth(em, { agent, health: state, reasons: ['r'], at: new Date() }),
        );
      await ok(act((await health('degraded'))[0]!.id, 'close'));
      assert.deepEqual(await health('degraded'), []);
      await health('healthy');
      assert.equal((await health('degraded')).length, 1);
    });
  });

  describe('a mute', () => {
    it('ends by itself', async () => {
      const id = await opened();
      const until = inAnHour();
      await ok(act(id, 'mute', { until }));
      const settle = (at: number) => settleFinding(api.database, { findingId: id, teamId: agent.teamId, at });
      await settle(Date.parse(until) - 1);
      assert.equal((await read(id)).muted_until, until);
      await settle(Date.parse(until));
      const { muted_until: mutedUntil, timeline } = await read(id);
      assert.equal(mutedUntil, null);
      assert.deepEqual([timeline.at(-1).event, timeline.at(-1).by], ['unmuted', null]);
    });

    it('holds for the finding that takes its place', async () => {
      const id = await opened();
      const until = inAnHour();
      await ok(act(id, 'mute', { until }));
      await report(false);
      await report(true, new Date(Date.now() + 1_800_000));
      const [, next] = (await rows()).toSorted((a, b) => Number(a.id !== id) - Number(b.id !== id));
      assert.deepEqual([next?.status, next?.mutedUntil?.toISOString()], ['open', until]);
    });
  });
});
