import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { followRun, stateEvent } from '../../../src/features/runs/index.ts';
import type { EventLog, NewEvent } from '../../../src/platform/event-log/index.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startDatabaseWithEvents } from '../../support/database-with-events.ts';
import { takeAway } from '../../support/event-log-outage.ts';

const CHECK_MS = 20;
const end = stateEvent('run.completed', 'run:ended', {});

describe('events of a run, to whoever follows it', () => {
  let events: EventLog;
  let stop: (() => Promise<void>) | undefined;
  let stream: string;
  /** What the row says: the last event, once the run has ended. */
  let recorded: NewEvent | undefined;
  let following: AbortController;

  before(async () => {
    ({ events, stop } = await startDatabaseWithEvents());
  });
  after(() => stop?.());
  beforeEach(async () => {
    stream = `run:${randomUUID()}`;
    recorded = undefined;
    following = new AbortController();
    await events.append(stream, [{ type: 'run.started', data: {} }]);
  });
  afterEach(() => following.abort());

  interface Following {
    afterId?: string;
    /** Is told of each event. */
    onEvent?: () => void;
    /** Is told of each look at the row. */
    onCheck?: () => void;
  }

  /** Follows to the end. */
  const follow = async ({ afterId, onEvent, onCheck }: Following = {}): Promise<{
    types: string[];
    lastId?: string;
  }> => {
    const ending = async (): Promise<NewEvent | undefined> => {
      onCheck?.();
      return recorded;
    };
    const types: string[] = [];
    let lastId: string | undefined;
    const options = { afterId, ending, signal: following.signal, checkMs: CHECK_MS };
    for await (const { id, type } of followRun(events, stream, options)) {
      types.push(type);
      lastId = id;
      onEvent?.();
    }
    return { types, lastId };
  };
  /** Follows from its first event on. */
  const begin = async (onCheck?: () => void): Promise<{ ended: ReturnType<typeof follow> }> => {
    const started = Promise.withResolvers<void>();
    const ended = follow({ onEvent: started.resolve, onCheck });
    await started.promise;
    return { ended };
  };

  it('end with the end, although it was recorded and never told', async () => {
    recorded = end;
    assert.deepEqual((await follow()).types, ['run.started', 'run.completed']);
  });

  it('end with the end, although it is recorded in silence while they are followed', async () => {
    const { ended } = await begin();
    recorded = end;
    assert.deepEqual((await ended).types, ['run.started', 'run.completed']);
  });

  it('end with the end once the log is back', async () => {
    const checked = Promise.withResolvers<void>();
    const { ended } = await begin(() => recorded && checked.resolve());
    const back = takeAway(events);
    recorded = end;
    await checked.promise;
    back();
    assert.deepEqual((await ended).types, ['run.started', 'run.completed']);
  });

  it('have one end, whoever appends it and however many follow', async () => {
    const followers = [follow(), follow(), follow()];
    recorded = end;
    await events.append(stream, [end]);
    for (const { types } of await Promise.all(followers)) assert.deepEqual(types, ['run.started', 'run.completed']);
    assert.deepEqual((await follow()).types, ['run.started', 'run.completed']);
  });

  it('end with the end, and say nothing that comes after it', async () => {
    await events.append(stream, [end, { type: 'chat.titled', data: {} }]);
    assert.deepEqual((await follow()).types, ['run.started', 'run.completed']);
    recorded = end;
    assert.deepEqual((await follow()).types, ['run.started', 'run.completed']);
  });

  it('are all there when the run has ended, however many, and none of them twice', async () => {
    const many = Array.from({ length: 250 }, (_, index) => ({ type: `delta.${index}`, data: {} }));
    await events.append(stream, many);
    recorded = end;
    const all = ['run.started', ...many.map(({ type }) => type), 'run.completed'];
    assert.deepEqual((await follow()).types, all);
    const [, second] = await events.read(stream);
    assert.deepEqual((await follow({ afterId: second?.id })).types, all.slice(2));
  });

  it('are over for one who has seen the end', async () => {
    recorded = end;
    const { lastId: afterId } = await follow();
    assert.deepEqual((await follow({ afterId })).types, []);
  });

  it('are not followed, and not checked, any more when the reader has gone', async () => {
    let checks = 0;
    const { ended } = await begin(() => (checks += 1));
    following.abort();
    assert.deepEqual((await ended).types, ['run.started']);
    const before = checks;
    await new Promise((resolve) => setTimeout(resolve, 5 * CHECK_MS));
    assert.equal(checks, before);
  });

  it('are checked no more than once after the end, however slowly they are read', async () => {
    let checks = 0;
    const ending = async (): Promise<NewEvent | undefined> => {
      checks += recorded ? 1 : 0;
      return recorded;
    };
    const following = followRun(events, stream, { ending, signal: AbortSignal.timeout(20_000), checkMs: 1 });
    await following.next();
    recorded = end;
    const told = async (): Promise<true | undefined> => (await events.read(stream)).length === 2 || undefined;
    await waitUntil(told, { what: 'the end in the log', intervalMs: 5 });
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
    assert.equal(checks, 1);
    assert.equal((await following.next()).value?.type, 'run.completed');
  });

  it('cannot be followed while the row cannot be read', async () => {
    const unread = (): Promise<never> => Promise.reject(new Error('the database is away'));
    const { signal } = following;
    await assert.rejects(followRun(events, stream, { ending: unread, signal }).next(), /database is away/);
  });
});
