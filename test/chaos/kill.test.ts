/** What README promises of investigations: any process may be killed, also all at once. The full tier has every moment. */
import assert from 'node:assert/strict';
import { waitUntil } from '../support/wait-until.ts';
import {
  checkAsked,
  checkAskedOnce,
  checkCompleted,
  checkCutAtMostOnceMore,
  HELD_TURN,
  startCase,
  startHeldPair,
  STEP_OF_HELD_TURN,
} from './support/cases.ts';
import { useInstallation } from './support/use-installation.ts';

describe('kill -9 @never-forgiven', () => {
  const installation = useInstallation();

  it('the worker, in the middle of a model turn and of a tool call: only what was cut is asked again, once', async () => {
    const [turn, tool] = await startHeldPair(installation(), 'worker-middle');
    await installation().kill('worker');
    await waitUntil(() => (turn.cutOff() && tool.cutOff()) || undefined, {
      what: 'the servers to see the worker gone',
    });
    for (const one of [turn, tool]) one.release();

    await checkCompleted(installation(), turn);
    await checkAsked(installation(), turn, { model: [1, 2, 1, 1] });
    const asked = turn.asked(HELD_TURN);
    assert.deepEqual(
      asked.map(({ aborted, finished }) => ({ aborted, finished })),
      asked.map((_, index) => ({ aborted: index < asked.length - 1, finished: index === asked.length - 1 })),
    );
    const attempts = turn.follower.events.filter(
      ({ type, data }) => type === 'turn.started' && data.step === STEP_OF_HELD_TURN,
    );
    assert.deepEqual(
      attempts.map(({ data }) => data.attempt),
      asked.map((_, index) => index + 1),
    );

    await checkCompleted(installation(), tool);
    await checkAsked(installation(), tool, { tool: [1, 2, 1] });
  });

  it('all processes in the same moment', async () => {
    const pair = await startHeldPair(installation(), 'everything');
    const between = await startCase(installation(), 'everything-between', 'nothing');
    await between.follower.until(
      ({ type, data }) => type === 'tool.completed' && data.step === STEP_OF_HELD_TURN,
      'the stored result',
    );
    await installation().kill('worker', 'api', 'postgres', 'temporal');
    const tool = between.toolRequests()[HELD_TURN];
    for (const one of pair) one.release();
    for (const one of [...pair, between]) await checkCompleted(installation(), one);
    await checkCutAtMostOnceMore(installation(), pair);
    await checkAskedOnce(installation(), between, { tool });
  });
});
