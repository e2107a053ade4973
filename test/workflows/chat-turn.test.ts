/** The workflow of a chat's turn when its activities end in ways the product's own seldom do. */
import assert from 'node:assert/strict';
import type { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { withHeartbeat } from '../../activities/attempt.ts';
import type { ChatTurnRef } from '../../src/features/chats/contract.ts';
import type { ModelTurnInput, ToolCallResult } from '../../src/features/runs/contract.ts';
import { answer, startPlayedWorkflow, words, type PlayedRun, type PlayedWorkflow } from '../support/played-workflow.ts';

const found: ToolCallResult = { digest: 'found', isError: false, finished: false };
const forGood = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message);

/** Works until it is told to stop. */
const untilStopped = (): Promise<never> =>
  withHeartbeat(
    ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  );

/** Why a workflow failed; undefined when it did not. */
const failureOf = ({ handle }: PlayedRun): Promise<Error | undefined> =>
  handle.result().then(
    () => undefined,
    ({ cause }: WorkflowFailedError) => cause,
  );
const endsOf = ({ recordedTurns }: PlayedRun): unknown[] =>
  recordedTurns.map(({ outcome, limit, explanation }) => [outcome, limit, explanation]);

describe('the workflow of a chat’s turn', () => {
  let workflow: PlayedWorkflow;
  before(async () => {
    workflow = await startPlayedWorkflow();
  });
  after(() => workflow?.stop());

  it('begins where the chat’s earlier turns ended, and ends with the first answer in words', async () => {
    const turns: ModelTurnInput[] = [];
    const run = await workflow.play({
      chat: { startAfter: 7 },
      activities: {
        modelTurn: async (input) => (turns.push(input) === 1 ? answer(input, 'look') : words(input)),
        callTool: async () => found,
      },
    });
    assert.deepEqual(
      turns.map(({ step, mode, kind }) => [step, mode, kind]),
      [
        [8, 'work', 'chat'],
        [9, 'work', 'chat'],
      ],
    );
    assert.equal(turns[0]?.runId, run.recordedTurns[0]?.turnId);
    assert.deepEqual(endsOf(run), [['completed', undefined, undefined]]);
    assert.deepEqual(await run.handle.result(), { status: 'completed' });
  });

  it('continues as new within a turn: no step is taken twice, the limits go on, and the chat is named once', async () => {
    const steps: number[] = [];
    const named: ChatTurnRef[] = [];
    const run = await workflow.play({
      chat: { startAfter: 3, wantsTitle: true },
      budget: { stepsPerHistory: 2, maxSteps: 5 },
      activities: {
        modelTurn: async (input) => {
          steps.push(input.step);
          return input.mode === 'conclude' ? words(input) : answer(input, `look-${input.step}`);
        },
        callTool: async () => found,
        nameChat: async (input) => {
          named.push(input);
          return { title: 'A name' };
        },
      },
    });
    assert.deepEqual(steps, [4, 5, 6, 7, 8, 9]);
    assert.deepEqual(endsOf(run), [['completed', 'steps', undefined]]);
    assert.equal(named.length, 1);
    const events = await run.history();
    const carried = events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
    assert.ok(carried, 'the last history is a continued one');
  });

  it('is cancelled in the middle of a model turn, with the reason', async () => {
    const thinking = Promise.withResolvers<void>();
    const run = await workflow.play({
      chat: { wantsTitle: true },
      activities: {
        modelTurn: () => {
          thinking.resolve();
          return untilStopped();
        },
      },
      meanwhile: async ({ handle }) => {
        await thinking.promise;
        await handle.signal('cancel', { reason: 'asked' });
      },
    });
    assert.deepEqual(endsOf(run), [['cancelled', undefined, 'asked']]);
    assert.deepEqual(await run.handle.result(), { status: 'cancelled' });
  });

  it('is cancelled also when that was asked for before its first step', async () => {
    const run = await workflow.play({
      chat: {},
      activities: { modelTurn: untilStopped },
      meanwhile: ({ handle }) => handle.signal('cancel', { reason: 'at once' }),
    });
    assert.deepEqual(endsOf(run), [['cancelled', undefined, 'at once']]);
  });

  it('records its end as often as it takes, until the database is back', async () => {
    let away = 3;
    const run = await workflow.play({
      chat: {},
      activities: {
        modelTurn: async (input) => words(input),
        finishChatTurn: async ({ outcome }) => {
          if ((away -= 1) >= 0) throw new Error('the database is away');
          return { status: outcome, digest: 'recorded' };
        },
      },
    });
    assert.equal(run.recordedTurns.length, 4);
    assert.deepEqual(new Set(run.recordedTurns.map(({ outcome }) => outcome)), new Set(['completed']));
    assert.deepEqual(await run.handle.result(), { status: 'completed' });
  });

  it('records its end although an operator cancels it meanwhile', async () => {
    const recording = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    const run = await workflow.play({
      chat: {},
      activities: {
        modelTurn: async (input) => words(input),
        finishChatTurn: async ({ outcome }) => {
          recording.resolve();
          await cancelled.promise;
          return { status: outcome, digest: 'recorded' };
        },
      },
      meanwhile: async ({ handle, untilHistory }) => {
        await recording.promise;
        await handle.cancel();
        await untilHistory('the request to cancel', (events) =>
          events.some((event) => event.workflowExecutionCancelRequestedEventAttributes),
        );
        cancelled.resolve();
      },
    });
    assert.deepEqual(endsOf(run), [['completed', undefined, undefined]]);
    assert.deepEqual(await run.handle.result(), { status: 'completed' });
  });

  it('is no worse for a name that could not be found', async () => {
    let asked = 0;
    const run = await workflow.play({
      chat: { wantsTitle: true },
      activities: {
        modelTurn: async (input) => words(input),
        nameChat: () => {
          asked += 1;
          return Promise.reject(forGood('no name comes to mind'));
        },
      },
    });
    assert.equal(asked, 1);
    assert.deepEqual(await run.handle.result(), { status: 'completed' });
  });

  it('fails for operators too when the model cannot answer, and names no chat', async () => {
    const run = await workflow.play({
      chat: { wantsTitle: true },
      activities: {
        modelTurn: () => Promise.reject(forGood('the key is wrong')),
        finishChatTurn: async () => ({ status: 'failed', digest: 'no answer: the key is wrong' }),
      },
    });
    assert.deepEqual(endsOf(run), [['failed', 'model_failure', 'the key is wrong']]);
    const failure = await failureOf(run);
    assert.ok(failure instanceof ApplicationFailure);
    assert.deepEqual([failure.type, failure.message], ['ChatTurnFailed', 'no answer: the key is wrong']);
  });

  it('asks three times for words, then once more without tools, and then records what there is', async () => {
    const modes: string[] = [];
    const run = await workflow.play({
      chat: {},
      activities: {
        modelTurn: async (input) => {
          modes.push(input.mode);
          return answer(input);
        },
        finishChatTurn: async () => ({ status: 'failed', digest: 'no answer' }),
      },
    });
    assert.deepEqual(modes, ['work', 'work', 'work', 'conclude', 'conclude']);
    assert.deepEqual(endsOf(run), [['completed', 'no_report', undefined]]);
  });
});
