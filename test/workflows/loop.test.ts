/** The agent loop when its activities end in ways the product's own seldom do. */
import assert from 'node:assert/strict';
import { ApplicationFailure } from '@temporalio/common';
import type { ModelTurnInput, ToolCallInput, ToolCallResult } from '../../src/features/runs/contract.ts';
import { answer, startPlayedWorkflow, type HistoryEvent, type PlayedWorkflow } from '../support/played-workflow.ts';

const found: ToolCallResult = { digest: 'found', isError: false, finished: false };
const accepted: ToolCallResult = { digest: 'accepted', isError: false, finished: true };
const forGood = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message);

const isScheduled = (name: string) => (event: HistoryEvent) =>
  event.activityTaskScheduledEventAttributes?.activityType?.name === name;
const isSeen = ({ workflowTaskCompletedEventAttributes }: HistoryEvent): boolean =>
  Boolean(workflowTaskCompletedEventAttributes);

describe('the agent loop', () => {
  let workflow: PlayedWorkflow;
  before(async () => {
    workflow = await startPlayedWorkflow();
  });
  after(() => workflow?.stop());

  it('goes on when a tool call cannot be made, however often it is tried', async () => {
    const { recorded } = await workflow.play({
      activities: {
        modelTurn: async (input) => answer(input, input.step === 1 ? 'broken' : 'report'),
        async callTool({ toolCallId }) {
          if (toolCallId.startsWith('broken')) throw forGood('it kills every worker');
          return accepted;
        },
      },
    });
    assert.deepEqual(
      recorded.map(({ outcome, limit }) => [outcome, limit]),
      [['completed', undefined]],
    );
  });

  it('does not count the wait for a person as time of the run', async () => {
    const { recorded } = await workflow.play({
      activities: {
        async modelTurn(input) {
          const turn = answer(input, input.step === 1 ? 'asking' : 'report');
          if (input.step > 1) return turn;
          return { ...turn, toolCalls: turn.toolCalls.map((call) => ({ ...call, needsApproval: true as const })) };
        },
        requestApproval: async () => ({ approvalId: 'nobody decides', waitMs: 12_000 }),
        callTool: async ({ toolCallId }) => (toolCallId.startsWith('asking') ? found : accepted),
      },
      budget: { maxWallSeconds: 10 },
    });
    assert.deepEqual(
      recorded.map(({ outcome, limit }) => [outcome, limit]),
      [['completed', undefined]],
    );
  });

  it('asks for the result when the time is up, although the turn failed instead of being cancelled', async () => {
    const toldToStop = Promise.withResolvers<void>();
    const { recorded } = await workflow.play({
      activities: {
        async modelTurn(input) {
          if (input.mode === 'conclude') return answer(input, 'report');
          await toldToStop.promise;
          throw forGood('the event log is away');
        },
        callTool: async () => accepted,
      },
      budget: { maxWallSeconds: 1 },
      async meanwhile({ untilHistory }) {
        await untilHistory('the cancellation of the turn', (events) =>
          events.some((event) => event.activityTaskCancelRequestedEventAttributes),
        );
        toldToStop.resolve();
      },
    });
    assert.deepEqual(
      recorded.map(({ outcome, limit }) => [outcome, limit]),
      [['completed', 'wall_time']],
    );
  });

  it('is cancelled when an operator cancels it while it concludes', async () => {
    const concluding = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    const { recorded } = await workflow.play({
      activities: {
        async modelTurn(input) {
          if (input.mode === 'conclude') {
            concluding.resolve();
            await cancelled.promise;
          }
          return answer(input, 'look');
        },
        callTool: async () => found,
      },
      budget: { maxSteps: 1 },
      async meanwhile({ handle }) {
        await concluding.promise;
        await handle.cancel();
        cancelled.resolve();
      },
    });
    assert.deepEqual(
      recorded.map(({ outcome }) => outcome),
      ['cancelled'],
    );
  });

  it('has no tool call under way when the end is recorded', async () => {
    const calls = { quick: Promise.withResolvers<void>(), slow: Promise.withResolvers<void>() };
    const [quickEnds, slowEnds] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { recorded, history } = await workflow.play({
      activities: {
        modelTurn: async (input) => answer(input, 'quick', 'slow'),
        async callTool({ toolCallId }: ToolCallInput) {
          if (toolCallId.startsWith('quick')) {
            calls.quick.resolve();
            await quickEnds.promise;
            throw forGood('stopped');
          }
          calls.slow.resolve();
          await slowEnds.promise;
          return found;
        },
      },
      async meanwhile({ handle, untilHistory }) {
        await Promise.all([calls.quick.promise, calls.slow.promise]);
        await handle.signal('cancel', { reason: 'asked' });
        quickEnds.resolve();
        await untilHistory('the workflow to see that one call has ended', (events) => {
          const ended = events.findIndex((event) => event.activityTaskFailedEventAttributes);
          return ended >= 0 && events.slice(ended).some(isSeen);
        });
        slowEnds.resolve();
      },
    });
    assert.equal(recorded[0]?.outcome, 'cancelled');
    const events = await history();
    const slowEnded = events.findLastIndex(
      ({ activityTaskCompletedEventAttributes: completed }) =>
        completed && isScheduled('callTool')(events[Number(completed.scheduledEventId) - 1]!),
    );
    assert.ok(slowEnded >= 0);
    assert.ok(slowEnded < events.findIndex(isScheduled('finishInvestigation')));
  });

  it('takes another turn when a message waits at the moment of the record', async () => {
    const turns: ModelTurnInput[] = [];
    const { recorded } = await workflow.play({
      activities: {
        async modelTurn(input) {
          turns.push(input);
          return answer(input, 'report');
        },
        callTool: async () => accepted,
        finishInvestigation: async () => ({ status: turns.length === 1 ? 'processing' : 'completed', title: 'played' }),
      },
    });
    assert.deepEqual(
      turns.map(({ step, mode }) => [step, mode]),
      [
        [1, 'work'],
        [2, 'work'],
      ],
    );
    assert.deepEqual(
      recorded.map(({ outcome, unlessUnread }) => [outcome, unlessUnread]),
      [
        ['completed', true],
        ['completed', true],
      ],
    );
  });
});
