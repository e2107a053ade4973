/** Reading stored tool results over the API, whole, in pages and as series. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { forTeam } from '../../../src/db/team-filter.ts';
import { locateExcerpt } from '../../../src/features/investigations/index.ts';
import { contentDigest, Conversation, ToolCall } from '../../../src/features/transcripts/index.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';

describe('stored tool results over the API', () => {
  let api: ApiOverRows;
  before(async () => {
    api = await startApiOverRows();
  });
  after(() => api?.stop());

  async function stored(content: string, call: Partial<ToolCall> = {}, kind = 'investigation'): Promise<string> {
    const { teamId } = api;
    const em = forTeam(api.database.orm.em, teamId);
    const conversationId = randomUUID();
    em.create(Conversation, { id: conversationId, teamId, kind, opening: null });
    const { id } = em.create(ToolCall, {
      id: randomUUID(),
      teamId,
      conversationId,
      step: 1,
      evidence: 1,
      toolUseId: 'x',
      name: 'query_metric',
      input: {},
      summary: 'Query latency of checkout',
      status: 'completed',
      digest: 'latency: 1 series',
      view: null,
      content,
      bytes: Buffer.byteLength(content),
      sha256: contentDigest(content),
      startedAt: new Date(),
      finishedAt: new Date(),
      ...call,
    });
    await em.flush();
    return id;
  }

  const at = (minute: number): string => new Date(Date.UTC(2026, 2, 1, 14, minute)).toISOString();
  const metric = JSON.stringify({
    source: 'shop',
    metric: 'latency_seconds',
    window: { from: at(0), to: at(30) },
    baseline: { from: at(-60), to: at(-30) },
    series: [
      {
        service: 'checkout',
        statistic: 'p95',
        unit: 's',
        points: [
          [at(0), 0.2],
          [at(10), 2.5],
        ],
        anomaly: {
          meaning: 'latency',
          direction: 'up',
          score: 12.5,
          baseline_median: 0.2,
          baseline_spread: 0.01,
          incident_value: 2.5,
          onset: at(5),
        },
      },
    ],
    truncated: false,
  });

  it('gives the metric behind a call as series', async () => {
    const id = await stored(metric);
    const { status, body } = await api.get(`/api/tool-results/${id}/series`);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      tool_id: id,
      tool: 'query_metric',
      title: 'latency_seconds',
      unit: 's',
      window: { from: '2026-03-01T14:00:00Z', to: '2026-03-01T14:30:00Z' },
      baseline: { from: '2026-03-01T13:00:00Z', to: '2026-03-01T13:30:00Z' },
      anomaly_window: { from: '2026-03-01T14:05:00Z', to: '2026-03-01T14:30:00Z' },
      series: [
        {
          label: 'checkout',
          service: 'checkout',
          statistic: 'p95',
          unit: 's',
          points: [
            ['2026-03-01T14:00:00.000Z', 0.2],
            ['2026-03-01T14:10:00.000Z', 2.5],
          ],
          anomaly: {
            score: 12.5,
            direction: 'up',
            onset: '2026-03-01T14:05:00Z',
            baseline_median: 0.2,
            baseline_spread: 0.01,
            incident_value: 2.5,
          },
        },
      ],
      truncated: false,
    });
  });

  for (const [what, content, call] of [
    ['a list of logs', '{"lines":[{"at":"2026-03-01T14:00:00Z","message":"7"}]}', { name: 'search_logs' }],
    ['words of the model itself', metric, { name: 'submit_report' }],
    ['an error', metric, { isError: true }],
    ['a call that is under way', '', { status: 'pending' }],
    ['what is no data', 'connection refused', {}],
    ['deep nesting', '['.repeat(50_000), {}],
    ['names of prototypes', '{"__proto__":{"series":[]},"series":[{"points":[["constructor",1],[null,2]]}]}', {}],
  ] satisfies [string, string, Partial<ToolCall>][]) {
    it(`says that there are no series in ${what}`, async () => {
      const { status, body } = await api.get(`/api/tool-results/${await stored(content, call)}/series`);
      assert.deepEqual([status, body.code], [404, 'no_series']);
    });
  }

  it('asks for the scope of the conversation, for series as for results', async () => {
    const id = await stored(metric, {}, 'chat');
    const [allowed, refused] = [await api.keyWith('chats:read'), await api.keyWith('investigations:read')];
    for (const path of [`/api/tool-results/${id}`, `/api/tool-results/${id}/series`]) {
      assert.equal((await api.get(path, allowed)).status, 200);
      assert.equal((await api.get(path, refused)).status, 403);
    }
    assert.equal((await api.get(`/api/tool-results/${randomUUID()}/series`)).body.code, 'not_found');
  });

  it('counts offsets as excerpts of citations do, whatever stands before them', async () => {
    const excerpt = 'Überlauf: the “pool” is exhausted 🏊';
    const content = `🧯👩‍🚒 réseau e\u0301tendu — 東京 𝒳\n${excerpt}\n🎉 and so on`;
    const id = await stored(content, { name: 'search_logs' });
    const offset = locateExcerpt(content, excerpt);
    assert.ok(offset !== undefined && offset > 20);
    const { body } = await api.get(`/api/tool-results/${id}?offset=${offset}&limit=${excerpt.length}`);
    assert.equal(body.content, excerpt);
    assert.deepEqual(
      [body.offset, body.next_offset, body.characters],
      [offset, offset + excerpt.length, content.length],
    );
  });

  it('gives pages that put together are the whole, also where a page ends within a character', async () => {
    const content = '🏊'.repeat(7) + 'é';
    const id = await stored(content, { name: 'search_logs' });
    let read = '';
    for (let offset: number | null = 0; offset !== null;) {
      const { status, body } = await api.get(`/api/tool-results/${id}?offset=${offset}&limit=3`);
      assert.equal(status, 200);
      assert.ok(body.content.length > 0 && body.content.isWellFormed(), JSON.stringify(body.content));
      read += body.content;
      offset = body.next_offset;
    }
    assert.equal(read, content);
    assert.deepEqual((await api.get(`/api/tool-results/${id}?offset=14`)).body.content, 'é');
    assert.deepEqual((await api.get(`/api/tool-results/${id}?offset=99`)).body.content, '');
  });

  it('pages through ten thousand rows in small parts', async () => {
    const rows = Array.from({ length: 10_000 }, (_, n) => `${at(n % 60)} WARN 🐌 request ${n} ${'x'.repeat(460)}`);
    const content = rows.join('\n');
    assert.ok(Buffer.byteLength(content) > 5_000_000);
    const id = await stored(content, { name: 'search_logs' });
    const offset = content.indexOf('request 9876 ');
    const { body } = await api.get(`/api/tool-results/${id}?offset=${offset}&limit=50000`);
    assert.ok(body.content.startsWith('request 9876 '));
    assert.equal(body.characters, content.length);
    const whole = await api.get(`/api/tool-results/${id}?limit=1000000`);
    assert.equal(whole.body.content.length, 1_000_000);
    assert.equal(whole.body.next_offset, 1_000_000);
  });
});
