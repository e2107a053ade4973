import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { StreamEvent } from '../../../web/src/components/live/follow-events.ts';
import { EMPTY_RUN, isFinalRunEvent, withEvents } from '../../../web/src/pages/investigation/live/live-run.ts';

let lastId = 0;
const event = (type: string, data: Record<string, unknown>): StreamEvent => ({ id: String((lastId += 1)), type, data });

const delta = (step: number, nonce: string, text: string, kind = 'text'): StreamEvent =>
  event(`${kind}.delta`, { step, attempt: 1, nonce, text });
const started = (step: number, nonce: string): StreamEvent =>
  event('turn.started', { step, attempt: 1, nonce, model: 'a-model', at: '2026-03-10T12:00:00.000Z' });

describe('what the events of a run amount to', () => {
  it('retracts the text of an attempt that was cut off, and ignores the rest of it', () => {
    const run = withEvents(EMPTY_RUN, [
      started(1, 'a'),
      delta(1, 'a', 'It is '),
      event('tool.requested', { step: 1, nonce: 'a', name: 'query_metric' }),
      started(1, 'b'),
      delta(1, 'a', 'too late'),
      delta(1, 'b', 'Hm.', 'thinking'),
      delta(1, 'b', 'It was '),
      delta(1, 'b', 'the disk.'),
    ]);
    const step = run.steps[1];
    assert.equal(step?.text, 'It was the disk.');
    assert.equal(step?.reasoning, 'Hm.');
    assert.deepEqual(step?.requested, []);
    assert.equal(step?.isSpoken, false);
  });

  it('follows a tool call from its beginning to its result', () => {
    const call = { id: 'c1', evidence: 3, step: 1, name: 'query_metric', summary: 'Query errors' };
    const running = withEvents(EMPTY_RUN, [event('tool.started', { ...call, at: '2026-03-10T12:00:00.000Z' })]);
    assert.equal(running.calls['c1']?.status, 'pending');
    assert.equal(running.calls['c1']?.startedAt, '2026-03-10T12:00:00.000Z');
    const over = withEvents(running, [
      event('tool.completed', {
        ...call,
        status: 'completed',
        isError: true,
        digest: 'No such metric',
        bytes: 12,
        at: '2026-03-10T12:00:02.000Z',
      }),
    ]);
    assert.deepEqual(over.calls['c1'], {
      ...call,
      startedAt: '2026-03-10T12:00:00.000Z',
      finishedAt: '2026-03-10T12:00:02.000Z',
      status: 'completed',
      isError: true,
      answer: null,
      digest: 'No such metric',
      bytes: 12,
    });
    assert.ok(over.stored > running.stored, 'what is stored is worth asking for');
  });

  it('shows the plan as it is now, without what is no plan', () => {
    const items = [
      { text: 'Look', status: 'done' },
      { text: 'Think', status: 'sometimes' },
      { text: 'Write', status: 'pending' },
    ];
    assert.deepEqual(
      withEvents(EMPTY_RUN, [event('plan.updated', { items })]).plan?.map(({ text }) => text),
      ['Look', 'Write'],
    );
    assert.deepEqual(withEvents(EMPTY_RUN, [event('plan.updated', {})]).plan, []);
  });

  it('ends with the run', () => {
    const end = event('run.completed', { status: 'completed', alertSummary: 'The disk was full', limit: null });
    assert.ok(isFinalRunEvent(end));
    assert.deepEqual(withEvents(EMPTY_RUN, [end]).ending, { status: 'completed', title: 'The disk was full' });
    assert.ok(!isFinalRunEvent(event('run.started', { query: '?' })));
  });

  it('says what the last attempt said, wherever the stream was cut, resumed or begun anew', () => {
    const words = fc.array(fc.string({ unit: 'grapheme', maxLength: 8 }), { maxLength: 6 });
    const attempts = fc.array(words, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(attempts, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        (steps, cuts) => {
          const events = steps.flatMap((spoken, step) =>
            spoken.flatMap((said, attempt) => {
              const nonce = `${step}-${attempt}`;
              // Words of the attempt before, which arrive only after the next one has begun.
              const late = attempt === 0 ? [] : [delta(step, `${step}-${attempt - 1}`, 'late')];
              const own = said.map((text) => delta(step, nonce, text));
              return [started(step, nonce), ...late, ...own];
            }),
          );
          const expected = steps.map((spoken) => spoken.at(-1)?.join('') ?? '');
          const textOf = (run: typeof EMPTY_RUN): string[] => steps.map((_, step) => run.steps[step]?.text ?? '');

          // Resumed after the last event that came, as often as it was cut.
          const ends = [...cuts.map((cut) => cut % (events.length + 1)), events.length].toSorted((a, b) => a - b);
          const pieces = ends.map((end, index) => events.slice(ends[index - 1] ?? 0, end));
          assert.deepEqual(textOf(pieces.reduce(withEvents, EMPTY_RUN)), expected);

          // Given from the beginning again, on top of what was there.
          const begun = withEvents(EMPTY_RUN, events.slice(0, ends[0]));
          assert.deepEqual(textOf(withEvents(begun, events)), expected);
        },
      ),
      { numRuns: 300 },
    );
  });
});
