import assert from 'node:assert/strict';
import {
  compareSpans,
  rankRootCauses,
  type LogLine,
  type RankingInput,
  type Span,
} from '../../../src/features/diagnosis/index.ts';
import { compareLogs } from '../../../src/features/diagnosis/log-patterns/compare.ts';
import { edges } from './incident.ts';
import { requests, type Work } from './traces.ts';

const START = 1_700_000_000;
const FAULT = START + 1200;
const END = FAULT + 300;
const baseline = { from: START, to: FAULT };
const incident = { from: FAULT, to: END };

/** A shop that asks cart and pay; pay asks the bank. Times jitter by up to 2 ms. */
function shop(index: number, change: { cartWire?: number; shopWire?: number; bankOwn?: number } = {}): Work {
  const jitter = (index * 7) % 3;
  const { cartWire = 0, shopWire = 0, bankOwn = 0 } = change;
  return {
    service: 'shop',
    ownMs: 20 + jitter,
    calls: [
      { service: 'cart', ownMs: 5 + jitter, wireMs: 2 + cartWire + shopWire },
      {
        service: 'pay',
        ownMs: 8 + jitter,
        wireMs: 3 + shopWire,
        calls: [{ service: 'bank', ownMs: 30 + jitter + bankOwn, wireMs: 4 }],
      },
    ],
  };
}

function spansWith(change: Parameters<typeof shop>[1]): Span[] {
  return [...requests(START, FAULT, 10, (i) => shop(i)), ...requests(FAULT, END, 10, (i) => shop(i, change))];
}

const question = (part: Partial<RankingInput>): RankingInput => ({
  series: [],
  edges: edges(['shop', 'cart'], ['shop', 'pay'], ['pay', 'bank']),
  alert: { service: 'shop', at: FAULT + 120 },
  baseline,
  incident,
  ...part,
});

describe('compareSpans', () => {
  it('gives own time to the operation and the time in between to the edge', () => {
    const { traces, operations, edges: compared } = compareSpans(spansWith({ bankOwn: 200 }), { baseline, incident });
    assert.deepEqual(traces, { before: 120, after: 30 });
    const bank = operations.find(({ service }) => service === 'bank')!.selfMs;
    assert.ok(bank.before >= 30 && bank.before <= 32 && bank.after >= 230 && bank.score > 20, JSON.stringify(bank));
    for (const service of ['shop', 'pay', 'cart']) {
      const own = operations.find((one) => one.service === service && one.operation === 'handle')!.selfMs;
      assert.ok(Math.abs(own.score) < 1, `${service}: ${JSON.stringify(own)}`);
    }
    const edge = compared.find(({ caller, callee }) => caller === 'pay' && callee === 'bank')!.edgeMs;
    assert.ok(Math.abs(edge.before - 4) < 0.01 && Math.abs(edge.score) < 1, JSON.stringify(edge));
  });

  it('counts the share of failed executions, and calls that are no longer made', () => {
    const stops = (index: number): Work => ({ ...shop(index), calls: shop(index).calls!.slice(0, 1), status: 'error' });
    const spans = [...requests(START, FAULT, 10, (i) => shop(i)), ...requests(FAULT, END, 10, stops)];
    const { operations, calls, endings } = compareSpans(spans, { baseline, incident });
    const failing = operations.find(({ service, operation }) => service === 'shop' && operation === 'handle')!;
    assert.deepEqual([failing.errorShare.before, failing.errorShare.after], [0, 1]);
    const missing = calls.find(({ caller, callee }) => caller === 'shop' && callee === 'pay')!.perExecution;
    assert.deepEqual([missing.before, missing.after], [1, 0]);
    assert.ok(missing.score < -5);
    const ending = endings.find(({ callee }) => callee === 'cart')!.share;
    assert.deepEqual([ending.before, ending.after], [0, 1]);
  });

  it('does not take two slow calls of a rare operation for a change', () => {
    const spans = [
      ...requests(START, FAULT, 300, (i) => shop(i)),
      ...requests(FAULT, END, 200, (i) => shop(i, { bankOwn: 300 })),
    ];
    const { operations } = compareSpans(spans, { baseline, incident });
    const { score, samplesAfter } = operations.find(({ service }) => service === 'bank')!.selfMs;
    assert.equal(samplesAfter, 2);
    assert.ok(score < 5, String(score));
  });
});

describe('rankRootCauses with traces and logs', () => {
  const first = (part: Partial<RankingInput>) => rankRootCauses(question(part)).causes[0]!;

  it('blames the callee for the time on the wire to it', () => {
    const cause = first({ spans: spansWith({ cartWire: 250 }) });
    assert.equal(cause.service, 'cart');
    const [evidence] = cause.evidence;
    assert.deepEqual([evidence?.kind, evidence?.caller, evidence?.callee], ['edge_time', 'shop', 'cart']);
    assert.match(cause.reason, /^Network time from shop to cart rose from 2 ms to 252 ms\./);
  });

  it('blames the caller if its calls to all others wait', () => {
    assert.equal(first({ spans: spansWith({ shopWire: 250 }) }).service, 'shop');
  });

  it('finds a slow leaf by its own time, without any metric', () => {
    const { service, evidence } = first({ spans: spansWith({ bankOwn: 200 }) });
    assert.deepEqual([service, evidence[0]?.kind, evidence[0]?.operation], ['bank', 'self_time', 'handle']);
  });

  it('finds the service that logs a new error, before its callers that fail with it', () => {
    const line = (service: string, level: string, message: string) => (at: number) => ({ at, service, level, message });
    const logs: LogLine[] = [];
    for (let at = START; at < END; at += 2) {
      logs.push(line('shop', 'info', `checkout ${at} done`)(at), line('bank', 'info', `transfer ${at} done`)(at));
      if (at < FAULT + 60) continue;
      if (at % 6 === 0) logs.push(line('bank', 'error', `no account for ${at}`)(at));
      if (at % 6 === 0) logs.push(line('shop', 'error', `payment of order ${at} failed`)(at));
    }
    const cause = first({ logs });
    assert.equal(cause.service, 'bank');
    assert.equal(cause.evidence[0]?.kind, 'new_logs');
    assert.match(cause.evidence[0]?.example ?? '', /^no account for \d+$/);
    assert.ok((cause.evidence[0]?.onset ?? 0) >= FAULT);
  });

  it('names no cause with confidence when nothing happened', () => {
    const { confidence } = rankRootCauses(question({ spans: spansWith({}) }));
    assert.ok(confidence < 0.5, String(confidence));
  });
});

describe('compareLogs', () => {
  const at = (time: number, message: string, level = 'info'): LogLine => ({ at: time, service: 'a', level, message });

  it('sees a line that ceased, and not one that only follows the traffic', () => {
    const logs: LogLine[] = [];
    for (let time = START; time < END; time++) {
      if (time >= FAULT && time % 2 === 0) continue;
      logs.push(at(time, `request ${time} received`));
      if (time < FAULT) logs.push(at(time, `answer sent for ${time}`));
      else logs.push(at(time, `no such order: ${time}`));
    }
    const scores = new Map(compareLogs(logs, { baseline, incident }).map((one) => [one.template, one.score]));
    assert.ok(scores.get('answer sent for <*>')! < -5);
    assert.ok(Math.abs(scores.get('request <*> received')!) < 2, String(scores.get('request <*> received')));
  });

  it('does not take time without any line for silence', () => {
    const logs = Array.from({ length: 600 }, (_, i) => at(FAULT + i / 2, `request ${i} received`));
    for (const { score } of compareLogs(logs, { baseline, incident })) assert.ok(Math.abs(score) < 2);
  });

  it('tells lines apart that begin with the time of day', () => {
    const logs = Array.from({ length: 100 }, (_, i) => [
      at(FAULT + i, `16:45:${10 + (i % 50)}.044 WARN No instances available for ts-price-service`),
      at(FAULT + i, `16:45:${10 + (i % 50)}.044 INFO started`),
    ]).flat();
    const templates = compareLogs(logs, { baseline, incident }).map(({ template }) => template);
    assert.deepEqual(templates.sort(), ['<*> INFO started', '<*> WARN No instances available for ts-price-service']);
  });
});
