import assert from 'node:assert/strict';
import { ActivityCancellationDetails } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { withHeartbeat } from '../../activities/attempt.ts';

describe('an attempt of an activity', () => {
  it('knows its number, and was not asked to stop', async () => {
    const environment = new MockActivityEnvironment({ attempt: 3 });
    const seen = await environment.run(() =>
      withHeartbeat(async (attempt) => [attempt.number, attempt.signal.aborted, attempt.cancelRequested()]),
    );
    assert.deepEqual(seen, [3, false, false]);
  });

  for (const [why, details, asked] of [
    ['the run was cancelled', { cancelRequested: true }, true],
    ['the worker stops', { workerShutdown: true }, false],
    ['it was thought lost', { timedOut: true }, false],
  ] as const) {
    it(`stops when ${why}, and knows that this was ${asked ? '' : 'not '}asked for`, async () => {
      const environment = new MockActivityEnvironment();
      const stopped = environment.run(() =>
        withHeartbeat(async ({ signal, cancelRequested }) => {
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          return cancelRequested();
        }),
      );
      environment.cancel('CANCELLED', new ActivityCancellationDetails(details));
      assert.equal(await stopped, asked);
    });
  }
});
