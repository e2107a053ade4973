import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { waitUntil } from '../../support/wait-until.ts';
import { EventLogError, type EventLog } from '../../../src/platform/event-log/index.ts';
import { ids, newStream, readTail } from './reading.ts';
import { onEveryServer } from './servers.ts';

const n = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ type: 'n', data: { n: from + i } }));

describe('event log: tail', () => {
  onEveryServer((server) => {
    let log: EventLog;
    let other: EventLog;
    let stream: string;
    before(() => {
      log = server().open();
      other = server().open();
    });
    beforeEach(() => (stream = newStream()));
    after(() => Promise.all([log.close(), other.close()]));

    it('replays, then follows, from the start or from any id', async () => {
      await log.append(stream, n(0, 700));
      const stored = await log.read(stream);
      const whole = readTail(other, stream);
      const resumed = readTail(other, stream, stored[299]!.id);
      await Promise.all([whole.until(700), resumed.until(400)]);
      await log.append(stream, n(700, 710));
      await Promise.all([whole.until(710), resumed.until(410)]);
      await Promise.all([whole.stop(), resumed.stop()]);
      const all = await log.read(stream);
      assert.deepEqual(whole.events, all);
      assert.deepEqual(resumed.events, all.slice(300));
    });

    it('follows what another process appends', async () => {
      const reading = readTail(log, stream);
      await server().appendFromChild(stream, 50);
      await reading.until(50);
      await reading.stop();
      assert.deepEqual(
        reading.events.map(({ data }) => data['index']),
        Array.from({ length: 50 }, (_, index) => index),
      );
    });

    it('follows a stream that expires and comes back', async () => {
      const reading = readTail(log, stream);
      await log.append(stream, n(0, 3));
      await reading.until(3);
      // Redis numbers events by the millisecond: a stream that came back within one would begin with old numbers.
      const last = reading.events.at(-1)!.at.getTime();
      await waitUntil(() => Date.now() > last || undefined, { what: 'the next millisecond' });
      await log.expire(new Date(Date.now() + 60_000));
      await log.append(stream, n(3, 5));
      await reading.until(5);
      await reading.stop();
      assert.deepEqual(
        reading.events.map(({ data }) => data['n']),
        [0, 1, 2, 3, 4],
      );
    });

    it('ends at abort, before the first event, in the middle of a page and while it waits, and leaves no listener', async () => {
      await log.append(stream, n(0, 10));
      const early = AbortSignal.abort();
      for await (const event of log.tail(stream, { signal: early })) assert.fail(event.id);

      const stop = new AbortController();
      let seen = 0;
      for await (const _ of log.tail(stream, { signal: stop.signal })) {
        seen += 1;
        if (seen === 3) stop.abort();
      }
      assert.equal(seen, 3);

      const waiting = readTail(log, stream);
      await waiting.until(10);
      await waiting.stop();

      const open = new AbortController();
      for await (const _ of log.tail(stream, { signal: open.signal })) break;
      const iterator = log.tail(newStream(), { signal: open.signal })[Symbol.asyncIterator]();
      const pending = iterator.next();
      await iterator.return?.();
      assert.equal((await pending).done, true);
      for (const { signal } of [stop, open]) assert.equal(getEventListeners(signal, 'abort').length, 0);
    });

    it('needs no connection per tail and leaves none behind', async () => {
      const before = await server().connections();
      const many = server().open();
      const streams = Array.from({ length: 200 }, newStream);
      const readings = streams.map((name) => readTail(many, name));
      await Promise.all(streams.map((name, index) => many.append(name, n(0, 1 + (index % 3)))));
      await Promise.all(readings.map((reading, index) => reading.until(1 + (index % 3))));
      const held = (await server().connections()) - before;
      assert.ok(held >= 2 && held <= 5, `${held} connections`);
      await many.close();
      for (const reading of readings) await reading.stop();
      // A server notices the end of a connection a little after the client.
      while ((await server().connections()) > before);
    });

    it('ends its tails when it closes, and then refuses to work', async () => {
      const closing = server().open();
      const idle = readTail(closing, stream);
      await closing.append(stream, n(0, 1));
      await idle.until(1);
      const stored = closing.append(stream, n(1, 2));
      await closing.close();
      await closing.close();
      await stored;
      await idle.stop();
      assert.equal((await log.read(stream)).length, 2);
      const closed = (error: unknown) => error instanceof EventLogError && error.kind === 'closed';
      await assert.rejects(closing.append(stream, n(2, 3)), closed);
      await assert.rejects(closing.read(stream), closed);
      await assert.rejects(closing.check(), closed);
      assert.throws(() => closing.tail(stream, { signal: AbortSignal.abort() }), closed);
    });

    it('holds a page for a slow consumer, not the stream', async () => {
      setFlagsFromString('--expose-gc');
      const collectGarbage: () => void = runInNewContext('gc');
      const megabytes = () => {
        collectGarbage();
        const { heapUsed, external } = process.memoryUsage();
        return (heapUsed + external) / 2 ** 20;
      };
      const text = 'x'.repeat(200_000);
      for (let i = 0; i < 64; i++) await log.append(stream, [{ type: 'large', data: { i, text } }]);

      const idle = megabytes();
      const stop = new AbortController();
      const slow = Array.from({ length: 20 }, () => log.tail(stream, { signal: stop.signal })[Symbol.asyncIterator]());
      for (const tail of slow) assert.equal((await tail.next()).done, false);
      for (let i = 64; i < 128; i++) await log.append(stream, [{ type: 'large', data: { i, text } }]);
      const grown = megabytes() - idle;
      // One page each is about 8 MB, the whole stream for each 250 MB.
      assert.ok(grown < 40, `${grown.toFixed(1)} MB for 20 slow consumers`);

      const seen = [];
      for (let next = await slow[0]!.next(); !next.done; next = await slow[0]!.next()) {
        seen.push(next.value);
        if (seen.length === 127) break;
      }
      assert.deepEqual(ids(seen), ids(await log.read(stream)).slice(1));
      stop.abort();
      for (const tail of slow) assert.equal((await tail.next()).done, true);
    });
  });
});
