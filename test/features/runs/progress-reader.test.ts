import assert from 'node:assert/strict';
import { createProgressReader, type RunProgress } from '../../../src/features/runs/index.ts';

const progress = (step: number): RunProgress => ({ phase: 'thinking', step, toolCalls: 0, costUsd: 0 });

/** A workflow that answers when told, and a clock that moves when told. */
function scene(options: { patienceMs?: number } = {}) {
  const clock = { now: 0 };
  const asked: { id: string; answer: (value: RunProgress) => void; fail: (error: Error) => void }[] = [];
  const reader = createProgressReader({
    query: (id) => {
      const { promise, resolve, reject } = Promise.withResolvers<RunProgress>();
      asked.push({ id, answer: resolve, fail: reject });
      return promise;
    },
    now: () => clock.now,
    patienceMs: options.patienceMs ?? 60_000,
  });
  return { clock, asked, reader };
}

describe('progress reader', () => {
  it('asks once for any number of pollers, and again only after half a second', async () => {
    const { clock, asked, reader } = scene();
    const polls = Array.from({ length: 50 }, () => reader.read('run'));
    assert.equal(asked.length, 1);
    asked[0]!.answer(progress(1));
    assert.deepEqual(new Set((await Promise.all(polls)).map((answer) => answer?.step)), new Set([1]));
    clock.now = 499;
    assert.equal((await reader.read('run'))?.step, 1);
    assert.equal(asked.length, 1);
    clock.now = 500;
    const next = reader.read('run');
    assert.equal(asked.length, 2);
    asked[1]!.answer(progress(2));
    assert.equal((await next)?.step, 2);
  });

  it('lets only the poller wait that asked, while the last answer is younger than a second', async () => {
    const { clock, asked, reader } = scene();
    const first = reader.read('run');
    asked[0]!.answer(progress(1));
    await first;
    clock.now = 500;
    const asking = reader.read('run');
    assert.equal((await reader.read('run'))?.step, 1);
    clock.now = 1_000;
    const late = reader.read('run');
    assert.equal(asked.length, 2);
    asked[1]!.answer(progress(2));
    assert.deepEqual([(await asking)?.step, (await late)?.step], [2, 2]);
  });

  it('sends at most two queries a second and run, whatever the pollers do', async () => {
    const clock = { now: 0 };
    const sent: number[] = [];
    const reader = createProgressReader({
      query: async () => {
        sent.push(clock.now);
        return progress(1);
      },
      now: () => clock.now,
    });
    for (; clock.now < 10_000; clock.now += 7) await reader.read('run');
    assert.ok(sent.length > 15, 'it does ask');
    for (const at of sent) assert.ok(sent.filter((other) => other >= at && other < at + 1_000).length <= 2);
  });

  it('keeps runs apart', async () => {
    const { asked, reader } = scene();
    const first = reader.read('a');
    const second = reader.read('b');
    asked.find(({ id }) => id === 'b')!.answer(progress(7));
    asked.find(({ id }) => id === 'a')!.answer(progress(3));
    assert.deepEqual([(await first)?.step, (await second)?.step], [3, 7]);
  });

  it('gives up waiting and then costs nobody a wait, until the workflow answers again', async () => {
    const { clock, asked, reader } = scene({ patienceMs: 5 });
    assert.equal(await reader.read('run'), undefined);
    assert.equal(await reader.read('run'), undefined);
    assert.equal(asked.length, 1, 'the query under way is not repeated');
    asked[0]!.answer(progress(4));
    clock.now = 400;
    await Promise.resolve();
    assert.equal((await reader.read('run'))?.step, 4);
  });

  it('a failed query answers nothing and is not repeated within the half second', async () => {
    const { clock, asked, reader } = scene();
    const poll = reader.read('run');
    asked[0]!.fail(new Error('no worker'));
    assert.equal(await poll, undefined);
    assert.equal(await reader.read('run'), undefined);
    assert.equal(asked.length, 1);
    clock.now = 600;
    void reader.read('run');
    assert.equal(asked.length, 2);
  });
});
