/** Budgets that are used up and models that go round in circles: each run ends with a report that names the limit. */
import assert from 'node:assert/strict';
import type { RunBudget } from '../../src/features/runs/index.ts';
import { startHarness, type Harness } from '../support/harness.ts';
import { rateLimited, type ScriptedStep } from '../support/scripted-model/index.ts';
import { listSources, submitReport } from '../support/scripts.ts';
import { memorySource } from '../support/telemetry-source.ts';
import { byCase, lastMessage, startWithin, type CaseRun, type CaseScript, type Detail } from './support/by-case.ts';

let calls = 0;
let aborted = 0;
const source = memorySource({
  id: 'shop',
  promql: () => {
    calls += 1;
    return [{ labels: { job: 'shop' }, timestamps: [1_772_366_400], values: [1] }];
  },
});
const hanging = memorySource({ id: 'hanging', promql: () => [] });
hanging.promql = (_query, { signal }) =>
  new Promise(() => signal.addEventListener('abort', () => (aborted += 1), { once: true }));

const query = (expr: string, id = 'shop'): ScriptedStep => ({
  toolUses: [{ name: 'promql', input: { source: id, expr } }],
});
const silent: ScriptedStep = { text: 'I would rather not say.' };
const costly: ScriptedStep = { ...query('up'), usage: { output_tokens: 1_000_000 } };

/** Stalls at the second turn until the loop asks for the result: the turn that never came does not count. */
function unlessConcluding(stalling: ScriptedStep): CaseScript {
  return ({ turn, request }) => {
    if (turn === 0) return listSources;
    return lastMessage({ body: request }).includes('Hand in your result now') ? submitReport : stalling;
  };
}

describe('budgets', () => {
  let harness: Harness;
  /** Runs of which the time is up in the middle of what hangs, however slow the machine is before that. */
  const overtime = new Map<string, CaseRun>();

  before(async () => {
    harness = await startHarness({
      sources: [source, hanging],
      script: byCase({
        'steps-report': [listSources, query('up'), submitReport],
        'steps-nothing': [listSources, query('up'), silent, silent],
        'steps-defiant': [listSources, query('up'), query('again'), query('again')],
        cost: [listSources, costly, submitReport],
        'wall-model': unlessConcluding({ text: 'Let me think.', hang: { at: 'middle' } }),
        'wall-tool': [listSources, query('up', 'hanging'), submitReport],
        'wall-retry': unlessConcluding(rateLimited('3600')),
        loop: [listSources, ...Array.from({ length: 5 }, () => query('same')), submitReport],
        'loop-forever': Array.from({ length: 10 }, () => query('forever')),
      }),
    });
    // All at once, and while the other runs are tested: it is only waiting.
    for (const name of ['wall-model', 'wall-tool', 'wall-retry'])
      overtime.set(name, await startWithin(harness, name, { maxWallSeconds: 15 }));
  });
  after(() => harness?.stop());

  /** Runs a case with a budget of its own. */
  const runWithin = async (name: string, budget: Partial<RunBudget>): Promise<{ run: CaseRun; detail: Detail }> => {
    const run = await startWithin(harness, name, budget);
    return { run, detail: await run.ended() };
  };
  const overrun = async (name: string): Promise<{ run: CaseRun; detail: Detail }> => {
    const run = overtime.get(name)!;
    return { run, detail: await run.ended() };
  };
  const checkNamed = (detail: Detail, limit: string, words: RegExp): void => {
    assert.equal(detail.status, 'completed');
    assert.equal(detail.limit_reached, limit);
    assert.match(detail.investigation_text, words);
  };
  const reported = 'payment: connection pool exhausted';

  it('steps: the model is asked for its result and told why', async () => {
    const { run, detail } = await runWithin('steps-report', { maxSteps: 2 });
    checkNamed(detail, 'steps', /\*\*Ended early\*\* because the run reached its step limit/);
    assert.equal(detail.report?.title, reported);
    assert.match(lastMessage(run.requests[2]!), /limit of steps for this run is reached/);
    assert.equal(run.requests.length, 3);
  });

  it('steps: without a result from the model the report is composed from what was read', async () => {
    const { run, detail } = await runWithin('steps-nothing', { maxSteps: 2 });
    checkNamed(detail, 'steps', /the run reached its step limit/);
    assert.match(detail.investigation_text, /promql/);
    assert.ok(detail.citations.length > 0);
    assert.ok(detail.citations.every(({ excerpts }) => excerpts.every(({ verified }) => verified)));
    assert.equal(run.requests.length, 4);
  });

  it('steps: a model that goes on querying is not asked for ever', async () => {
    const { run, detail } = await runWithin('steps-defiant', { maxSteps: 2 });
    checkNamed(detail, 'steps', /the run reached its step limit/);
    assert.equal(run.requests.length, 4);
  });

  it('cost: nothing is asked once it is spent, but for the result', async () => {
    const { run, detail } = await runWithin('cost', { maxCostUsd: 1 });
    checkNamed(detail, 'cost', /the run reached its cost budget/);
    assert.equal(detail.report?.title, reported);
    assert.ok(detail.usage.cost > 1);
    assert.equal(run.requests.length, 3);
  });

  it('the same call again and again: made twice, then answered from the record, then the run ends', async () => {
    const before = calls;
    const { run, detail } = await runWithin('loop', {});
    checkNamed(detail, 'repeated_calls', /the model kept repeating the same tool call/);
    assert.equal(detail.report?.title, reported);
    assert.equal(calls, before + 2);
    assert.match(lastMessage(run.requests[4]!), /its result is evidence 2\. It was not made again/);
    assert.equal(run.requests.length, 7);
  });

  it('the same call for ever: the report is composed', async () => {
    const before = calls;
    const { run, detail } = await runWithin('loop-forever', {});
    checkNamed(detail, 'repeated_calls', /the model kept repeating the same tool call/);
    assert.equal(calls, before + 2);
    assert.equal(run.requests.length, 7);
  });

  it('wall time: a model that hangs in the middle of its answer is cut off', async () => {
    const { run, detail } = await overrun('wall-model');
    checkNamed(detail, 'wall_time', /the run reached its time limit/);
    assert.equal(detail.report?.title, reported);
    await run.until(({ requests }) => requests[1]!.aborted, 'the hanging request to be dropped');
    // Half an answer is no answer: it is not stored.
    assert.deepEqual(
      detail.steps.map(({ text }) => text),
      [listSources.text, submitReport.text],
    );
  });

  it('wall time: a tool that hangs is told to stop, and its call is on record as cancelled', async () => {
    const { detail } = await overrun('wall-tool');
    checkNamed(detail, 'wall_time', /the run reached its time limit/);
    assert.equal(detail.report?.title, reported);
    assert.equal(aborted, 1);
    assert.equal(detail.steps[1]!.tool_calls[0]!.status, 'cancelled');
  });

  it('wall time: a long Retry-After does not hold a run beyond it', async () => {
    const { detail } = await overrun('wall-retry');
    checkNamed(detail, 'wall_time', /the run reached its time limit/);
  });
});
