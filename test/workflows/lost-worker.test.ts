/** A worker that is lost is noticed by its missing heartbeats alone: what it was told in the meantime it never heard. */
import assert from 'node:assert/strict';
import type { ModelTurnInput, ModelTurnResult } from '../../src/features/runs/contract.ts';
import { workflowBundle } from '../support/own-programs.ts';
import {
  answer,
  silence,
  startPlayedWorkflow,
  type PlayedRun,
  type PlayedWorkflow,
} from '../support/played-workflow.ts';

describe('a worker that is lost', () => {
  let workflow: PlayedWorkflow;
  let whileCancelled: Promise<PlayedRun>;
  let whileTimeRunsOut: Promise<PlayedRun>;

  before(async () => {
    workflow = await startPlayedWorkflow(workflowBundle('kills'));
    // Each takes the heartbeat time-out: they take it at once.
    whileCancelled = playCancelled();
    whileTimeRunsOut = playTimeRunsOut();
    await Promise.allSettled([whileCancelled, whileTimeRunsOut]);
  });
  after(() => workflow?.stop());

  const playCancelled = (): Promise<PlayedRun> => {
    const thinking = Promise.withResolvers<void>();
    const modelTurn = (): Promise<never> => {
      thinking.resolve();
      return silence();
    };
    return workflow.play({
      activities: { modelTurn },
      meanwhile: async ({ handle }) => {
        await thinking.promise;
        await handle.signal('cancel', { reason: 'asked' });
      },
    });
  };
  const playTimeRunsOut = (): Promise<PlayedRun> => {
    const refusing = (input: ModelTurnInput): ModelTurnResult => ({ ...answer(input), stopReason: 'refusal' });
    const modelTurn = (input: ModelTurnInput): Promise<ModelTurnResult> =>
      input.mode === 'conclude' ? Promise.resolve(refusing(input)) : silence();
    return workflow.play({ activities: { modelTurn }, budget: { maxWallSeconds: 1 } });
  };

  it('while the run is cancelled: the run is cancelled, not failed', async () => {
    const { recorded } = await whileCancelled;
    assert.deepEqual(
      recorded.map(({ outcome, explanation }) => [outcome, explanation]),
      [['cancelled', 'asked']],
    );
  });

  it('while the time runs out: the run ends with a report that names the limit, not failed', async () => {
    const { recorded } = await whileTimeRunsOut;
    assert.deepEqual(
      recorded.map(({ outcome, limit }) => [outcome, limit]),
      [['completed', 'wall_time']],
    );
  });
});
