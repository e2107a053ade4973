/**
 * `kill -9` while a satellite works on a query, of every process there is, with either event log: the query is answered,
 * or its asker is told in time why not, and no system behind a satellite is asked again for what is known already.
 */
import * as nodes from './satellites/nodes.ts';
import * as runs from './satellites/runs.ts';
import * as satellites from './satellites/satellite.ts';
import * as servers from './satellites/servers.ts';
import { onBoth, usePlaces, type Place } from './support/satellite-places.ts';

describe('kill -9 while a satellite works on a query @never-forgiven', () => {
  const places = usePlaces({ workers: 1, script: runs.playSatellites });
  const both = (title: string, test: (place: Place) => Promise<void>) => it(title, () => onBoth(places(), test));

  describe('the satellite, and workers that wait for it', () => {
    /** Most of it is waiting: it begins before the other tests of the suite, and they run meanwhile. */
    const meanwhile = (title: string, run: () => Promise<void>): void => {
      let done: Promise<void> | undefined;
      before(() => {
        done = run();
        done.catch(() => undefined);
      });
      it(title, () => done);
    };

    both('started again in time: the query is asked once more, and answered', satellites.killedAndStartedAgain);
    meanwhile('not started again: a 503 that says since when, and the list says offline', () =>
      onBoth(places(), satellites.killedForGood),
    );
    meanwhile('its token is revoked: it says why, tries ever less often, and is back with another token', () =>
      satellites.sentAwayForItsToken(places().postgresql),
    );
    let killed: Promise<void> | undefined;
    meanwhile(
      'the worker, while the answer comes: the next attempt finds it in the event log',
      () => (killed = onBoth(places(), runs.workerKilled)),
    );
    meanwhile('the worker is asked to end: its run goes on, and nothing is asked again', async () => {
      await killed;
      await onBoth(places(), runs.workerAskedToEnd);
    });
    meanwhile('frozen: it is offline after a while of silence, is back when it is thawed, and lost no work', () =>
      onBoth(places(), satellites.frozenAndThawed),
    );
  });

  describe('the satellite, of a tool that may act', () => {
    both('nobody acts twice, and who asked is told what is not known', runs.killedWhileItActs);
    both('the worker, while a person is asked and after the approval: it acts once', runs.workerKilledAroundApproval);
  });

  describe('the API node that holds the connection', () => {
    both('the satellite goes to the other node, and what it was asked is answered, done once', nodes.killed);
    both('asked to end: satellites are sent away, are back at once, and answer what they were asked', nodes.askedToEnd);
  });

  describe('the event log', () => {
    it('Redis: the answer is stored when it is back', () => servers.redisKilled(places().redis));
    it('PostgreSQL: the query ends, and the satellite is asked as before when it is back', () =>
      servers.postgresKilled(places().postgresql));
  });
});
