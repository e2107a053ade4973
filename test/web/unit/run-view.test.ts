import assert from 'node:assert/strict';
import { EMPTY_RUN, withEvents } from '../../../web/src/pages/investigation/live/live-run.ts';
import { phaseOf, stepViews } from '../../../web/src/pages/investigation/live/run-view.ts';

const AT = '2026-03-10T12:00:00.000Z';
const call = {
  id: 'c1',
  evidence: 1,
  name: 'query_metric',
  summary: 'Query errors',
  input: {},
  status: 'pending' as const,
  is_error: false,
  digest: null,
  bytes: null,
  sha256: null,
  started_at: null,
  finished_at: null,
  duration_ms: null,
  source: null,
  answer: null,
  has_series: false,
  result_url: '/api/tool-results/c1',
};
const step = {
  step: 1,
  note: null,
  text: 'I look at errors.',
  reasoning: '',
  stop_reason: 'tool_use',
  model: 'a-model',
  cost_usd: 0.01,
  started_at: AT,
  finished_at: '2026-03-10T12:00:01.000Z',
  tool_calls: [call],
};
const heard = { id: 'c1', evidence: 1, step: 1, name: call.name, summary: call.summary };
const running = withEvents(EMPTY_RUN, [{ id: '1', type: 'tool.started', data: { ...heard, at: AT } }]);
const done = { ...call, status: 'completed' as const, started_at: AT, finished_at: AT, duration_ms: 0 };

describe('the run as the page shows it', () => {
  it('knows from the events that a stored call runs, and for how long the step has', () => {
    const [view] = stepViews([step], running);
    assert.equal(view?.calls[0]?.state, 'running');
    assert.equal(view?.calls[0]?.startedAt, AT);
    assert.equal(view?.durationMs, null);
  });

  it('believes what is stored once the call has ended', () => {
    const [view] = stepViews([{ ...step, tool_calls: [{ ...done, digest: '3 series', has_series: true }] }], running);
    assert.equal(view?.calls[0]?.state, 'done');
    assert.equal(view?.calls[0]?.digest, '3 series');
    assert.equal(view?.calls[0]?.hasSeries, true);
    assert.equal(view?.durationMs, 1_000);
  });

  it('ticks a call only if it brought data', () => {
    const states = (['data', 'nothing', null] as const).map(
      (answer) => stepViews([{ ...step, tool_calls: [{ ...done, answer }] }], running)[0]?.calls[0]?.state,
    );
    assert.deepEqual(states, ['done', 'empty', 'done']);
  });

  it('puts steps that are only heard of after those that are stored', () => {
    const run = withEvents(running, [
      { id: '2', type: 'turn.started', data: { step: 2, nonce: 'n', model: 'a-model', at: AT } },
      { id: '3', type: 'text.delta', data: { step: 2, nonce: 'n', text: 'Next' } },
    ]);
    const views = stepViews([{ ...step, tool_calls: [done] }], run);
    assert.deepEqual(
      views.map(({ step: number, text, isSpeaking }) => ({ number, text, isSpeaking })),
      [
        { number: 1, text: 'I look at errors.', isSpeaking: false },
        { number: 2, text: 'Next', isSpeaking: true },
      ],
    );
  });

  it('describes what is happening', () => {
    const words = (progress: string | null, run: typeof EMPTY_RUN, cancelled: string | null = null): string =>
      phaseOf(
        {
          progress:
            progress === null
              ? null
              : { phase: progress, step: 1, tool_calls: 1, cost_usd: 0, limit: null, waiting_for: null },
          cancel_requested_at: cancelled,
        },
        stepViews([], run),
      );
    const asking = withEvents(EMPTY_RUN, [
      { id: '1', type: 'turn.started', data: { step: 1, nonce: 'n' } },
      { id: '2', type: 'tool.requested', data: { step: 1, nonce: 'n', name: 'query_metric' } },
    ]);
    assert.equal(words(null, EMPTY_RUN), 'Starting');
    assert.equal(words('recording', EMPTY_RUN), 'Checking the evidence and saving the report');
    assert.equal(words('thinking', asking), 'The model is calling query_metric');
    assert.equal(words('thinking', asking, AT), 'Cancelling');
    assert.equal(
      phaseOf({ progress: null, cancel_requested_at: null }, stepViews([step], running)),
      'Running query_metric',
    );
  });
});
