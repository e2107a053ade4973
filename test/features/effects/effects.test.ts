import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { anyTeam, forTeam } from '../../../src/db/team-filter.ts';
import {
  claimEffect,
  Effect,
  EffectFailed,
  endEffect,
  makeOnce,
  purgeEffects,
  recordDone,
  type EffectRequest,
  type EffectWork,
} from '../../../src/features/effects/index.ts';
import { addressOf } from '../../support/address.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const never = new AbortController().signal;

describe('the ledger of effects', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  const em = (teamId: string) => forTeam(database.orm.em, teamId);
  const claim = (wanted: Partial<EffectRequest> = {}): Promise<Effect> => {
    const teamId = wanted.teamId ?? randomUUID();
    return claimEffect(em(teamId), { teamId, kind: 'ticket', key: 'ticket:1', ...wanted });
  };
  const make = (effect: Effect, work: Partial<EffectWork<unknown>>, signal = never): Promise<unknown> =>
    makeOnce({ orm: database.orm }, effect, { create: async () => 'made', timeoutMs: 5_000, ...work }, signal);
  const rowOf = ({ id }: Effect): Promise<Effect> => database.orm.em.fork().findOneOrFail(Effect, { id }, anyTeam);

  describe('a key', () => {
    it('identifies one effect of a team, however many claim it at once', async () => {
      const teamId = randomUUID();
      const claimed = await Promise.all(Array.from({ length: 10 }, () => claim({ teamId, request: { a: 1, b: 2 } })));
      assert.equal(new Set(claimed.map(({ id }) => id)).size, 1);
      assert.equal(await em(teamId).count(Effect, {}), 1);
      assert.equal(
        (await claim({ teamId, request: { b: 2, a: 1 } })).id,
        claimed[0]!.id,
        'order of members is nothing',
      );
      assert.notEqual((await claim({ request: { a: 1, b: 2 } })).id, claimed[0]!.id, 'another team, another effect');
    });

    it('is refused for another request', async () => {
      const { teamId } = await claim({ request: { a: 1 } });
      await assert.rejects(claim({ teamId, request: { a: 2 } }), { status: 409, code: 'idempotency_key_reused' });
      await assert.rejects(claim({ teamId }), { status: 409 });
    });

    it('may be used anew once it has expired, and not before', async () => {
      const now = new Date();
      const after = (ms: number) => new Date(now.getTime() + ms);
      const kept = { keptForMs: 1_000, request: 1 };
      const { id, teamId } = await claim({ ...kept, now });
      assert.equal((await claim({ ...kept, teamId, now: after(999) })).id, id);
      assert.notEqual((await claim({ ...kept, request: 2, teamId, now: after(1_000) })).id, id);
    });

    it('that was claimed in a transaction that is undone was not claimed', async () => {
      const teamId = randomUUID();
      const undone = em(teamId).transactional(async (tx) => {
        await claimEffect(tx, { teamId, kind: 'ticket', key: 'ticket:1' });
        throw new Error('undone');
      });
      await assert.rejects(undone, /undone/);
      assert.equal(await em(teamId).count(Effect, {}), 0);
    });
  });

  describe('an effect', () => {
    it('is made once by many that try at once, and all get its receipt', async () => {
      const effect = await claim();
      let made = 0;
      const create = async (): Promise<{ number: number }> => {
        await sleep(50);
        return { number: ++made };
      };
      const receipts = await Promise.all(Array.from({ length: 5 }, () => make(effect, { create })));
      assert.deepEqual(
        receipts,
        Array.from({ length: 5 }, () => ({ number: 1 })),
      );
      const { status, attempts, leasedUntil, finishedAt } = await rowOf(effect);
      assert.deepEqual([status, attempts, leasedUntil], ['done', 1, null]);
      assert.ok(finishedAt);
    });

    it('is a row before it is made, and the receiver gets the key', async () => {
      const effect = await claim();
      await make(effect, {
        async create({ key, attempt }) {
          assert.deepEqual([key, attempt], ['ticket:1', 1]);
          assert.equal((await rowOf(effect)).attempts, 1);
          return null;
        },
      });
      assert.equal(await make(effect, { create: () => assert.fail('twice') }), null);
    });

    it('is looked up from the second attempt on, and then not made again', async () => {
      const effect = await claim();
      const calls: string[] = [];
      const work = {
        lookUp: async () => (calls.push('look'), calls.length > 3 ? 'found' : undefined),
        create: async () => {
          calls.push('create');
          throw new Error('no answer');
        },
      };
      await assert.rejects(make(effect, work), /no answer/);
      assert.deepEqual(calls, ['create']);
      assert.equal((await rowOf(effect)).lastError, 'no answer');
      await assert.rejects(make(effect, work), /no answer/);
      assert.deepEqual(calls, ['create', 'look', 'create']);
      assert.equal(await make(effect, work), 'found');
      assert.deepEqual(calls, ['create', 'look', 'create', 'look']);
      const { status, lastError, attempts } = await rowOf(effect);
      assert.deepEqual([status, lastError, attempts], ['done', null, 3]);
    });

    it('that failed for good is not attempted again', async () => {
      const effect = await claim();
      const refused = { create: () => Promise.reject(new Error('refused\0')), isFinal: () => true };
      await assert.rejects(make(effect, refused), /refused/);
      assert.deepEqual([(await rowOf(effect)).status, (await rowOf(effect)).lastError], ['failed', 'refused\ufffd']);
      await assert.rejects(make(effect, {}), EffectFailed);
      assert.equal((await rowOf(effect)).attempts, 1);
    });

    it('that was cut off keeps its lease: what is on its way is waited for', async () => {
      const effect = await claim();
      const stopping = new AbortController();
      const create: EffectWork<unknown>['create'] = ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          stopping.abort(new Error('the worker stops'));
        });
      await assert.rejects(make(effect, { create }, stopping.signal), /the worker stops/);
      const { leasedUntil, status } = await rowOf(effect);
      assert.ok(leasedUntil && leasedUntil.getTime() > Date.now());
      assert.equal(status, 'pending');
    });

    it('whose row is deleted while it is made keeps its receipt for its maker', async () => {
      const effect = await claim();
      const create = async () => {
        await em(effect.teamId).nativeDelete(Effect, { id: effect.id });
        return 'made';
      };
      assert.equal(await make(effect, { create }), 'made');
      await assert.rejects(make(effect, {}), EffectFailed);
    });

    it('that our own transaction makes is recorded with it, the first time only', async () => {
      const teamId = randomUUID();
      const wanted = { teamId, kind: 'ticket', key: 'ticket:1' };
      await recordDone(em(teamId), [{ ...wanted, receipt: 1 }]);
      await recordDone(em(teamId), [
        { ...wanted, receipt: 2 },
        { ...wanted, key: 'ticket:2', receipt: 3 },
      ]);
      const rows = await em(teamId).find(Effect, {}, { orderBy: { key: 'asc' } });
      assert.deepEqual(
        rows.map(({ status, receipt }) => [status, receipt]),
        [
          ['done', 1],
          ['done', 3],
        ],
      );
      await endEffect(em(teamId), rows[0]!.id, { status: 'failed', error: 'late' });
      assert.equal((await rowOf(rows[0]!)).status, 'done');
    });
  });

  it('the sweep deletes what has expired, of all teams, and nothing else', async () => {
    const now = new Date();
    const [old, recent, kept] = [await claim({ keptForMs: 1_000 }), await claim({ keptForMs: 60_000 }), await claim()];
    assert.ok((await purgeEffects(database.orm, new Date(now.getTime() + 30_000))) >= 1);
    const left = await database.orm.em.fork().find(Effect, { id: { $in: [old.id, recent.id, kept.id] } }, anyTeam);
    assert.deepEqual(new Set(left.map(({ id }) => id)), new Set([recent.id, kept.id]));
  });

  describe('killed between the call and the receipt', () => {
    /** Takes what is posted, and kills whoever posts first before it answers. */
    let receiver: Server;
    const taken: string[] = [];
    let killFirst: () => void;
    before(async () => {
      receiver = createServer((request, response) => {
        void (async () => {
          let body = '';
          for await (const chunk of request.setEncoding('utf8')) body += chunk;
          taken.push(body);
          if (taken.length === 1) killFirst();
          else response.end(`id-${taken.length}`);
        })();
      });
      receiver.listen(0, '127.0.0.1');
      await once(receiver, 'listening');
    });
    after(() => receiver.close());

    it('it is found by the next attempt, and not made twice', async () => {
      const teamId = randomUUID();
      const args = [database.url, teamId, `http://127.0.0.1:${addressOf(receiver).port}`];
      const child = fork(new URL('attempt.ts', import.meta.url), args, { stdio: 'inherit' });
      killFirst = () => child.kill('SIGKILL');
      const [, signal] = await once(child, 'exit');
      assert.equal(signal, 'SIGKILL');
      const effect = await em(teamId).findOneOrFail(Effect, { key: 'ticket:1' });
      assert.deepEqual([effect.status, effect.attempts, effect.receipt], ['pending', 1, null]);
      assert.deepEqual(taken, ['ticket:1']);

      const receipts = await Promise.all(
        [1, 2, 3].map(() =>
          make(effect, {
            lookUp: async ({ key }) => (taken.includes(key) ? { id: 'id-1' } : undefined),
            create: async () => assert.fail('made twice'),
          }),
        ),
      );
      assert.deepEqual(
        receipts,
        Array.from({ length: 3 }, () => ({ id: 'id-1' })),
      );
      assert.ok(Date.now() >= effect.leasedUntil!.getTime() - 100, 'its lease had run out');
      assert.deepEqual(taken, ['ticket:1']);
      assert.deepEqual([(await rowOf(effect)).status, (await rowOf(effect)).attempts], ['done', 2]);
    });
  });
});
