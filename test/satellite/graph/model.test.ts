import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { WireEdge } from '@casebook/wire';
import type { ObservedEdge } from '@casebook/connectors';
import { LiveGraph } from '../../../satellite/graph/live-graph.ts';
import { GraphPublisher } from '../../../satellite/graph/publisher.ts';
import { ReceivingEnd } from './receiving-end.ts';

const STALE = 20;
const EXPIRE = 60;

interface Seen extends ObservedEdge {
  origin: string;
  at: number;
}
interface Expected {
  stale: boolean;
  sources: string[];
  /** Those that saw the most calls; any may give the figures. */
  candidates: Seen[];
}

/** The graph worked out anew from everything that was ever observed. */
function naiveGraph(history: readonly Seen[], now: number): Map<string, Expected> {
  const latest = new Map<string, Seen>();
  for (const seen of history) {
    if (seen.callsPerSecond === 0) continue;
    latest.set([seen.caller, seen.callee, seen.origin, seen.source].join(), seen);
  }
  const alive = [...latest.values()].filter(({ at }) => now - at < EXPIRE);
  const pairs = Map.groupBy(alive, ({ caller, callee }) => `${caller}>${callee}`);
  return new Map(
    [...pairs].map(([pair, all]) => {
      const fresh = all.filter(({ at }) => now - at < STALE);
      const from = fresh.length > 0 ? fresh : all;
      const most = Math.max(...from.map(({ callsPerSecond = -1 }) => callsPerSecond));
      return [
        pair,
        {
          stale: fresh.length === 0,
          sources: [...new Set(all.map(({ source }) => source))].sort(),
          candidates: from.filter(({ callsPerSecond = -1 }) => callsPerSecond === most),
        },
      ];
    }),
  );
}

const service = fc.constantFrom('web', 'cart', 'pay', 'db');
const observed = fc.record({
  caller: service,
  callee: service,
  source: fc.constantFrom('service-graph' as const, 'istio' as const),
  callsPerSecond: fc.option(fc.constantFrom(0, 1, 1.05, 1.2, 5, 40), { nil: undefined }),
  errorRatio: fc.option(fc.constantFrom(0, 0.01, 0.5), { nil: undefined }),
  p95Seconds: fc.option(fc.constantFrom(0.1, 0.105, 0.2), { nil: undefined }),
});
const step = fc.oneof(
  fc.record({
    do: fc.constant('observe' as const),
    origin: fc.constantFrom('one', 'two'),
    edges: fc.array(observed, { maxLength: 6 }),
  }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 30 }) }),
  fc.constant({ do: 'delta' as const }),
  fc.constant({ do: 'reconnect' as const }),
);

describe('satellite graph: what Casebook makes of the messages', () => {
  for (const share of [0, 0.1]) {
    it(`is the graph, to ${share * 100}%, after any course of events`, () => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
          const live = new LiveGraph({ staleAfterMs: STALE, expireAfterMs: EXPIRE, maxEdges: 100 });
          const publisher = new GraphPublisher(share, randomUUID);
          let end = new ReceivingEnd();
          const history: Seen[] = [];
          let now = 0;
          const compare = (): void => {
            const expected = naiveGraph(history, now);
            assert.deepEqual([...end.graph.keys()].sort(), [...expected.keys()].sort());
            for (const [pair, edge] of end.graph) assertAlike(edge, expected.get(pair), share);
          };
          for (const message of publisher.snapshot(live.merged(now), now)) end.take(message);
          for (const event of [...steps, { do: 'delta' as const }]) {
            if (event.do === 'wait') now += event.ms;
            if (event.do === 'observe') {
              live.observe(event.origin, event.edges, now);
              history.push(...event.edges.map((edge) => ({ ...edge, origin: event.origin, at: now })));
            }
            if (event.do === 'delta' || event.do === 'reconnect') {
              live.advance(now);
              if (event.do === 'reconnect') end = new ReceivingEnd();
              const messages = publisher[event.do === 'delta' ? 'delta' : 'snapshot'](live.merged(now), now);
              for (const message of messages) end.take(message);
              compare();
            }
          }
        }),
        { numRuns: 500 },
      );
    });
  }
});

function assertAlike(edge: WireEdge, expected: Expected | undefined, share: number): void {
  assert.ok(expected);
  assert.equal(edge.stale, expected.stale);
  assert.deepEqual(edge.sources, expected.sources);
  const near = (sent: number | undefined, now: number | undefined): boolean =>
    sent === undefined || now === undefined ? sent === now : Math.abs(now - sent) <= share * sent + 1e-9;
  assert.ok(
    expected.candidates.some(
      (seen) =>
        near(edge.callsPerSecond, seen.callsPerSecond) &&
        near(edge.errorRatio, seen.errorRatio) &&
        near(edge.p95Seconds, seen.p95Seconds),
    ),
    `${JSON.stringify(edge)} is none of ${JSON.stringify(expected.candidates)}`,
  );
}
