/**
 * `kill -9` of the product's own processes, at more moments than `kill.test.ts` has: each run completes under its own id, nothing
 * that was done is done again, and whoever follows a run misses nothing and sees nothing twice.
 */
import assert from 'node:assert/strict';
import { waitUntil } from '../support/wait-until.ts';
import { followRun } from '../support/run-follower.ts';
import { pollStatus } from '../support/status-poller.ts';
import {
  checkAskedOnce,
  checkCompleted,
  HELD_TURN,
  startCase,
  startHeldPair,
  STEP_OF_HELD_TURN,
  TURNS,
} from './support/cases.ts';
import { useInstallation } from './support/use-installation.ts';

describe('kill -9 of worker and API @never-forgiven', () => {
  const installation = useInstallation();

  describe('the worker', () => {
    for (const [what, type] of [
      ['a model turn', 'turn.completed'],
      ['a tool call', 'tool.completed'],
    ] as const) {
      it(`right after ${what} was stored: nothing is asked again`, async () => {
        const running = await startCase(installation(), `worker-after-${type.replace('.', '-')}`, 'nothing');
        await running.follower.until(
          (event) => event.type === type && event.data.step === STEP_OF_HELD_TURN,
          `${type} of step ${STEP_OF_HELD_TURN}`,
        );
        await installation().kill('worker');
        const [model, tool] = [running.modelRequests()[HELD_TURN], running.toolRequests()[HELD_TURN]];
        await checkCompleted(installation(), running);
        await checkAskedOnce(installation(), running, type === 'turn.completed' ? { model } : { tool });
      });
    }

    it('when a turn and a result are stored and Temporal never hears of them: the stored ones are taken', async () => {
      const pair = await startHeldPair(installation(), 'worker-unreported');
      // A server that is only stopped would find the report in its socket later on: it must die with it.
      process.kill(installation().pid('temporal')!, 'SIGSTOP');
      for (const one of pair) one.release();
      for (const [{ follower }, type] of [
        [pair[0], 'turn.completed'],
        [pair[1], 'tool.completed'],
      ] as const) {
        await follower.until((event) => event.type === type && event.data.step === STEP_OF_HELD_TURN, type);
      }
      await installation().kill('worker', 'temporal');
      const [model, tool] = [pair[0].modelRequests()[HELD_TURN], pair[1].toolRequests()[HELD_TURN]];
      for (const one of pair) await checkCompleted(installation(), one);
      await checkAskedOnce(installation(), pair[0], { model });
      await checkAskedOnce(installation(), pair[1], { tool });
    });
  });

  describe('the API', () => {
    it('while clients follow and poll: they resume, and the runs do not notice', async () => {
      const [turn, tool] = await startHeldPair(installation(), 'api');
      const url = `${installation().apiUrl}/api/investigations/${turn.id}/events`;
      const followers = Array.from({ length: 5 }, () => followRun({ url, headers: installation().headers }));
      const pollers = [turn, tool].flatMap(({ id }) =>
        Array.from({ length: 5 }, () =>
          pollStatus({ url: `${installation().apiUrl}/api/v1/investigations/${id}`, headers: installation().headers }),
        ),
      );
      await Promise.all(followers.map((one) => one.until(({ type }) => type === 'text.delta', 'the first text')));
      await waitUntil(() => pollers.every(({ statuses }) => statuses.length > 0) || undefined, {
        what: 'the first answer of each poller',
      });

      installation().freeze();
      try {
        await installation().kill('api');
        // What happens while nobody can be told must be told afterwards.
        for (const one of [turn, tool]) one.release();
        await waitUntil(() => turn.modelRequests()[TURNS - 1]! > 0 || undefined, {
          what: 'the last turn',
        });
      } finally {
        installation().thaw();
      }
      for (const one of [turn, tool]) {
        await checkCompleted(installation(), one);
        await checkAskedOnce(installation(), one);
        assert.equal(one.follower.connections(), 2);
      }
      await Promise.all(followers.map((one) => one.ended));
      for (const one of followers) assert.deepEqual(one.events, turn.follower.events);
      await waitUntil(() => (pollers.every(({ statuses }) => statuses.includes('completed')) ? true : undefined), {
        what: 'the pollers to see the end',
      });
      await Promise.all(pollers.map((one) => one.stop()));
      for (const { statuses, faults } of pollers) {
        assert.deepEqual(statuses, ['processing', 'completed']);
        assert.deepEqual(faults, []);
      }
    });

    it('between accepting an investigation and starting it: it starts, and repeating the request starts no second one', async () => {
      const name = 'api-accepting';
      const key = { 'idempotency-key': name };
      const query = `[case ${name}] Checkout is slow.`;
      const accepted = async () => {
        const { items } = await installation().get<{ items: { id: string; query: string }[] }>('/api/investigations');
        return items.filter((item) => item.query === query).map(({ id }) => id);
      };
      process.kill(installation().pid('temporal')!, 'SIGSTOP');
      // It may be answered before the kill.
      const unanswered = installation()
        .investigate(query, key)
        .catch(() => undefined);
      await waitUntil(async () => ((await accepted()).length > 0 ? true : undefined), {
        what: 'the stored investigation',
      });
      await installation().kill('api', 'temporal');
      await unanswered;
      await installation().untilReady();
      const running = await startCase(installation(), name, 'nothing', key);
      await checkCompleted(installation(), running);
      await checkAskedOnce(installation(), running);
      assert.deepEqual(await accepted(), [running.id]);
    });
  });
});
