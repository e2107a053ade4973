import assert from 'node:assert/strict';
import { EventLogError, maxEventBytes, type EventLog } from '../../../src/platform/event-log/index.ts';
import { ids, newStream, readTail } from './reading.ts';
import { onEveryServer } from './servers.ts';

const failsWith = (kind: string) => (error: unknown) => error instanceof EventLogError && error.kind === kind;

describe('event log: append and read', () => {
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

    it('keeps events in the order of one append and of successive appends', async () => {
      const start = Date.now();
      await log.append(
        stream,
        [0, 1, 2].map((n) => ({ type: 'n', data: { n } })),
      );
      await Promise.all([3, 4, 5, 6].map((n) => log.append(stream, [{ type: 'n', data: { n } }])));
      const events = await other.read(stream);
      assert.deepEqual(
        events.map(({ data }) => data['n']),
        [0, 1, 2, 3, 4, 5, 6],
      );
      for (const { at, type } of events) {
        assert.equal(type, 'n');
        assert.ok(at.getTime() >= start - 1 && at.getTime() <= Date.now() + 1, at.toISOString());
      }
    });

    it('keeps streams apart', async () => {
      const second = newStream();
      await log.append(stream, [{ type: 'first', data: {}, key: 'k' }]);
      await log.append(second, [{ type: 'second', data: {}, key: 'k' }]);
      assert.deepEqual(
        (await log.read(stream)).map(({ type }) => type),
        ['first'],
      );
      assert.deepEqual(
        (await log.read(second)).map(({ type }) => type),
        ['second'],
      );
      assert.deepEqual(await log.read(newStream()), []);
      await log.append(newStream(), []);
    });

    it('reads from any id, with a limit', async () => {
      await log.append(
        stream,
        Array.from({ length: 1_005 }, (_, n) => ({ type: 'n', data: { n } })),
      );
      const all = await log.read(stream, { limit: 2_000 });
      assert.equal(all.length, 1_005);
      assert.equal((await log.read(stream)).length, 1_000);
      assert.deepEqual(await log.read(stream, { afterId: all[4]!.id, limit: 3 }), all.slice(5, 8));
      assert.deepEqual(await log.read(stream, { afterId: all.at(-1)!.id }), []);
      for (const { id } of all) assert.ok(log.isValidId(id), id);
    });

    it('stores an event with a key once: within a batch, in later batches and among concurrent ones', async () => {
      await log.append(stream, [
        { type: 'first', data: {}, key: 'a' },
        { type: 'again', data: {}, key: 'a' },
        { type: 'second', data: {}, key: 'b' },
      ]);
      await other.append(stream, [
        { type: 'again', data: {}, key: 'b' },
        { type: 'third', data: {} },
      ]);
      const racing = Array.from({ length: 50 }, (_, n) =>
        (n % 2 ? log : other).append(stream, [
          { type: 'race', data: {}, key: 'race' },
          { type: 'own', data: { n }, key: `own ${n}` },
        ]),
      );
      await Promise.all(racing);
      const events = await log.read(stream);
      assert.deepEqual(
        events.slice(0, 4).map(({ type }) => type),
        ['first', 'second', 'third', 'race'],
      );
      assert.equal(events.filter(({ type }) => type === 'race').length, 1);
      assert.equal(new Set(events.filter(({ type }) => type === 'own').map(({ data }) => data['n'])).size, 50);
      assert.equal(events.length, 54);
    });

    it('gives every reader the same order when 50 append at once through two instances', async () => {
      const early = readTail(other, stream);
      const appenders = Array.from({ length: 50 }, async (_, appender) => {
        for (let n = 0; n < 20; n++) {
          await (appender % 2 ? log : other).append(stream, [{ type: 'n', data: { appender, n } }]);
        }
      });
      await early.until(100);
      const middle = early.events[49]!.id;
      const late = readTail(log, stream, middle);
      await Promise.all([...appenders, early.until(1_000), late.until(950)]);
      await Promise.all([early.stop(), late.stop()]);

      const stored = await log.read(stream, { limit: 2_000 });
      assert.equal(stored.length, 1_000);
      assert.deepEqual(ids(early.events), ids(stored));
      assert.deepEqual(ids(late.events), ids(stored.slice(50)));
      const byAppender = Map.groupBy(stored, ({ data }) => data['appender']);
      for (const events of byAppender.values()) {
        assert.deepEqual(
          events.map(({ data }) => data['n']),
          Array.from({ length: 20 }, (_, n) => n),
        );
      }
    });

    it('takes appends to many streams at once, in any overlap between instances', async () => {
      const many = Array.from({ length: 40 }, newStream);
      const shuffled = (round: number) => many.map((_, n) => many[(n * 7 + round * 11) % many.length]!);
      await Promise.all(
        Array.from({ length: 20 }, async (_, round) => {
          const events = [{ type: 'round', data: { round } }];
          await Promise.all(shuffled(round).map((name) => (round % 2 ? log : other).append(name, events)));
        }),
      );
      for (const name of many) assert.equal((await log.read(name)).length, 20);
    });

    it('gives back what was put in: any Unicode, NUL, lone surrogates, the largest data', async () => {
      const data = {
        text: 'naïve — 日本語 👩‍🚀 \u0000 \ud800 \\u0000 "quoted" \r\n\t \u2028',
        'key \u0000': [1.5, -0.1, 9_007_199_254_740_991, null, true, { deep: [[]] }],
      };
      await log.append(stream, [{ type: 'odd', data, key: 'ключ 🔑' }]);
      const overhead = '{"text":""}'.length;
      const largest = { text: 'é'.repeat((maxEventBytes - overhead - 1) / 2) + 'x' };
      await log.append(stream, [{ type: 'large', data: largest }]);
      const [odd, large] = await other.read(stream);
      assert.deepEqual(odd!.data, data);
      assert.deepEqual(large!.data, largest);
    });

    it('refuses what it cannot hold and stores nothing of that append', async () => {
      const good = { type: 'good', data: {} };
      const large = { type: 'large', data: { text: 'x'.repeat(maxEventBytes) } };
      await assert.rejects(log.append(stream, [good, large]), (error: unknown) => {
        assert.ok(error instanceof EventLogError);
        assert.equal(error.kind, 'too_large');
        assert.match(error.message, /large event has 262155 bytes; the maximum is 262144/);
        return true;
      });
      const invalid = failsWith('invalid_event');
      const circular: Record<string, unknown> = {};
      circular['self'] = circular;
      await assert.rejects(log.append(stream, [good, { type: 'x', data: circular }]), invalid);
      await assert.rejects(log.append(stream, [good, { type: 'x', data: { n: 1n } }]), invalid);
      await assert.rejects(log.append(stream, [good, { type: '', data: {} }]), invalid);
      await assert.rejects(log.append(stream, [good, { type: 'x', data: {}, key: 'a\0' }]), invalid);
      await assert.rejects(log.append(stream, [good, { type: 'x', data: {}, key: 'k'.repeat(513) }]), invalid);
      await assert.rejects(log.append('', [good]), invalid);
      await assert.rejects(log.append('\ud800', [good]), invalid);
      assert.deepEqual(await log.read(stream), []);
      const longest = 's'.repeat(512 - stream.length) + stream;
      await log.append(longest, [{ type: 't'.repeat(512), data: {}, key: 'k'.repeat(512) }]);
      assert.equal((await log.read(longest)).length, 1);
    });

    it('refuses positions that are not its ids', async () => {
      const foreign = log.kind === 'postgres' ? '1700000000000-0' : '17';
      const bad = [
        '',
        ' ',
        'x',
        '-',
        '-1',
        '1-',
        '1.5',
        '1\n',
        ' 1-1',
        '$',
        '+',
        "1'; drop table events",
        '1'.repeat(40),
      ];
      for (const id of [foreign, ...bad, `${'9'.repeat(20)}-1`]) {
        assert.equal(log.isValidId(id), false, id);
        await assert.rejects(log.read(stream, { afterId: id }), failsWith('invalid_id'));
        assert.throws(() => log.tail(stream, { afterId: id, signal: AbortSignal.abort() }), failsWith('invalid_id'));
      }
      const largest = log.kind === 'postgres' ? '9'.repeat(18) : `${'9'.repeat(18)}-${'9'.repeat(18)}`;
      assert.deepEqual(await log.read(stream, { afterId: largest }), []);
    });

    it('removes the given streams, and never reuses an id', async () => {
      const [gone, kept] = [newStream(), newStream()];
      await log.append(gone, [{ type: 'gone', data: {}, key: 'k' }]);
      await log.append(kept, [{ type: 'kept', data: {} }]);
      const [event] = await log.read(gone);
      await other.remove([gone, newStream()]);
      await other.remove([]);
      assert.deepEqual(await log.read(gone), []);
      assert.equal((await log.read(kept)).length, 1);

      await log.append(gone, [{ type: 'new', data: {}, key: 'k' }]);
      assert.deepEqual(
        (await log.read(gone, { afterId: event!.id })).map(({ type }) => type),
        ['new'],
      );
      await assert.rejects(log.remove(['']), failsWith('invalid_event'));
    });

    it('deletes old streams whole, keeps newer ones, and never gives an id out again', async () => {
      await log.expire(new Date(Date.now() + 60_000));
      const [old, fresh] = [newStream(), newStream()];
      await log.append(old, [{ type: 'old', data: {}, key: 'k' }]);
      const [event] = await log.read(old);
      // Times are the server's and in milliseconds.
      const cut = new Date(event!.at.getTime() + 1);
      for (let last = event!; last.at.getTime() < cut.getTime() + 5; last = (await log.read(fresh)).at(-1)!) {
        await log.append(fresh, [{ type: 'fresh', data: {} }]);
      }
      assert.equal(await log.expire(cut), 1);
      assert.deepEqual(await log.read(old), []);
      assert.ok((await log.read(fresh)).length > 0);
      assert.equal(await log.expire(cut), 0);

      await log.append(old, [{ type: 'new', data: {}, key: 'k' }]);
      const after = await log.read(old, { afterId: event!.id });
      assert.deepEqual(
        after.map(({ type }) => type),
        ['new'],
      );
    });
  });
});
