import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { forTeam } from '../../../src/db/team-filter.ts';
import type { Investigation } from '../../../src/features/investigations/index.ts';
import { ModelTurn, ToolCall } from '../../../src/features/transcripts/index.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';
import { storeInvestigation } from '../../support/investigation-rows.ts';

interface Item {
  id: string;
  query: string;
  [field: string]: unknown;
}

describe('the list of investigations', () => {
  let api: ApiOverRows;
  before(async () => {
    api = await startApiOverRows();
  });
  after(() => api?.stop());

  let created = 0;
  const stored = (row: Partial<Investigation>, more: { results?: string[]; teamId?: string } = {}) => {
    const createdAt = new Date(Date.UTC(2026, 2, 1, 12, created++));
    return storeInvestigation(api.database.orm, { teamId: api.teamId, ...more, row: { createdAt, ...row } });
  };
  const list = async (query: string): Promise<{ items: Item[]; total: number }> => {
    const { status, body } = await api.get(`/api/investigations?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const found = async (search: string, more = ''): Promise<string[]> =>
    (await list(`search=${encodeURIComponent(search)}${more}`)).items.map(({ query }) => query);

  it('finds words of the question and of the finding, by their beginnings, in any case, newest first', async () => {
    await stored({ query: 'Orders of payment-api are slow' });
    await stored({
      query: 'What is wrong?',
      alertSummary: 'Überweisung: the PAYMENT pool is exhausted',
      status: 'completed',
    });
    await stored({ query: '100% of logins_fail', status: 'failed' });
    await stored({ query: 'payment of another team' }, { teamId: randomUUID() });
    const [first, second, third] = ['What is wrong?', 'Orders of payment-api are slow', '100% of logins_fail'];
    for (const [search, queries] of [
      ['payment', [first, second]],
      ['PAYM', [first, second]],
      ['ayment', []],
      ['slow orders', [second]],
      ['"slow orders"', []],
      ['payment-api', [second]],
      ['payment -slow', [first]],
      ['überweisung', [first]],
      ['100% logins', [third]],
      ['%', []],
      ["' or 1=1 --", []],
      ['(a & b | !', []],
      ['what exhausted', [first]],
    ] as const) {
      assert.deepEqual(await found(search), queries, search);
    }
    assert.deepEqual(await found('payment', '&status=completed'), [first]);
    const page = await list('search=payment&count=1&page=2');
    assert.deepEqual([page.items[0]?.query, page.total], [second, 2]);
    assert.deepEqual(await list('search=payment&page=9'), { items: [], total: 2, page: 9, count: 20 });
  });

  it('filters by outcome, service, source, trigger, confidence and time', async () => {
    const report = (service: string | null, confidence: number, symptom: string) =>
      ({ root_cause: { service, statement: 'x' }, confidence, symptom: { service: symptom } }) as never;
    const coverage = (source: string, asked: number) => ({ sources: [{ source, asked }] }) as never;
    const at = (day: number) => new Date(Date.UTC(2020, 0, day));
    const completed = { status: 'completed' } as const;
    await stored({ ...completed, query: 'a', createdAt: at(1), report: report('db', 0.9, 'web'), trigger: 'finding' });
    await stored({ ...completed, query: 'b', createdAt: at(2), report: report(null, 0.4, 'web') });
    await stored({ ...completed, query: 'c', createdAt: at(3), coverage: coverage('loki', 2), trigger: 'person' });
    await stored({ status: 'failed', query: 'd', createdAt: at(4), coverage: coverage('loki', 0) });
    await stored({ status: 'processing', query: 'Is auth slow?', createdAt: at(5) });
    for (const [query, wanted] of [
      ['to=2020-01-05T00:00:00Z', 'dcba'],
      ['outcome=cause_found', 'a'],
      ['outcome=no_cause', 'cb'],
      ['status=failed', 'd'],
      ['service=db', 'a'],
      ['service=web', 'ba'],
      ['service=auth', 'Is auth slow?'],
      ['service=aut', ''],
      ['source=loki', 'c'],
      ['trigger=finding', 'a'],
      ['trigger=api&to=2020-01-05T00:00:00Z', 'db'],
      ['min_confidence=0.4', 'a'],
      ['min_confidence=0.5', 'a'],
      ['to=2020-01-03T00:00:00Z', 'ba'],
      ['from=2020-01-02T00:00:00Z&to=2020-01-04T00:00:00Z', 'cb'],
      ['service=web&outcome=cause_found&search=a', 'a'],
      ["service=' or 1=1 --", ''],
    ]) {
      const { items, total } = await list(query!.includes('to=') ? query! : `to=2020-02-01T00:00:00Z&${query}`);
      assert.equal(items.map((one) => one.query).join(''), wanted, query);
      assert.equal(total, items.length);
    }
    for (const bad of ['outcome=maybe', 'min_confidence=2', 'from=yesterday', 'trigger=x', 'service=%20']) {
      assert.equal((await api.get(`/api/investigations?${bad}`)).status, 422, bad);
    }
  });

  it('refuses a search that is blank, too long or no text', async () => {
    for (const search of ['', '%20', 'x'.repeat(201), '%00']) {
      const { status } = await api.get(`/api/investigations?search=${search}`);
      assert.equal(status, 422, search.slice(0, 10));
    }
  });

  it('shows what a run costs, does and came to', async () => {
    const startedAt = new Date('2026-03-01T13:00:00Z');
    const report = { root_cause: { service: 'payment', statement: 'x' }, confidence: 0.8 } as Investigation['report'];
    const ended = await stored({
      query: 'ended',
      status: 'completed',
      startedAt,
      finishedAt: new Date('2026-03-01T13:01:30Z'),
      report,
    });
    const running = await stored({ query: 'running', startedAt }, { results: ['{}', '{}'] });
    const em = forTeam(api.database.orm.em, api.teamId);
    const turn = (conversationId: string, step: number, model: string) =>
      em.create(ModelTurn, {
        teamId: api.teamId,
        conversationId,
        step,
        note: null,
        content: [],
        stopReason: 'tool_use',
        provider: 'anthropic',
        model,
        inputTokens: 10,
        outputTokens: 5,
        cacheCreationInputTokens: 0,
        cacheReadInputTokens: 0,
        costUsd: 0.25,
        attempt: 1,
        startedAt,
        finishedAt: startedAt,
      });
    turn(ended.id, 1, 'first-model');
    turn(ended.id, 2, 'last-model');
    turn(running.id, 1, 'first-model');
    em.create(ToolCall, {
      teamId: api.teamId,
      conversationId: running.id,
      step: 3,
      evidence: 3,
      toolUseId: 'x',
      name: 'search_logs',
      input: {},
      summary: 'Search the logs of payment',
      status: 'pending',
      digest: null,
      view: null,
      content: null,
      bytes: null,
      sha256: null,
      startedAt: null,
      finishedAt: null,
    });
    await em.flush();
    const { items } = await list('count=2');
    const facts = ({
      query,
      duration_seconds,
      cost,
      model,
      steps,
      tool_calls,
      doing,
      confidence,
      root_cause_service,
    }: Item) => ({
      query,
      duration_seconds,
      cost,
      model,
      steps,
      tool_calls,
      doing,
      confidence,
      root_cause_service,
    });
    assert.deepEqual(items.map(facts), [
      {
        query: 'running',
        duration_seconds: null,
        cost: 0.25,
        model: 'first-model',
        steps: 1,
        tool_calls: 3,
        doing: 'Search the logs of payment',
        confidence: null,
        root_cause_service: null,
      },
      {
        query: 'ended',
        duration_seconds: 90,
        cost: 0.5,
        model: 'last-model',
        steps: 2,
        tool_calls: 0,
        doing: null,
        confidence: 0.8,
        root_cause_service: 'payment',
      },
    ]);
  });

  it('is searched by its index', async () => {
    const em = api.database.orm.em.fork();
    await em.transactional(async (tx) => {
      await tx.execute('set local enable_seqscan = off');
      const plan = await tx.execute<Record<string, string>[]>(
        `explain select id from investigations
          where to_tsvector('simple', query || ' ' || coalesce(alert_summary, '')) @@ '''a'':*'::tsquery`,
      );
      assert.match(JSON.stringify(plan), /investigations_search_index/);
    });
  });
});
