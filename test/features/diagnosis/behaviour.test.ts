import assert from 'node:assert/strict';
import {
  compareSpans,
  rankRootCauses,
  type LogLine,
  type RankingInput,
  type Span,
} from '../../../src/features/diagnosis/index.ts';
import { compareLogs } from '../../../src/features/diagnosis/log-patterns/compare.ts';
import { compareSteps } from '../../../src/features/diagnosis/log-patterns/compare-steps.ts';
import { executionsOf } from '../../../src/features/diagnosis/log-patterns/executions.ts';
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

/** A shop and a bank whose lines name their spans. In the incident, more requests ask for a balance than before. */
function loggingBank({ isBroken, keptFrom = START }: { isBroken: (at: number) => boolean; keptFrom?: number }) {
  const spans: Span[] = [];
  const logs: LogLine[] = [];
  for (let start = START, index = 0; start < END; start += 5, index++) {
    const [shopId, bankId] = [spanId(2 * index), spanId(2 * index + 1)];
    const one = { traceId: `trace-${index}`, operation: 'handle', start };
    spans.push({ ...one, spanId: shopId, service: 'shop', durationMs: 50 });
    spans.push({ ...one, spanId: bankId, parentId: shopId, service: 'bank', durationMs: 30 });
    const say = (service: string, id: string, message: string): void => {
      if (start >= keptFrom) logs.push({ at: start, service, level: 'info', message: `${message} [span ${id}]` });
    };
    const isTransfer = index % (start < FAULT ? 2 : 4) === 0;
    say('shop', shopId, 'request received');
    say('bank', bankId, isTransfer ? `transfer of ${index} begins` : 'asked for a balance');
    if (isTransfer && !isBroken(start)) say('bank', bankId, `booked ${index}`);
    say('shop', shopId, 'answer sent');
  }
  return { spans, logs };
}

const spanId = (index: number): string => `c0ffee${String(index).padStart(10, '0')}`;

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

  it('finds the service whose executions end early, whatever the traffic does, by lines that name their span', () => {
    const cause = first(loggingBank({ isBroken: (at) => at >= FAULT }));
    assert.equal(cause.service, 'bank');
    const [evidence] = cause.evidence;
    assert.deepEqual([evidence?.kind, evidence?.before, evidence?.after], ['missing_logs', 0, 100]);
    assert.match(evidence?.example ?? '', /^transfer of \d+ begins/);
    assert.match(
      cause.reason,
      /^bank logs nothing more in 100 % of the executions that come to one line; 0 % before\./,
    );
  });

  it('finds it without healthy lines, from what the incident changed within itself', () => {
    const lately = (at: number): boolean => at >= FAULT + 120;
    const atFirst = (at: number): boolean => at < FAULT + 140;
    for (const isBroken of [lately, atFirst]) {
      const { service, reason } = first(loggingBank({ isBroken, keptFrom: FAULT }));
      assert.match(`${service}: ${reason}`, /^bank: bank logs nothing more in 100 % of the executions/);
    }
  });

  it('takes another mix of requests for no fault', () => {
    const { evidence } = rankRootCauses(question(loggingBank({ isBroken: () => false }))).causes.find(
      ({ service }) => service === 'bank',
    )!;
    assert.deepEqual(
      evidence.filter(({ kind }) => kind === 'missing_logs'),
      [],
    );
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

describe('compareSteps', () => {
  const steps = ({ spans, logs }: ReturnType<typeof loggingBank>) =>
    compareSteps(executionsOf(logs, spans).executions, { baseline, incident });

  it('learns little from a single healthy execution', () => {
    const lone = steps(loggingBank({ isBroken: (at) => at >= FAULT, keptFrom: FAULT - 10 }));
    const many = steps(loggingBank({ isBroken: (at) => at >= FAULT }));
    const [few, sure] = [lone, many].map((found) => {
      return found.find(({ after, next }) => after?.template.startsWith('transfer') && next === undefined)!.share;
    });
    assert.deepEqual([few!.samplesBefore, few!.before, few!.after], [1, 0, 1]);
    assert.ok(few!.score > 0 && few!.score < 4, String(few!.score));
    assert.ok(sure!.score > 10, String(sure!.score));
  });

  it('counts an execution without lines only in a trace that has some', () => {
    const { spans, logs } = loggingBank({ isBroken: () => false });
    const silent = logs.filter(({ at, service }) => at < FAULT || service === 'shop');
    const start = steps({ spans, logs: silent }).find(({ service, after, next }) => {
      return service === 'bank' && after === undefined && next === undefined;
    });
    assert.deepEqual([start?.share.before, start?.share.after], [0, 1]);
    const lost = logs.filter(({ at }) => at < FAULT);
    assert.ok(steps({ spans, logs: lost }).every(({ share }) => share.score === 0));
  });

  it('compares the most frequent ways to go on, however many there are', () => {
    const { spans, logs } = loggingBank({ isBroken: () => false });
    const letters = (index: number): string => `${index}`.replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)]!);
    const noisy = logs.flatMap((line, index) => {
      const [id] = /c0ffee\d+/.exec(line.message) ?? [];
      return [
        { ...line, message: `${letters(index)} ${letters(7 * index)} ${letters(13 * index)} [span ${id}]` },
        line,
      ];
    });
    const found = steps({ spans, logs: noisy });
    const begins = Map.groupBy(found, ({ service, after }) => (after === undefined ? service : 'later'));
    assert.equal(begins.get('shop')?.length, 50);
  });

  it('leaves lines without the id of a span of their service to others', () => {
    const { spans, logs } = loggingBank({ isBroken: () => false });
    const foreign = logs.map((line) => ({ ...line, service: 'audit' }));
    assert.equal(executionsOf(logs, spans).others.length, 0);
    assert.deepEqual(executionsOf(foreign, spans), { executions: [], others: foreign });
  });
});
