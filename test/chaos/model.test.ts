/** A model that is limited, overloaded, cut off, wrong or silent: retried where that can help, and never without a word. */
import assert from 'node:assert/strict';
import { assembleSteps, followRun } from '../support/run-follower.ts';
import { startHarness, type Harness } from '../support/harness.ts';
import { internalError, overloaded, rateLimited, type ScriptedStep } from '../support/scripted-model/index.ts';
import { listSources, submitReport } from '../support/scripts.ts';
import { byCase, CaseRun, caseOf, lastMessage, runCase } from './support/by-case.ts';

/** What the workflow allows: ten attempts of a turn. */
const ATTEMPTS = 10;
const RETRY_AFTER_SECONDS = 2;

const soon: ScriptedStep = {
  error: { status: 529, type: 'overloaded_error', headers: { 'retry-after-ms': '1' } },
};
const speaking: ScriptedStep = {
  ...listSources,
  thinking: 'The sources come first; without them there is nothing to look at, and nothing to cite.',
  text: 'Which sources are there? I ask for all of them before I decide what to look at first.',
  deltaCharacters: 8,
};
const refusal: ScriptedStep = { text: 'I will not help with that.', stopReason: 'refusal' };
const silent: ScriptedStep = {};
const NUDGE = 'You ended your turn without handing in a result';

describe('a model that misbehaves', () => {
  let harness: Harness;
  const askedAt = new Map<string, number[]>();

  before(async () => {
    const script = byCase({
      'rate-limited': [[rateLimited(String(RETRY_AFTER_SECONDS)), listSources], submitReport],
      overloaded: [
        [overloaded, listSources],
        [internalError, submitReport],
      ],
      'always-overloaded': () => soon,
      cut: [
        [{ ...speaking, cut: 'middle' }, { ...speaking, hold: { gate: 'cut', at: 'middle' }, cut: 'ending' }, speaking],
        submitReport,
      ],
      'stream-error': [
        [{ ...speaking, streamError: { type: 'overloaded_error', message: 'Overloaded' } }, speaking],
        submitReport,
      ],
      'bad-calls': [
        {
          toolUses: [
            { name: 'promql', input: { source: 7, query: 'up' } },
            { name: 'promql', rawInput: '{"source": "prom' },
            { name: 'drop_database', input: {} },
            { name: 'list_sources' },
          ],
        },
        {
          toolUses: [
            {
              ...submitReport.toolUses![0]!,
              input: {
                ...submitReport.toolUses![0]!.input,
                citations: [{ n: 1, evidence: 4, excerpts: ['"sources":'] }],
              },
            },
          ],
        },
      ],
      // An empty answer adds nothing to the transcript, so that the turn is the same one.
      'empty-once': ({ turn, request }) =>
        turn === 1 ? submitReport : lastMessage({ body: request }).includes(NUDGE) ? listSources : silent,
      'empty-always': () => silent,
      refusal: [listSources, refusal],
      'max-tokens': [
        { text: 'I begin at the very beginning, which', stopReason: 'max_tokens' },
        { toolUses: [{ name: 'list_sources', rawInput: '{"sour' }], stopReason: 'max_tokens' },
        listSources,
        {
          toolUses: [
            {
              ...submitReport.toolUses![0]!,
              input: {
                ...submitReport.toolUses![0]!.input,
                citations: [{ n: 1, evidence: 2, excerpts: ['"sources":'] }],
              },
            },
          ],
        },
      ],
      unauthorised: () => ({
        error: { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
      }),
      'unauthorised-late': [
        listSources,
        { error: { status: 401, type: 'authentication_error', message: 'this key was revoked' } },
      ],
      invalid: () => ({ error: { status: 400, type: 'invalid_request_error', message: 'prompt is too long' } }),
    });
    harness = await startHarness({
      script: (context) => {
        const name = caseOf({ body: context.request });
        askedAt.set(name, [...(askedAt.get(name) ?? []), performance.now()]);
        return script(context);
      },
    });
  });
  after(() => harness?.stop());

  it('429: waits as long as Retry-After says', async () => {
    const { run, detail } = await runCase(harness, 'rate-limited');
    assert.equal(detail.status, 'completed');
    assert.equal(run.requests.length, 3);
    const [first, second] = askedAt.get('rate-limited')!;
    // The usual first pause is one second.
    assert.ok(second! - first! >= RETRY_AFTER_SECONDS * 1_000, `asked again after ${second! - first!} ms`);
  });

  it('529 and 500: asks again', async () => {
    const { run, detail } = await runCase(harness, 'overloaded');
    assert.equal(detail.status, 'completed');
    assert.equal(run.requests.length, 4);
    assert.equal(detail.usage.api_calls_count, 2);
  });

  it('529 for ever: gives up after a bounded number of attempts and says why', async () => {
    const { run, detail } = await runCase(harness, 'always-overloaded');
    assert.equal(detail.status, 'failed');
    assert.equal(run.requests.length, ATTEMPTS);
    assert.match(detail.investigation_text, /The model API answered with an error: Scripted error/);
    assert.equal(detail.limit_reached, 'model_failure');
  });

  it('a stream that is cut, in the middle or just before its end: asked again, and clients drop the cut text', async () => {
    const run = await CaseRun.start(harness, 'cut');
    const follower = followRun({
      url: `${harness.url}/api/investigations/${run.id}/events`,
      headers: { 'x-api-key': harness.apiKey },
    });
    await follower.until(({ type, data }) => type === 'thinking.delta' && data.attempt === 2, 'what will be cut');
    harness.model.release('cut');
    const detail = await run.ended();
    assert.equal(detail.status, 'completed');
    assert.deepEqual(
      run.requests.map(({ turn, attempt }) => [turn, attempt]),
      [
        [0, 0],
        [0, 1],
        [0, 2],
        [1, 0],
      ],
    );
    await follower.ended;
    for (const { step, text, reasoning } of detail.steps) {
      const { text: shown, thinking } = assembleSteps(follower.events).get(step)!;
      assert.deepEqual({ shown, thinking }, { shown: text, thinking: reasoning });
    }
  });

  it('an error in the middle of the stream: asked again', async () => {
    const { run, detail } = await runCase(harness, 'stream-error');
    assert.equal(detail.status, 'completed');
    assert.equal(run.requests.length, 3);
  });

  it('wrong input, malformed JSON, an unknown tool: each call has an answer the model can act on', async () => {
    const { run, detail } = await runCase(harness, 'bad-calls');
    assert.equal(detail.status, 'completed');
    assert.deepEqual(
      detail.steps[0]!.tool_calls.map(({ is_error }) => is_error),
      [true, true, true, false],
    );
    const answers = lastMessage(run.requests[1]!);
    assert.match(answers, /The input of promql is not valid/);
    assert.match(answers, /There is no tool .*drop_database/);
    assert.match(answers, /list_sources/);
  });

  it('an empty answer: nudged, and goes on', async () => {
    const { run, detail } = await runCase(harness, 'empty-once');
    assert.equal(detail.status, 'completed');
    assert.equal(detail.limit_reached, null);
    assert.match(lastMessage(run.requests[1]!), new RegExp(NUDGE));
    assert.equal(run.requests.length, 3);
  });

  it('empty answers for ever: ends with a report that says so', async () => {
    const { run, detail } = await runCase(harness, 'empty-always');
    assert.equal(detail.status, 'completed');
    assert.equal(detail.limit_reached, 'no_report');
    assert.match(detail.investigation_text, /the model ended without submitting a report/);
    assert.equal(run.requests.length, 5);
  });

  it('a refusal: ends with a report that says so', async () => {
    const { run, detail } = await runCase(harness, 'refusal');
    assert.equal(detail.status, 'completed');
    assert.equal(detail.limit_reached, 'refusal');
    assert.match(detail.investigation_text, /the model declined to answer/);
    assert.equal(run.requests.length, 2);
  });

  it('max_tokens, in text and in the input of a call: told to be brief, and goes on', async () => {
    const { run, detail } = await runCase(harness, 'max-tokens');
    assert.equal(detail.status, 'completed');
    assert.equal(detail.limit_reached, null);
    assert.match(lastMessage(run.requests[1]!), /cut off because it was too long/);
    assert.match(lastMessage(run.requests[2]!), /cut off because it was too long/);
    assert.equal(detail.steps[1]!.tool_calls[0]!.is_error, true);
  });

  it('401: fails at once with the explanation', async () => {
    const { run, detail } = await runCase(harness, 'unauthorised');
    assert.equal(detail.status, 'failed');
    assert.match(detail.investigation_text, /invalid x-api-key/);
    assert.equal(run.requests.length, 1);
  });

  it('401 in the middle of a run: fails with the explanation, and says what was collected', async () => {
    const { run, detail } = await runCase(harness, 'unauthorised-late');
    assert.equal(detail.status, 'failed');
    assert.match(detail.investigation_text, /this key was revoked/);
    assert.match(detail.investigation_text, /Tool results that were collected and are kept with it: 1\./);
    assert.equal(run.requests.length, 2);
  });

  it('400: fails at once with the explanation', async () => {
    const { run, detail } = await runCase(harness, 'invalid');
    assert.equal(detail.status, 'failed');
    assert.match(detail.investigation_text, /prompt is too long/);
    assert.equal(run.requests.length, 1);
  });
});
