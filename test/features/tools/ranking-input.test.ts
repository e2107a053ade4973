import assert from 'node:assert/strict';
import type { TelemetrySource, TimeWindow } from '../../../src/features/sources/port.ts';
import { SourceError } from '../../../src/features/sources/port.ts';
import { gatherRankingInput } from '../../../src/features/tools/telemetry/ranking-input.ts';
import type { SourceWith } from '../../../src/features/tools/telemetry/source-tool.ts';

const signal = new AbortController().signal;
const span = { traceId: 't', spanId: 's', service: 'shop', operation: 'GET /', start: 5, durationMs: 1 };

function fake(id: string, parts: Partial<TelemetrySource>): TelemetrySource {
  return {
    id,
    owner: 'team',
    kind: 'prometheus',
    capabilities: ['metrics', 'logs', 'traces'],
    describe: async () => assert.fail('nobody asks'),
    ...parts,
  };
}

const metrics = fake('metrics', {
  capabilities: ['metrics'],
  surveyMetrics: async ({ from }) => [{ service: 'shop', metric: 'latency', timestamps: [from], values: [1] }],
}) as SourceWith<'surveyMetrics'>;

const gather = (others: TelemetrySource[], source = metrics) =>
  gatherRankingInput(
    source,
    [
      { from: 0, to: 10 },
      { from: 5, to: 20 },
    ],
    {
      signal,
      sources: { list: () => [source, ...others], get: () => source },
    },
  );

describe('what the ranker reads', () => {
  it('is the metrics of one live source with the traces and logs of the others, no time read twice', async () => {
    const asked: TimeWindow[] = [];
    const logs = fake('logs', {
      sampleLogs: async ({ from, to }) => {
        asked.push({ from, to });
        return { lines: [{ at: from, service: 'shop', message: 'hello' }], truncated: false };
      },
    });
    const traces = fake('traces', { sampleSpans: async () => ({ spans: [span], sampled: false }) });
    const input = await gather([traces, logs]);
    assert.deepEqual(asked, [
      { from: 0, to: 10 },
      { from: 10, to: 20 },
    ]);
    assert.deepEqual(input.series[0]?.timestamps, [0, 5]);
    assert.equal(input.spans?.length, 2);
    assert.deepEqual(
      input.logs?.map(({ at }) => at),
      [0, 10],
    );
    assert.deepEqual(input.notes, []);
  });

  it('falls back to a search where a source has no sample, and says what did not answer or is absent', async () => {
    const search = fake('search', {
      searchLogs: async () => ({ lines: [{ at: 1, service: 'shop', message: 'found' }], truncated: false }),
    });
    const broken = fake('broken', { sampleSpans: () => Promise.reject(new SourceError('no connection')) });
    const input = await gather([search, broken]);
    assert.equal(input.logs?.[0]?.message, 'found');
    assert.deepEqual(input.notes, [
      'broken did not answer: no connection',
      'No traces: time could not be told apart between services and calls.',
    ]);
  });

  it('mixes no recording with anything else', async () => {
    const other = fake('other', { sampleSpans: () => assert.fail('asked a live system about a recording') });
    const input = await gather([other], { ...metrics, kind: 'recorded-incident' });
    assert.deepEqual(input.spans, []);
    const recording = fake('incident:a', { kind: 'recorded-incident', sampleSpans: () => assert.fail('asked') });
    assert.deepEqual((await gather([recording])).spans, []);
  });
});
