import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../src/embedded/free-port.ts';
import { createEventLog, EventLogError, type EventLog } from '../../../src/platform/event-log/index.ts';
import { Nudges } from '../../../src/platform/event-log/nudges.ts';
import { PostgresListener } from '../../../src/platform/event-log/postgres.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { ids, newStream, readTail } from './reading.ts';
import { onEveryServer } from './servers.ts';

/** Appends events one by one until `stop` fires; like an activity, with the same key until the log took it. */
async function appendUntil(stop: AbortSignal, log: EventLog, stream: string) {
  let failures = 0;
  let count = 0;
  while (!stop.aborted) {
    try {
      await log.append(stream, [{ type: 'n', data: { index: count }, key: `n ${count}` }]);
      count += 1;
    } catch (error) {
      assert.ok(error instanceof EventLogError && error.kind === 'unavailable', String(error));
      failures += 1;
      await sleep(10);
    }
  }
  return { count, failures };
}

describe('event log: outages', () => {
  onEveryServer((server) => {
    it('loses and doubles nothing when its server is killed in the middle, twice', async () => {
      const stream = newStream();
      const [writer, reader] = [server().open(), server().open()];
      const followed = readTail(reader, stream);
      const idle = readTail(reader, newStream());
      const stop = new AbortController();
      const appending = appendUntil(stop.signal, writer, stream);
      for (let crashes = 0; crashes < 2; crashes++) {
        await followed.until(followed.events.length + 50);
        await server().crash();
      }
      await followed.until(followed.events.length + 50);
      stop.abort();
      const { count: total, failures } = await appending;
      await followed.until(total);
      const resumed = readTail(reader, stream, followed.events[9]!.id);
      await resumed.until(total - 10);
      await Promise.all([followed.stop(), resumed.stop(), idle.stop()]);

      const stored = await writer.read(stream, { limit: total + 1 });
      assert.ok(failures > 0, 'no append noticed the outage');
      assert.deepEqual(
        stored.map(({ data }) => data['index']),
        Array.from({ length: total }, (_, index) => index),
      );
      assert.deepEqual(ids(followed.events), ids(stored));
      assert.deepEqual(ids(resumed.events), ids(stored.slice(10)));
      await Promise.all([writer.check(), reader.check()]);
      await Promise.all([writer.close(), reader.close()]);
    });
  });

  it('stops listening although PostgreSQL takes the connection and says nothing', async () => {
    const connected = Promise.withResolvers<void>();
    const silent = createServer(() => connected.resolve()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const listener = new PostgresListener({
      connection: { host: '127.0.0.1', port },
      log: createLogger({ name: 'test', level: 'silent' }),
      nudges: new Nudges({ pollMs: 3_600_000 }),
    });
    listener.start();
    await connected.promise;
    await listener.close();
    silent.close();
  });

  for (const kind of ['postgres', 'redis'] as const) {
    it(`says that ${kind} cannot be reached, and a tail waits for it without an error`, async () => {
      const port = await freePort();
      const log = createEventLog({
        databaseUrl: `postgres://nobody@127.0.0.1:${port}/none`,
        redisUrl: kind === 'redis' ? `redis://127.0.0.1:${port}` : undefined,
        log: createLogger({ name: 'test', level: 'silent' }),
      });
      const unavailable = (error: unknown) =>
        error instanceof EventLogError && error.kind === 'unavailable' && /cannot be reached: .+/.test(error.message);
      assert.equal(log.kind, kind);
      const waiting = readTail(log, 's');
      await assert.rejects(log.append('s', [{ type: 'x', data: {} }]), unavailable);
      await assert.rejects(log.read('s'), unavailable);
      await assert.rejects(log.expire(new Date()), unavailable);
      await assert.rejects(log.check(), unavailable);
      await waiting.stop();
      assert.deepEqual(waiting.events, []);
      await log.close();
    });
  }
});
