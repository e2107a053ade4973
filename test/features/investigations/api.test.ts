import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Investigation } from '../../../src/features/investigations/index.ts';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { DEFAULT_MODEL } from '../../../src/platform/anthropic/index.ts';
import { startHarness, type Harness } from '../../support/harness.ts';
import { shortInvestigation } from '../../support/scripts.ts';
import { sampleIncident } from '../../support/telemetry-source.ts';

type Json = Record<string, never>;

describe('investigations over the API', () => {
  let harness: Harness;
  before(async () => {
    harness = await startHarness({ script: shortInvestigation, sources: [sampleIncident()] });
  });
  after(() => harness.stop());

  const count = (): Promise<number> => harness.database.orm.em.fork().count(Investigation, {}, anyTeam);

  it('starts, is processing with null results, and completes with a title and a cited report', async () => {
    const started = await harness.request('POST', '/api/v1/investigate', { query: 'checkout fails' });
    assert.equal(started.status, 200);
    const { investigation_id: id, ...rest } = started.body as { investigation_id: string };
    assert.deepEqual(rest, { status: 'processing' });
    const ended = await harness.untilEnded(id);
    assert.deepEqual(Object.keys(ended).sort(), ['alert_summary', 'id', 'investigation_text', 'status']);
    assert.equal(ended.status, 'completed');
    assert.equal(ended.alert_summary, 'payment: connection pool exhausted');
    assert.match(ended.investigation_text, /pool of payment is exhausted \[1\]/);
    assert.match(ended.investigation_text, new RegExp(DEFAULT_MODEL), 'the report says which model ran');
  });

  it('never shows results while processing', async () => {
    const { body } = await harness.request('POST', '/api/v1/investigate', { query: 'is it null?' });
    const { investigation_id: id } = body as { investigation_id: string };
    for (;;) {
      const polled = (await harness.request('GET', `/api/v1/investigations/${id}`)).body as Json;
      if (polled['status'] !== 'processing') break;
      assert.deepEqual(polled, { id, status: 'processing', alert_summary: null, investigation_text: null });
    }
  });

  it('returns the same investigation for a repeated Idempotency-Key, also when both come at once', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const post = () => harness.request('POST', '/api/v1/investigate', { query: 'once' }, headers);
    const answers = await Promise.all([post(), post(), post()]);
    answers.push(await post());
    assert.equal(new Set(answers.map(({ body }) => (body as Json)['investigation_id'])).size, 1);
    const other = await harness.request('POST', '/api/v1/investigate', { query: 'something else' }, headers);
    assert.equal(other.status, 409);
    assert.equal((other.body as Json)['code'], 'idempotency_key_reused');
  });

  it('accepts many at once while Temporal is away', async () => {
    const { investigations } = harness.api.deps;
    const usual = investigations.launcher;
    const back = Promise.withResolvers<never>();
    investigations.launcher = { ...usual, start: () => back.promise };
    const posts = Array.from({ length: 40 }, (_, n) =>
      harness.request('POST', '/api/v1/investigate', { query: `${n}` }),
    );
    try {
      const answers = await Promise.all(posts);
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    } finally {
      investigations.launcher = usual;
      back.reject(new Error('Temporal is away'));
    }
  });

  it('shows steps, tool calls, hypotheses, citations, usage and the Temporal run in detail', async () => {
    const id = await harness.investigate('everything, please');
    await harness.untilEnded(id);
    const { status, body } = await harness.request('GET', `/api/investigations/${id}`);
    assert.equal(status, 200);
    const detail = body as {
      steps: {
        step: number;
        text: string;
        tool_calls: { id: string; name: string; evidence: number; sha256: string; duration_ms: number }[];
      }[];
      hypotheses: { verdict: string }[];
      citations: {
        n: number;
        tool_call_id: string;
        sha256: string;
        excerpts: { text: string; verified: boolean; offset: number }[];
      }[];
      usage: { api_calls_count: number; input_tokens: number; cost: number; model: string };
      temporal: { workflow_id: string };
      report: { confidence: number };
    };
    assert.deepEqual(
      detail.steps.map(({ step, text }) => [step, text]),
      [
        [1, 'Which sources are there?'],
        [2, 'I have it.'],
      ],
    );
    assert.deepEqual(
      detail.steps.flatMap((step) => step.tool_calls.map(({ name, evidence }) => [name, evidence])),
      [
        ['list_sources', 1],
        ['submit_report', 2],
      ],
    );
    assert.deepEqual(
      detail.hypotheses.map(({ verdict }) => verdict),
      ['supported'],
    );
    assert.equal(detail.usage.api_calls_count, 2);
    assert.ok(detail.usage.input_tokens > 0 && detail.usage.cost > 0);
    assert.equal(detail.temporal.workflow_id, `investigation-${id}`);
    assert.equal(detail.report.confidence, 0.8);

    const [citation] = detail.citations;
    const call = detail.steps[0]!.tool_calls[0]!;
    assert.equal(citation?.tool_call_id, call.id);
    assert.equal(citation?.sha256, call.sha256);
    const stored = (await harness.request('GET', `/api/tool-results/${call.id}`)).body as {
      content: string;
      sha256: string;
    };
    const [excerpt] = citation.excerpts;
    assert.equal(excerpt?.verified, true);
    assert.equal(stored.content.slice(excerpt.offset, excerpt.offset + excerpt.text.length), excerpt.text);
    assert.equal(stored.sha256, citation.sha256);
  });

  it('lists newest first, in pages, by status', async () => {
    const ids = [
      await harness.investigate('first'),
      await harness.investigate('second'),
      await harness.investigate('third'),
    ];
    await Promise.all(ids.map((id) => harness.untilEnded(id)));
    const page = async (query: string) =>
      (await harness.request('GET', `/api/investigations?${query}`)).body as {
        items: { id: string; query: string; status: string }[];
        total: number;
        page: number;
        count: number;
      };
    const first = await page('count=2');
    assert.deepEqual(
      first.items.map((item) => item.query),
      ['third', 'second'],
    );
    assert.equal(first.total, await count());
    assert.equal((await page('count=2&page=2')).items[0]?.query, 'first');
    assert.ok((await page('status=completed&count=100')).items.every(({ status }) => status === 'completed'));
    assert.deepEqual((await page('status=failed')).items, []);
    assert.deepEqual((await page('page=1000')).items, []);
  });

  it('reruns with the same question under a new id', async () => {
    const id = await harness.investigate('again?');
    await harness.untilEnded(id);
    const again = (await harness.request('POST', `/api/investigations/${id}/rerun`)).body as {
      investigation_id: string;
    };
    assert.notEqual(again.investigation_id, id);
    await harness.untilEnded(again.investigation_id);
    const detail = (await harness.request('GET', `/api/investigations/${again.investigation_id}`)).body as Json;
    assert.equal(detail['query'], 'again?');
    assert.equal(detail['rerun_of'], id);
  });

  it('refuses to cancel or to talk to one that has ended', async () => {
    const id = await harness.investigate('done soon');
    await harness.untilEnded(id);
    for (const [path, body] of [
      ['cancel', undefined],
      ['messages', { text: 'hello' }],
    ] as const) {
      const { status, body: answer } = await harness.request('POST', `/api/investigations/${id}/${path}`, body);
      assert.equal(status, 409);
      assert.equal((answer as Json)['code'], 'already_finished');
    }
  });

  describe('bad input', () => {
    const cases: [string, unknown, (string | number)[]][] = [
      ['no body', undefined, ['body']],
      ['no query', {}, ['body', 'query']],
      ['a query of the wrong type', { query: 7 }, ['body', 'query']],
      ['an empty query', { query: '' }, ['body', 'query']],
      ['a blank query', { query: ' \n\t ' }, ['body', 'query']],
      ['a query with NUL', { query: 'a\0b' }, ['body', 'query']],
      ['a query over the limit', { query: 'x'.repeat(20_001) }, ['body', 'query']],
      ['a list', [1], ['body']],
    ];
    for (const [name, body, loc] of cases) {
      it(`refuses ${name} with 422 and stores nothing`, async () => {
        const before = await count();
        const { status, body: answer } = await harness.request('POST', '/api/v1/investigate', body);
        assert.equal(status, 422);
        const { detail } = answer as { detail: { loc: string[]; msg: string; type: string }[] };
        assert.ok(
          detail.some((issue) => JSON.stringify(issue.loc) === JSON.stringify(loc)),
          JSON.stringify(detail),
        );
        assert.ok(detail.every((issue) => issue.msg && issue.type));
        assert.equal(await count(), before);
      });
    }

    it('refuses malformed JSON and another media type with 422 and stores nothing', async () => {
      const before = await count();
      for (const [type, body] of [
        ['application/json', '{"query": '],
        ['text/plain', '{"query":"x"}'],
        ['application/xml', '<query/>'],
      ] as const) {
        const response = await fetch(`${harness.url}/api/v1/investigate`, {
          method: 'POST',
          body,
          headers: { 'x-api-key': harness.apiKey, 'content-type': type },
        });
        assert.equal(response.status, 422, type);
        assert.ok(Array.isArray(((await response.json()) as { detail: unknown }).detail));
      }
      assert.equal(await count(), before);
    });

    it('answers 404 to an unknown id and 422 to an invalid one, on every path', async () => {
      for (const [method, path] of [
        ['GET', '/api/v1/investigations/ID'],
        ['GET', '/api/investigations/ID'],
        ['GET', '/api/investigations/ID/events'],
        ['POST', '/api/investigations/ID/cancel'],
        ['POST', '/api/investigations/ID/rerun'],
        ['POST', '/api/investigations/ID/messages'],
        ['GET', '/api/tool-results/ID'],
      ] as const) {
        const body = path.endsWith('messages') ? { text: 'x' } : undefined;
        assert.equal((await harness.request(method, path.replace('ID', randomUUID()), body)).status, 404, path);
        assert.equal((await harness.request(method, path.replace('ID', 'not-a-uuid'), body)).status, 422, path);
      }
    });

    it('answers 401 without a key, with a wrong one, and with the key in a header of another group', async () => {
      const call = (headers: Record<string, string>) =>
        fetch(`${harness.url}/api/v1/investigate`, {
          method: 'POST',
          body: '{"query":"x"}',
          headers: { 'content-type': 'application/json', ...headers },
        });
      assert.equal((await call({})).status, 401);
      assert.equal((await call({ 'x-api-key': 'cb_wrong' })).status, 401);
      assert.equal((await call({ authorization: `Bearer ${harness.apiKey}` })).status, 401);
    });
  });
});

describe('events of an investigation', () => {
  let harness: Harness;
  before(async () => {
    harness = await startHarness({ script: shortInvestigation, sources: [sampleIncident()] });
  });
  after(() => harness.stop());

  const stream = async (id: string, headers: Record<string, string> = {}): Promise<{ id: string; type: string }[]> => {
    const response = await fetch(`${harness.url}/api/investigations/${id}/events`, {
      headers: { 'x-api-key': harness.apiKey, ...headers },
    });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type')?.split(';')[0], 'text/event-stream');
    const blocks = (await response.text()).split('\n\n');
    return blocks.flatMap((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      const [eventId, type] = [field('id'), field('event')];
      return eventId && type ? [{ id: eventId, type }] : [];
    });
  };

  it('follow a run from its start to its end, and replay the same afterwards', async () => {
    const id = await harness.investigate('follow me');
    const live = await stream(id);
    const types = live.map(({ type }) => type);
    assert.equal(types[0], 'run.started');
    assert.equal(types.at(-1), 'run.completed');
    for (const type of ['turn.started', 'text.delta', 'turn.completed', 'tool.started', 'tool.completed'])
      assert.ok(types.includes(type), type);
    assert.deepEqual(await stream(id), live);
  });

  it('tell of the end no earlier than the status does', async () => {
    const id = await harness.investigate('poll me');
    const status = async (): Promise<string> => {
      const { body } = await harness.request('GET', `/api/v1/investigations/${id}`);
      return (body as { status: string }).status;
    };
    const ended = new AbortController();
    const polling = (async () => {
      while (!ended.signal.aborted) await status();
    })();
    await stream(id);
    assert.equal(await status(), 'completed');
    ended.abort();
    await polling;
  });

  it('resume after Last-Event-ID without a missing or doubled event, from every position', async () => {
    const id = await harness.investigate('resume me');
    const all = await stream(id);
    for (const [index, { id: eventId }] of all.entries()) {
      assert.deepEqual(await stream(id, { 'last-event-id': eventId }), all.slice(index + 1));
    }
  });

  it('refuse an invalid Last-Event-ID', async () => {
    const id = await harness.investigate('bad id');
    const response = await fetch(`${harness.url}/api/investigations/${id}/events`, {
      headers: { 'x-api-key': harness.apiKey, 'last-event-id': "1'; drop" },
    });
    assert.equal(response.status, 422);
    await harness.untilEnded(id);
  });
});
