import assert from 'node:assert/strict';
import fc from 'fast-check';
import { buildGraph, type GraphInput } from '../../../../src/features/investigations/graph/build.ts';
import { faultPath } from '../../../../src/features/investigations/graph/paths.ts';
import { namedIn, sameName } from '../../../../src/features/investigations/graph/suspicions.ts';
import { InvestigationGraphResponse } from '../../../../src/features/investigations/graph/schemas.ts';
import type { StoredResult } from '../../../../src/features/investigations/graph/results.ts';
import type { CheckedReport } from '../../../../src/features/investigations/report/schema.ts';

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const stored = (evidence: number, tool: string, result: unknown): StoredResult => ({
  toolCallId: id(evidence),
  evidence,
  tool,
  content: typeof result === 'string' ? result : JSON.stringify(result),
});

const edge = (caller: string, callee: string, more: object = {}) => ({ caller, callee, ...more });
const dependenciesOf = (service: string, edges: object[], more: object = {}) => ({
  source: 'prometheus',
  service,
  direction: 'downstream',
  services: [],
  edges,
  cycles: [],
  truncated: false,
  ...more,
});
const rankingOf = (alerting: string, causes: [service: string, score: number][], source = 'prometheus') => ({
  source,
  alert: { service: alerting, at: '2026-03-01T12:00:00Z' },
  onset: null,
  considered: { services: 9, series: 90 },
  causes: causes.map(([service, score], index) => ({
    rank: index + 1,
    service,
    score,
    own_score: score,
    reason: `${service} moved`,
    signals: [],
  })),
  notes: [],
});

function graphOf(results: StoredResult[], more: Partial<GraphInput> = {}) {
  const graph = buildGraph({ report: null, isRunning: false, results, looks: [], omitted: 0, ...more });
  return InvestigationGraphResponse.parse(graph);
}

const reportOn = (service: string | null, hypotheses: CheckedReport['hypotheses'] = []): GraphInput['report'] => ({
  root_cause: { service, statement: 'The pool is exhausted [1].' },
  hypotheses,
});

describe('the way of a fault through calls', () => {
  const call = (caller: string, callee: string, stale = false) => ({ caller, callee, stale });
  const none = (): number => 0;

  it('is the shortest one along calls', () => {
    const calls = [call('web', 'a'), call('a', 'b'), call('b', 'db'), call('web', 'c'), call('c', 'db')];
    assert.deepEqual(faultPath(calls, { from: 'web', to: 'db' }, none), ['web', 'c', 'db']);
    assert.deepEqual(faultPath(calls, { from: 'db', to: 'web' }, none), [], 'calls have a direction');
    assert.deepEqual(faultPath(calls, { from: 'web', to: 'elsewhere' }, none), []);
    assert.deepEqual(faultPath([], { from: 'web', to: 'web' }, none), ['web']);
  });

  it('goes through what is most suspicious of equally short ways, and through stale calls last', () => {
    const diamond = ['a', 'b', 'c'].flatMap((middle) => [call('web', middle), call(middle, 'db')]);
    const over = (calls: ReturnType<typeof call>[], scores: Record<string, number>) =>
      faultPath(calls, { from: 'web', to: 'db' }, (name) => scores[name] ?? 0)[1];
    assert.equal(over(diamond, { b: 2, c: 1 }), 'b');
    assert.equal(over(diamond, {}), 'a');
    assert.equal(
      over([call('web', 'z'), call('z', 'db'), ...diamond.map((one) => ({ ...one, stale: true }))], { b: 9 }),
      'z',
    );
  });

  it('ends where calls go in circles', () => {
    const calls = [call('a', 'b'), call('b', 'a'), call('b', 'c'), call('c', 'b'), call('a', 'a')];
    assert.deepEqual(faultPath(calls, { from: 'a', to: 'c' }, none), ['a', 'b', 'c']);
  });

  it('is a way of calls, as short as any, whatever the graph', () => {
    const name: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
    fc.assert(
      fc.property(fc.array(fc.tuple(name, name)), name, name, (pairs, from, to) => {
        const calls = pairs.map(([caller, callee]) => call(caller, callee));
        const path = faultPath(calls, { from, to }, (one) => one.codePointAt(0)! % 3);
        let reached = new Set([from]);
        let length = 0;
        while (!reached.has(to) && length < 8) {
          reached = new Set([
            ...reached,
            ...calls.filter(({ caller }) => reached.has(caller)).map(({ callee }) => callee),
          ]);
          length += 1;
        }
        if (!reached.has(to)) return assert.deepEqual(path, []);
        assert.equal(path.length, length + 1);
        assert.deepEqual([path[0], path.at(-1)], [from, to]);
        for (const [index, callee] of path.slice(1).entries())
          assert.ok(calls.some((one) => one.caller === path[index] && one.callee === callee));
      }),
    );
  });
});

describe('services by name', () => {
  it('are found as whole words, the first one first', () => {
    const services = ['payment', 'payment-db', 'checkout', 'db'];
    assert.deepEqual(namedIn('The deploy of `payment-db` broke checkout.', services), ['payment-db', 'checkout']);
    assert.deepEqual(namedIn('Payment, not payments', services), ['payment']);
    assert.deepEqual(namedIn('db.', services), ['db']);
    assert.deepEqual(namedIn('db.internal', services), []);
  });

  it('are the same whatever their case and quotes', () => {
    assert.equal(sameName('`Payment`', ['web', 'payment']), 'payment');
    assert.equal(sameName('other', ['web', 'payment']), undefined);
  });
});

describe('the graph of an investigation', () => {
  const calls = [
    edge('web', 'checkout', { calls_per_second: 9.5, error_ratio: 0.1, p95_seconds: 1.2 }),
    edge('checkout', 'payment'),
    edge('payment', 'payment-db', { stale: true }),
    edge('checkout', 'shipping'),
  ];
  const results = [
    stored(
      2,
      'service_dependencies',
      dependenciesOf('web', calls, { as_of: '2026-11-21T14:10:30.000Z', notes: ['One call is old.'] }),
    ),
    stored(
      3,
      'rank_root_causes',
      rankingOf('web', [
        ['payment-db', 4],
        ['checkout', 2],
        ['shipping', 0.2],
      ]),
    ),
  ];

  it('has the suspect of the report, roles, figures, evidence and the fault path', () => {
    const report = reportOn('Payment-DB', [
      { statement: 'shipping is at fault.', verdict: 'ruled_out', reasoning: 'It is as usual [2].' },
      { statement: 'checkout is at fault.', verdict: 'ruled_out', reasoning: 'A victim [2].' },
    ]);
    const looks = [{ toolCallId: id(5), evidence: 5, service: 'payment-db' }];
    const graph = graphOf(results, { report, looks });
    assert.deepEqual([graph.suspect, graph.alerting, graph.is_tentative], ['payment-db', 'web', false]);
    assert.deepEqual(graph.fault_path, ['web', 'checkout', 'payment', 'payment-db']);
    assert.deepEqual(
      graph.services.map(({ name, role, rank }) => [name, role, rank]),
      [
        ['payment-db', 'suspect', 1],
        ['web', 'alerting', null],
        ['checkout', 'affected', 2],
        ['payment', 'affected', null],
        ['shipping', 'ruled_out', 3],
      ],
    );
    const [suspect, , , , shipping] = graph.services;
    assert.deepEqual(suspect?.evidence, [
      { tool_call_id: id(3), evidence: 3 },
      { tool_call_id: id(5), evidence: 5 },
    ]);
    assert.equal(suspect.reason, 'The pool is exhausted [1].');
    assert.equal(shipping?.reason, 'It is as usual [2].');
    assert.deepEqual(
      graph.calls.find(({ caller }) => caller === 'web'),
      {
        caller: 'web',
        callee: 'checkout',
        calls_per_second: 9.5,
        error_ratio: 0.1,
        p95_seconds: 1.2,
        figures_as_of: '2026-11-21T14:10:30.000Z',
        stale: false,
        on_fault_path: true,
      },
    );
    assert.deepEqual(
      graph.calls.map(({ callee, stale, on_fault_path }) => [callee, stale, on_fault_path]),
      [
        ['checkout', false, true],
        ['payment', false, true],
        ['payment-db', true, true],
        ['shipping', false, false],
      ],
    );
    assert.deepEqual([graph.truncated, graph.notes], [false, ['One call is old.']]);
  });

  it('is tentative while there is no report', () => {
    const graph = graphOf(results, { isRunning: true });
    assert.deepEqual([graph.suspect, graph.is_tentative], ['payment-db', true]);
    assert.match(graph.notes[0] ?? '', /still running/);
    assert.equal(graph.fault_path.length, 4);
  });

  it('has no suspect where the report has none, and is empty before anything is known', () => {
    const graph = graphOf(results, { report: reportOn(null) });
    assert.deepEqual([graph.suspect, graph.alerting, graph.fault_path], [null, 'web', []]);
    assert.match(graph.notes[0] ?? '', /names no service/);
    assert.equal(graph.services[0]?.role, 'alerting');
    const empty = graphOf([], { isRunning: true });
    assert.deepEqual([empty.services, empty.calls, empty.suspect, empty.alerting], [[], [], null, null]);
  });

  it('knows the alerting service before it was ranked, and says where no way leads', () => {
    const listed = {
      sources: [{ id: 'prometheus', alerts: [{ name: 'Slow', service: 'payment', summary: 'p95 is 3 s' }] }],
    };
    const graph = graphOf([stored(1, 'list_sources', listed), results[0]!], { report: reportOn('web') });
    assert.deepEqual([graph.alerting, graph.fault_path], ['payment', []]);
    assert.match(graph.notes[0] ?? '', /No call path from payment to web/);
    assert.equal(graph.services.find(({ name }) => name === 'payment')?.reason, 'p95 is 3 s');
  });

  it('keeps recorded incidents apart: their services have the same names', () => {
    const graph = graphOf([
      stored(1, 'service_dependencies', dependenciesOf('web', [edge('web', 'legacy')], { source: 'incident:a' })),
      stored(2, 'service_dependencies', dependenciesOf('web', [edge('web', 'new')], { source: 'incident:b' })),
      stored(3, 'rank_root_causes', rankingOf('web', [['new', 4]], 'incident:b')),
    ]);
    assert.deepEqual(graph.fault_path, ['web', 'new']);
    assert.ok(!graph.services.some(({ name }) => name === 'legacy'));
  });

  it('learns calls from ways and from what a cause calls', () => {
    const found = { services: [{ name: 'db', depth: 2, path: ['db', 'api', 'web'] }] };
    const graph = graphOf([
      stored(1, 'service_dependencies', dependenciesOf('db', [], { ...found, direction: 'impact', truncated: true })),
    ]);
    assert.deepEqual(
      graph.calls.map(({ caller, callee }) => [caller, callee]),
      [
        ['api', 'db'],
        ['web', 'api'],
      ],
    );
    assert.equal(graph.truncated, true);
  });

  it('is bounded: the part nearest to the suspect and the fault path is kept', () => {
    const chain = Array.from({ length: 400 }, (_, n) => edge(`s${n}`, `s${n + 1}`));
    const graph = graphOf([
      stored(1, 'service_dependencies', dependenciesOf('s200', chain)),
      stored(2, 'rank_root_causes', rankingOf('s198', [['s202', 4]])),
    ]);
    assert.equal(graph.services.length, 200);
    assert.equal(graph.truncated, true);
    assert.deepEqual(graph.fault_path, ['s198', 's199', 's200', 's201', 's202']);
    assert.ok(graph.services.some(({ name }) => name === 's230') && !graph.services.some(({ name }) => name === 's0'));
  });

  it('never fails, whatever the results hold', () => {
    const key = fc.constantFrom(
      'source',
      'service',
      'edges',
      'caller',
      'callee',
      'services',
      'path',
      'causes',
      'alert',
      'rank',
      'score',
      'best_callee',
      'sources',
      'alerts',
      'id',
      'series',
      'anomaly',
      'onset',
      'metric',
      '__proto__',
    );
    const leaf = fc.oneof(
      fc.string(),
      fc.double(),
      fc.constantFrom(null, true, 'web', 'constructor', '__proto__', 1, ''),
    );
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value')),
      ),
    })).value;
    const tool = fc.constantFrom('rank_root_causes', 'service_dependencies', 'query_metric', 'list_sources');
    const one = fc.tuple(
      tool,
      fc.oneof(
        fc.string(),
        json.map((value) => JSON.stringify(value) ?? ''),
      ),
    );
    fc.assert(
      fc.property(fc.array(one), fc.option(fc.string()), (all, service) => {
        graphOf(
          all.map(([name, content], index) => stored(index + 1, name, content)),
          { report: service === null ? null : reportOn(service) },
        );
      }),
      { numRuns: 500 },
    );
    const odd = graphOf([
      stored(1, 'service_dependencies', dependenciesOf('__proto__', [edge('__proto__', 'constructor')])),
    ]);
    assert.equal(odd.services.length, 2);
  });
});
