import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SourceCatalog, TelemetrySource } from '../../../../src/features/sources/port.ts';
import { runCheapCheck } from '../../../../src/features/monitoring-agents/checks/index.ts';
import { MAX_OBSERVATIONS, type CheckResult } from '../../../../src/features/monitoring-agents/checks/port.ts';
import { check, checkContext, NOW, subjectOf } from './support.ts';
import { fewRuns } from '../../../support/few-runs.ts';

const source = 'hostile';
const checks: Record<string, object> = {
  threshold: { type: 'metric', source, metric: 'm', condition: { type: 'threshold', operator: '>', value: 1 } },
  baseline: { type: 'metric', source, metric: 'm', condition: { type: 'baseline', direction: 'both' } },
  promql: { type: 'metric', source, promql: 'up', condition: { type: 'threshold', operator: '<', value: 1 } },
  count: { type: 'log_pattern', source, pattern: 'a*b', condition: { type: 'count', at_least: 3 } },
  new_pattern: { type: 'log_pattern', source, condition: { type: 'new_pattern', at_least: 1 } },
  service_health: { type: 'service_health', source },
  error_ratio: { type: 'dependency', source, condition: { type: 'error_ratio', above: 0.1 } },
  missing: { type: 'dependency', source, caller: 'a', condition: { type: 'missing' } },
};

/** Answers everything with what `answer` makes. */
function answering(answer: (method: string) => unknown): TelemetrySource {
  const method = (name: string) => async () => answer(name) as never;
  return {
    owner: 'installation',
    id: source,
    kind: 'prometheus',
    capabilities: ['services', 'metrics', 'promql', 'logs', 'dependencies', 'alerts'],
    describe: method('describe'),
    services: method('services'),
    queryMetric: method('queryMetric'),
    surveyMetrics: method('surveyMetrics'),
    promql: method('promql'),
    searchLogs: method('searchLogs'),
    dependencies: method('dependencies'),
    liveGraph: method('liveGraph'),
  };
}

/** What holds of every result, whatever a source answers. */
function assertSound(result: CheckResult, what: string): void {
  const { status, summary, observations, evidence } = result;
  assert.ok(summary.length > 0 && summary.length <= 200 && !summary.includes('\n'), `${what}: "${summary}"`);
  assert.ok(observations.length <= MAX_OBSERVATIONS);
  assert.equal(new Set(observations.map(({ subject }) => subject)).size, observations.length, what);
  assert.equal(
    status === 'finding',
    observations.some(({ isFinding }) => isFinding),
    what,
  );
  assert.ok(
    observations.findLastIndex(({ isFinding }) => isFinding) <
      observations.findIndex(({ isFinding }) => !isFinding) >>> 0,
  );
  if (status === 'ok' && observations.length === 0) assert.match(summary, /^(learning: |no new log pattern: )/, what);
  for (const { subject, text, value = 0, expected = 0 } of observations) {
    assert.ok(subject.length > 0 && subject.length <= 200 && text.length > 0 && text.length <= 300, what);
    assert.ok(Number.isFinite(value) && Number.isFinite(expected), what);
  }
  for (const { answer } of evidence) assert.ok(JSON.stringify(answer).length <= 32_000, what);
  const whole = JSON.stringify(result);
  assert.ok(!whole.includes(String.raw`\u0000`) && !/\\ud[89a-f]/i.test(whole), `${what}: not storable`);
}

const nasty = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    Number.NaN,
    Infinity,
    -0,
    1e308,
    -1e308,
    5e-324,
    'a\0b\ud800',
    '',
    'x'.repeat(100_000),
    '17',
    [],
    {},
    [null],
    true,
    JSON.parse('{"__proto__":{"polluted":1},"constructor":1,"toString":"x"}'),
    () => 1,
    Symbol('s'),
    10n,
  ),
  fc.anything({ withNullPrototype: true, withSparseArray: true, maxDepth: 3 }),
);
const time = fc.oneof({ weight: 5, arbitrary: fc.double({ min: NOW - 3_900, max: NOW, noNaN: true }) }, nasty);
const sample = fc.oneof({ weight: 5, arbitrary: fc.double() }, nasty);
const name = fc.oneof(
  fc.constantFrom('a', 'b', '__proto__', 'constructor', 'errors', 'latency'),
  fc.string({ unit: 'binary' }),
  nasty,
);
const mostly = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.oneof({ weight: 8, arbitrary: fc.record(fields, { requiredKeys: [] }) }, nasty);
const listOf = (item: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 8, arbitrary: fc.array(item, { maxLength: 60 }) }, nasty);
const series = mostly({
  service: name,
  metric: name,
  statistic: name,
  unit: fc.oneof(fc.constantFrom('s', 'ratio', '%', 'B'), nasty),
  labels: fc.oneof(fc.dictionary(fc.string(), name), nasty),
  timestamps: listOf(time),
  values: listOf(sample),
});
const edge = mostly({
  caller: name,
  callee: name,
  errorRatio: sample,
  p95Seconds: sample,
  callsPerSecond: sample,
  stale: nasty,
});
const logLine = mostly({ at: time, service: name, level: name, message: name });
const answers = fc.record({
  describe: mostly({ alerts: listOf(mostly({ name, service: name, at: time, summary: name })) }),
  services: listOf(mostly({ name })),
  queryMetric: listOf(series),
  surveyMetrics: listOf(series),
  promql: listOf(series),
  searchLogs: mostly({ lines: listOf(logLine), truncated: nasty, unreadable: sample }),
  dependencies: listOf(edge),
  liveGraph: fc.oneof(fc.constant(undefined), mostly({ asOf: time, edges: listOf(edge), truncated: nasty })),
});

describe('checks: hostile sources', () => {
  for (const [kind, subject] of Object.entries(checks)) {
    it(`${kind}: whatever is answered, the result is sound`, async () => {
      await fc.assert(
        fc.asyncProperty(answers, async (made) => {
          const hostile = answering((method) => made[method as keyof typeof made]);
          assertSound(await check(subject, { sources: [hostile] }), kind);
        }),
        fewRuns(150),
      );
    });

    for (const [shape, answer] of Object.entries({
      null: null,
      'a list of nulls': Array.from({ length: 50 }, () => null),
      'an absurd length': Object.assign([], { length: 200_000_000 }),
      'numbers as texts': [{ service: 'a', metric: 'm', labels: {}, timestamps: [String(NOW - 5)], values: ['7'] }],
      'a text': 'Bad Gateway',
      'a getter that throws': [
        Object.defineProperty({}, 'timestamps', { enumerable: true, get: () => assert.fail('got') }),
      ],
    })) {
      it(`${kind}: ${shape} is a failure in words`, async () => {
        const result = await check(subject, { sources: [answering(() => answer)] });
        assert.equal(result.status, 'failed', result.summary);
        assertSound(result, kind);
      });
    }

    it(`${kind}: whatever is thrown is a failure in words`, async () => {
      for (const thrown of [new TypeError('fetch failed\nat line 2'), 'words', undefined, { code: 1 }]) {
        const hostile = answering(() => {
          throw thrown;
        });
        const result = await check(subject, { sources: [hostile] });
        assert.equal(result.status, 'failed');
        assertSound(result, kind);
      }
    });

    it(`${kind}: a source that hangs, and does not listen, is left when the signal fires`, async () => {
      const controller = new AbortController();
      const asked = Promise.withResolvers<void>();
      const hanging = answering(() => {
        asked.resolve();
        return new Promise(() => {});
      });
      const reason = new Error('time-out of the check');
      const running = check(subject, { sources: [hanging], signal: controller.signal });
      await asked.promise;
      controller.abort(reason);
      await assert.rejects(running, reason);
      await assert.rejects(check(subject, { sources: [hanging], signal: controller.signal }), reason);
    });
  }

  it('a catalog that fails is a failure, too', async () => {
    const sources: SourceCatalog = {
      list: () => [],
      get: () => {
        throw new Error('database gone');
      },
    };
    const result = await runCheapCheck(subjectOf(checks['threshold']!), { ...checkContext({}), sources });
    assert.deepEqual([result.status, result.summary], ['failed', 'hostile failed: database gone']);
  });

  it('what a source could not say is not what it said: prototypes stay as they are', async () => {
    const labels = JSON.parse('{"__proto__":"x","constructor":"y","service":"a"}');
    const result = await check(checks['promql']!, {
      sources: [answering(() => [{ labels, timestamps: [NOW - 1], values: [0] }])],
    });
    assert.equal(result.observations[0]!.subject, '__proto__=x,constructor=y,service=a');
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });
});
