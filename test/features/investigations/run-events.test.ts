import assert from 'node:assert/strict';
import { endEvent, runEvents } from '../../../src/features/investigations/events.ts';
import { Investigation } from '../../../src/features/investigations/index.ts';
import { conversationStream } from '../../../src/features/runs/index.ts';
import { forTeam } from '../../../src/db/team-filter.ts';
import type { InvestigationStatus } from '../../../src/features/investigations/contract.ts';
import { createEventLog, type EventLog } from '../../../src/platform/event-log/index.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { takeAway } from '../../support/event-log-outage.ts';
import { storeInvestigation, type StoredInvestigation } from '../../support/investigation-rows.ts';

const CHECK_MS = 20;

describe('events of a run, to whoever follows it', () => {
  let database: TestDatabase;
  let events: EventLog;
  let run: StoredInvestigation;
  let following: AbortController;

  before(async () => {
    database = await createTestDatabase();
    events = createEventLog({ databaseUrl: database.url, log: createLogger({ name: 'test', level: 'silent' }) });
  });
  after(async () => {
    await events?.close();
    await database?.drop();
  });
  beforeEach(async () => {
    run = await storeInvestigation(database.orm);
    following = new AbortController();
    await events.append(conversationStream(run.id), [{ type: 'run.started', data: {} }]);
  });
  afterEach(() => following.abort());

  /** Ends the run without a word to the log: the process died, or the log was away, after the row was written. */
  const endSilently = (status: InvestigationStatus): Promise<number> =>
    forTeam(database.orm.em, run.teamId).nativeUpdate(Investigation, { id: run.id }, { status });
  const current = () => forTeam(database.orm.em, run.teamId).findOneOrFail(Investigation, { id: run.id });
  /** Follows to the end. @param onEvent is told of each event */
  const follow = async (
    options: { afterId?: string; onEvent?: () => void; current?: () => Promise<Investigation> } = {},
  ): Promise<{ types: (string | undefined)[]; lastId?: string }> => {
    const { signal } = following;
    const seen: { id?: string; event?: string }[] = [];
    const reading = { current, checkMs: CHECK_MS, ...options, signal, onEnd: () => undefined };
    for await (const event of runEvents(events, run.id, reading)) {
      seen.push(event);
      options.onEvent?.();
    }
    return { types: seen.map(({ event }) => event), lastId: seen.at(-1)?.id };
  };

  it('end with the end, although it was recorded and never told', async () => {
    await endSilently('completed');
    assert.deepEqual((await follow()).types, ['run.started', 'run.completed']);
  });

  it('end with the end, although it is recorded in silence while they are followed', async () => {
    const started = Promise.withResolvers<void>();
    const ended = follow({ onEvent: started.resolve });
    await started.promise;
    await endSilently('cancelled');
    assert.deepEqual((await ended).types, ['run.started', 'run.cancelled']);
  });

  it('end with the end once the log is back', async () => {
    const started = Promise.withResolvers<void>();
    const checked = Promise.withResolvers<void>();
    let away = false;
    const ended = follow({
      onEvent: started.resolve,
      current: async () => {
        if (away) checked.resolve();
        return current();
      },
    });
    await started.promise;
    const back = takeAway(events);
    await endSilently('failed');
    away = true;
    await checked.promise;
    back();
    assert.deepEqual((await ended).types, ['run.started', 'run.failed']);
  });

  it('have one end, whoever appends it and however many follow', async () => {
    const followers = [follow(), follow(), follow()];
    await endSilently('completed');
    await events.append(conversationStream(run.id), [endEvent(await current())]);
    for (const { types } of await Promise.all(followers)) assert.deepEqual(types, ['run.started', 'run.completed']);
    assert.deepEqual((await follow()).types, ['run.started', 'run.completed']);
  });

  it('are over for a client that has seen the end', async () => {
    await endSilently('completed');
    const { lastId: afterId } = await follow();
    assert.deepEqual((await follow({ afterId })).types, []);
  });

  it('are not followed, and not checked, any more when the client has gone', async () => {
    let checks = 0;
    const started = Promise.withResolvers<void>();
    const ended = follow({
      onEvent: started.resolve,
      current: async () => {
        checks += 1;
        return current();
      },
    });
    await started.promise;
    following.abort();
    assert.deepEqual((await ended).types, ['run.started']);
    const before = checks;
    await new Promise((resolve) => setTimeout(resolve, 5 * CHECK_MS));
    assert.equal(checks, before);
  });
});
