import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createRecordedIncidentSource,
  SourceError,
  type TelemetrySource,
} from '../../../src/features/sources/index.ts';

const call = () => ({ signal: new AbortController().signal });
const start = 1_767_225_600;
const window = { from: start, to: start + 3600 };

interface Line {
  trace_id: string;
  span_id: string;
  parent_id?: string | null;
  service: string;
  operation: string;
  start: number | string;
  duration_ms: number;
  kind?: string;
  status?: string;
}

/** A request to `web` that calls `cart`, which fails if told to. */
const request = (id: string, at: number, { cartMs = 10, failed = false } = {}): Line[] => [
  {
    trace_id: id,
    span_id: `${id}-1`,
    parent_id: '',
    service: 'web',
    operation: 'GET /cart',
    start: new Date(at * 1000).toISOString(),
    duration_ms: cartMs + 20,
    kind: 'SERVER',
  },
  {
    trace_id: id,
    span_id: `${id}-2`,
    parent_id: `${id}-1`,
    service: 'cart',
    operation: 'read',
    start: at + 0.005,
    duration_ms: cartMs,
    ...(failed && { status: 'ERROR' }),
  },
];

describe('traces of a recorded incident', () => {
  let folder: string;
  let source: TelemetrySource;
  const record = (text: string) => writeFile(join(folder, 'spans.jsonl'), text);
  const recordSpans = (spans: Line[]) => record(spans.map((span) => `${JSON.stringify(span)}\n`).join(''));

  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'casebook-incidents-')), 'small');
    await mkdir(folder);
    source = createRecordedIncidentSource(folder);
  });

  afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

  it('has the capability when there are spans', async () => {
    assert.ok(!source.capabilities.includes('traces'));
    await recordSpans(request('a', start));
    assert.ok(source.capabilities.includes('traces'));
  });

  it('returns all spans of a trace in order of time, or undefined', async () => {
    await recordSpans([...request('b', start + 1), ...request('a', start, { failed: true }).toReversed()]);
    assert.deepEqual(await source.getTrace!('a', call()), [
      {
        traceId: 'a',
        spanId: 'a-1',
        service: 'web',
        operation: 'GET /cart',
        start,
        durationMs: 30,
        kind: 'server',
      },
      {
        traceId: 'a',
        spanId: 'a-2',
        parentId: 'a-1',
        service: 'cart',
        operation: 'read',
        start: start + 0.005,
        durationMs: 10,
        status: 'error',
      },
    ]);
    assert.equal(await source.getTrace!('c', call()), undefined);
  });

  it('searches by window, service, operation, duration and status', async () => {
    await recordSpans([
      ...request('early', start - 1),
      ...request('slow', start + 20, { cartMs: 400 }),
      ...request('failed', start + 10, { failed: true }),
      ...request('late', start + 3600),
    ]);
    const search = async (filters: object) =>
      (await source.searchTraces!({ ...window, limit: 10, ...filters }, call())).traces.map(({ traceId }) => traceId);
    assert.deepEqual(await search({}), ['failed', 'slow']);
    assert.deepEqual(await search({ service: 'cart' }), ['failed', 'slow']);
    assert.deepEqual(await search({ service: 'cart', operation: 'GET /cart' }), []);
    assert.deepEqual(await search({ operation: 'read', minDurationMs: 400 }), ['slow']);
    assert.deepEqual(await search({ minDurationMs: 420 }), ['slow'], 'the whole trace');
    assert.deepEqual(await search({ service: 'cart', minDurationMs: 420 }), [], "the service's span");
    assert.deepEqual(await search({ maxDurationMs: 30 }), ['failed']);
    assert.deepEqual(await search({ status: 'error' }), ['failed']);
    assert.deepEqual(await search({ service: 'web', status: 'error' }), []);
    assert.deepEqual(await search({ service: 'web', status: 'ok' }), ['failed', 'slow']);
    assert.deepEqual(await search({ status: 'ok' }), ['slow']);
  });

  it('sums up each trace under its root, and returns the newest of too many', async () => {
    await recordSpans([...request('a', start).toReversed(), ...request('b', start + 9, { failed: true })]);
    assert.deepEqual(await source.searchTraces!({ ...window, limit: 1 }, call()), {
      traces: [
        { traceId: 'b', service: 'web', operation: 'GET /cart', start: start + 9, durationMs: 30, spans: 2, errors: 1 },
      ],
      truncated: true,
    });
    const { traces } = await source.searchTraces!({ ...window, limit: 2 }, call());
    assert.deepEqual(
      traces.map(({ service }) => service),
      ['web', 'web'],
      'in whatever order spans are recorded',
    );
  });

  it('samples whole traces, spread over the window', async () => {
    const requests = Array.from({ length: 3_600 }, (_, second) => request(`trace-${second}`, start + second));
    await recordSpans([...request('before', start - 5), ...requests.flat()]);
    assert.deepEqual(await source.sampleSpans!({ ...window, maxSpans: 10_000 }, call()), {
      spans: (await source.sampleSpans!({ ...window, maxSpans: 7_200 }, call())).spans,
      sampled: false,
    });
    const { spans, sampled } = await source.sampleSpans!({ ...window, maxSpans: 1_000 }, call());
    assert.equal(sampled, true);
    assert.equal(spans.length, 1_000);
    assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 500, 'both spans of each');
    const early = spans.filter((span) => span.start < start + 1_800).length;
    assert.ok(early > 400 && early < 600, `${early} of 1000 spans are of the first half`);
  });

  it('returns nothing without the file', async () => {
    assert.deepEqual(await source.searchTraces!({ ...window, limit: 1 }, call()), { traces: [], truncated: false });
    assert.deepEqual(await source.sampleSpans!({ ...window, maxSpans: 1 }, call()), { spans: [], sampled: false });
    assert.equal(await source.getTrace!('a', call()), undefined);
  });

  it('notices that the file has changed', async () => {
    await recordSpans(request('a', start));
    assert.ok(await source.getTrace!('a', call()));
    await recordSpans(request('other', start));
    assert.equal(await source.getTrace!('a', call()), undefined);
  });

  const good = JSON.stringify(request('a', start)[0]);
  const bad = {
    'text that is not JSON': ['{"trace_id": "a"', /small: spans\.jsonl: line 3: not JSON/],
    'a missing field': ['{"trace_id":"a"}', /line 3: span_id: /],
    'a time without a zone': [good.replace('.000Z', ''), /line 3: start: must be an ISO 8601 time with a zone/],
    'a negative duration': [good.replace('30', '-30'), /line 3: duration_ms: /],
    'an unknown kind': [good.replace('SERVER', 'ROBOT'), /line 3: kind: /],
    'an overlong line': [JSON.stringify({ operation: 'x'.repeat(300_000) }), /line 3: too long/],
  } as const;
  for (const [what, [line, message]] of Object.entries(bad)) {
    it(`names the line with ${what}`, async () => {
      await record(`${good}\n\n${line}\n${good}\n`);
      const queries = [
        () => source.searchTraces!({ ...window, limit: 1 }, call()),
        () => source.getTrace!('a', call()),
        () => source.sampleSpans!({ ...window, maxSpans: 1 }, call()),
      ];
      for (const query of queries) {
        await assert.rejects(query, (error) => error instanceof SourceError && message.test(error.message));
      }
    });
  }

  it('samples log lines evenly over a window, in order of time', async () => {
    const lines = Array.from({ length: 1000 }, (_, i) => ({ at: start + i, service: 'web', message: `line ${i}` }));
    await writeFile(join(folder, 'logs.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const { lines: sampled, truncated } = await source.sampleLogs!({ ...window, maxLines: 100 }, call());
    assert.ok(truncated && sampled.length <= 100 && sampled.length > 50, String(sampled.length));
    const [first, last] = [sampled[0]!.at - start, sampled.at(-1)!.at - start];
    assert.ok(first < 20 && last > 900, `${first} to ${last}`);
    assert.deepEqual(
      sampled.map(({ at }) => at),
      sampled.map(({ at }) => at).toSorted((a, b) => a - b),
    );
    const all = await source.sampleLogs!({ from: start + 10, to: start + 20, maxLines: 100 }, call());
    assert.deepEqual([all.lines.length, all.truncated], [10, false]);
  });
});
