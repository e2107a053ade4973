/** Streams are deleted a few at a time: what was done stays done, and locks are short. */
import assert from 'node:assert/strict';
import pg from 'pg';
import { cutShort } from '../../support/cut-short.ts';
import { startDatabaseWithEvents, type DatabaseWithEvents } from '../../support/database-with-events.ts';
import { newStream } from './reading.ts';
import { onEveryServer } from './servers.ts';

const STREAMS = 120;
const AT_ONCE = 50;
const inAMinute = (): Date => new Date(Date.now() + 60_000);

describe('event log: deleting many streams', () => {
  onEveryServer((server) => {
    it('deletes more of them than go in one step, and no others', async () => {
      const log = server().open();
      const kept = newStream();
      const many = Array.from({ length: 1_100 }, newStream);
      await log.expire(inAMinute());
      await Promise.all([kept, ...many].map((stream) => log.append(stream, [{ type: 'x', data: {}, key: 'k' }])));
      await log.remove(many);
      const left = await Promise.all(many.map((stream) => log.read(stream)));
      assert.deepEqual(left.flat(), []);
      assert.equal((await log.read(kept)).length, 1);
      assert.equal(await log.expire(inAMinute()), 1);

      await Promise.all(many.map((stream) => log.append(stream, [{ type: 'x', data: {} }])));
      assert.equal(await log.expire(inAMinute()), many.length);
      await log.close();
    });
  });

  describe('in PostgreSQL', () => {
    let given: DatabaseWithEvents;
    let client: pg.Client;
    const streams = Array.from({ length: STREAMS }, (_, index) => `s${String(index).padStart(3, '0')}`);
    beforeEach(async () => {
      given = await startDatabaseWithEvents();
      client = new pg.Client({ connectionString: given.database.url });
      await client.connect();
      await Promise.all(streams.map((stream) => given.events.append(stream, [{ type: 'x', data: {} }])));
    });
    afterEach(async () => {
      await client?.end();
      await given?.stop();
    });
    const left = async (): Promise<[streams: number, events: number]> => {
      const sql = 'select (select count(*)::int from event_streams) as s, (select count(*)::int from events) as e';
      const { rows } = await client.query<{ s: number; e: number }>(sql);
      return [rows[0]!.s, rows[0]!.e];
    };

    for (const [what, work] of [
      ['a removal', () => given.events.remove(streams)],
      ['an expiry', () => given.events.expire(inAMinute())],
    ] as const) {
      it(`goes on with the rest when ${what} was cut short`, async () => {
        await cutShort(given.database, `select 1 from events where stream = '${streams.at(-1)}'`, work);
        const rest = STREAMS - 2 * AT_ONCE;
        assert.deepEqual(await left(), [rest, rest]);
        await work();
        assert.deepEqual(await left(), [0, 0]);
      });
    }

    it('locks few streams at a time, and none for a process that is frozen', async () => {
      await client.query(`
        create table noted (streams integer, idle text);
        create function note() returns trigger language plpgsql as $$ begin
          insert into noted select count(*), current_setting('idle_in_transaction_session_timeout') from gone;
          return null;
        end $$;
        create trigger note after delete on event_streams referencing old table as gone
          for each statement execute function note()`);
      await given.events.remove(streams);
      const { rows } = await client.query<{ streams: number; idle: string }>('select * from noted');
      assert.deepEqual(
        rows.map((row) => row.streams),
        [AT_ONCE, AT_ONCE, STREAMS - 2 * AT_ONCE],
      );
      // A process that is frozen keeps its connection: only the server can end what it began.
      for (const { idle } of rows) assert.match(idle, /^[1-9]\d*s$/);
    });
  });
});
