/** `kill -9` of the servers the product stands on: what is complete is kept until it is stored. */
import assert from 'node:assert/strict';
import { waitUntil } from '../support/wait-until.ts';
import { pollStatus } from '../support/status-poller.ts';
import {
  checkAsked,
  checkAskedOnce,
  checkCompleted,
  checkCutAtMostOnceMore,
  HELD_TURN,
  startCase,
  startHeldPair,
  STEP_OF_HELD_TURN,
  untilHeld,
  type RunningCase,
} from './support/cases.ts';
import { useInstallation } from './support/use-installation.ts';

describe('kill -9 of the servers @never-forgiven', () => {
  const installation = useInstallation();

  describe('PostgreSQL', () => {
    it('in the middle of a model turn and of a tool call: nothing is asked again', async () => {
      const pair = await startHeldPair(installation(), 'postgres-middle');
      const poller = pollStatus({
        url: `${installation().apiUrl}/api/v1/investigations/${pair[0].id}`,
        headers: installation().headers,
      });
      await waitUntil(() => poller.statuses.length > 0 || undefined, { what: 'the first answer' });
      await installation().kill('postgres');
      await installation().untilReady();
      for (const one of pair) one.release();
      for (const one of pair) {
        await checkCompleted(installation(), one);
        await checkAskedOnce(installation(), one);
      }
      await waitUntil(() => (poller.statuses.includes('completed') ? true : undefined), {
        what: 'the poller to see the end',
      });
      await poller.stop();
      assert.deepEqual(
        { statuses: poller.statuses, faults: poller.faults },
        { statuses: ['processing', 'completed'], faults: [] },
      );
    });

    it('when a complete answer and a complete result wait to be stored: both are kept until they are', async () => {
      const pair = await startHeldPair(installation(), 'postgres-storing');
      const [turn, tool] = pair;
      installation().freeze();
      try {
        await installation().kill('postgres');
        for (const one of pair) one.release();
        const delivered = () =>
          turn.asked(HELD_TURN)[0]!.finished &&
          installation().prometheus.queries.some(
            ({ expr, finished }) => expr.includes(`gate="${tool.name}"`) && finished,
          );
        await waitUntil(() => (delivered() ? true : undefined), { what: 'the answers' });
      } finally {
        installation().thaw();
      }
      for (const one of pair) {
        await checkCompleted(installation(), one);
        await checkAskedOnce(installation(), one);
      }
    });
  });

  describe('the Temporal server', () => {
    it('in the middle of a model turn and of a tool call: what goes on in the worker is not lost', async () => {
      const pair = await startHeldPair(installation(), 'temporal-middle');
      await installation().kill('temporal');
      await installation().untilReady();
      for (const one of pair) one.release();
      for (const one of pair) await checkCompleted(installation(), one);
      await checkCutAtMostOnceMore(installation(), pair);
    });

    it('when answers complete while it is away: they are reported when it is back', async () => {
      const pair = await startHeldPair(installation(), 'temporal-away');
      const [turn, tool] = pair;
      installation().freeze();
      try {
        await installation().kill('temporal');
        for (const one of pair) one.release();
        await turn.follower.until(
          ({ type, data }) => type === 'turn.completed' && data.step === STEP_OF_HELD_TURN,
          'the stored turn',
        );
        await tool.follower.until(
          ({ type, data }) => type === 'tool.completed' && data.step === STEP_OF_HELD_TURN,
          'the stored result',
        );
      } finally {
        installation().thaw();
      }
      for (const one of pair) {
        await checkCompleted(installation(), one);
        await checkAskedOnce(installation(), one);
      }
    });

    it('when an investigation is accepted while it is away: it starts when it is back', async () => {
      installation().freeze();
      let running: RunningCase;
      try {
        await installation().kill('temporal');
        running = await startCase(installation(), 'temporal-accepted', 'nothing');
      } finally {
        installation().thaw();
      }
      await checkCompleted(installation(), running);
      await checkAskedOnce(installation(), running);
    });

    it('when a cancellation is accepted while it is away: the run is cancelled when it is back', async () => {
      const running = await startCase(installation(), 'temporal-cancelled', 'model');
      await untilHeld(installation(), running);
      installation().freeze();
      try {
        await installation().kill('temporal');
        const response = await fetch(`${installation().apiUrl}/api/investigations/${running.id}/cancel`, {
          method: 'POST',
          headers: installation().headers,
        });
        assert.equal(response.status, 200);
      } finally {
        installation().thaw();
      }
      await running.follower.ended;
      assert.equal(running.follower.events.at(-1)?.type, 'run.cancelled');
      const { status } = await installation().get<{ status: string }>(`/api/v1/investigations/${running.id}`);
      assert.equal(status, 'cancelled');
      await waitUntil(() => running.cutOff() || undefined, { what: 'the request to be dropped' });
      await checkAsked(installation(), running, { model: [1, 1, 0, 0], tool: [1, 0, 0] });
    });
  });
});
