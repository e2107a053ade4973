import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { forTeam } from '../../../src/db/team-filter.ts';
import { Investigation } from '../../../src/features/investigations/index.ts';
import { sweepRuns, type SweptKind } from '../../../src/features/runs/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { storeInvestigation } from '../../support/investigation-rows.ts';

const options = { graceMs: 10_000, silenceMs: 60_000, batch: 100 };
const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);
const log = createLogger({ name: 'test', level: 'silent' });

describe('sweeping runs of one kind', () => {
  let database: TestDatabase;
  /** What was done to which row. */
  let done: string[];
  beforeEach(async () => {
    database = await createTestDatabase();
    done = [];
  });
  afterEach(() => database?.drop());

  const store = async (row: Partial<Investigation>): Promise<string> =>
    (await storeInvestigation(database.orm, { row })).id;
  const storeMany = (count: number): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => store({ createdAt: ago(1_000 - index) })));
  const sweep = (changes: Partial<SweptKind<Investigation>> = {}, batch = options.batch): Promise<number> =>
    sweepRuns({ orm: database.orm, clock: systemClock, log }, { ...noting, ...changes }, { ...options, batch });
  const noting: SweptKind<Investigation> = {
    kind: 'investigation',
    entity: Investigation,
    launch: async ({ id }) => void done.push(`launch ${id}`),
    deliverCancel: async ({ id }) => void done.push(`cancel ${id}`),
    state: async () => 'running',
    recordLost: async ({ id }, outcome, explanation) => void done.push(`${outcome} ${id}: ${explanation}`),
  };

  it('starts what was committed a while ago and not started, with the means of its own team', async () => {
    const id = await store({ createdAt: ago(11) });
    await store({ createdAt: ago(1) });
    await store({ createdAt: ago(11), startedAt: ago(11) });
    await store({ createdAt: ago(11), status: 'failed' });
    const seen: (string | undefined)[] = [];
    const swept = await sweep({
      async launch(row, em) {
        await noting.launch(row, em);
        seen.push((await em.findOneOrFail(Investigation, { id })).id);
        const other = forTeam(database.orm.em, randomUUID());
        assert.equal(await other.findOne(Investigation, { id }), null);
      },
    });
    assert.deepEqual([swept, done, seen], [1, [`launch ${id}`], [id]]);
  });

  it('delivers cancellations that were asked for a while ago, also of what was never started', async () => {
    const [started, unstarted] = [
      await store({ createdAt: ago(60), startedAt: ago(60), cancelRequestedAt: ago(12) }),
      await store({ createdAt: ago(50), cancelRequestedAt: ago(11) }),
    ];
    await store({ createdAt: ago(60), cancelRequestedAt: ago(1) });
    await store({ createdAt: ago(60), cancelRequestedAt: ago(11), status: 'cancelled' });
    assert.equal(await sweep(), 2);
    assert.deepEqual(done, [`cancel ${started}`, `cancel ${unstarted}`]);
  });

  describe('asks Temporal about a run that has been silent', () => {
    const silent = { createdAt: ago(70), startedAt: ago(70), updatedAt: ago(61) };
    let id: string;
    beforeEach(async () => {
      id = await store(silent);
      await store({ ...silent, updatedAt: ago(20) });
    });

    it('and asks again only after as long a silence when it runs', async () => {
      assert.deepEqual([await sweep(), await sweep(), done], [1, 0, []]);
    });

    it('and starts it again when Temporal does not know it', async () => {
      assert.deepEqual([await sweep({ state: async () => 'missing' }), await sweep()], [1, 0]);
      assert.deepEqual(done, [`launch ${id}`]);
    });

    for (const [closed, outcome] of [
      ['TERMINATED', 'failed'],
      ['COMPLETED', 'failed'],
      ['CANCELLED', 'cancelled'],
    ] as const) {
      it(`and records that it ${outcome === 'failed' ? 'failed' : 'was cancelled'} when it is ${closed} there`, async () => {
        assert.equal(await sweep({ state: async () => ({ closed }) }), 1);
        const explanation = `The run ended in Temporal without recording its result (${closed.toLowerCase()}).`;
        assert.deepEqual(done, [`${outcome} ${id}: ${explanation}`]);
      });
    }

    it('and finds it again when Temporal does not answer', async () => {
      const state = (): Promise<never> => Promise.reject(new Error('Temporal is away'));
      assert.deepEqual([await sweep({ state }), await sweep({ state })], [1, 1]);
    });
  });

  it('works on several rows at once, and not on all', async () => {
    await storeMany(20);
    let atOnce = 0;
    let most = 0;
    const eight = Promise.withResolvers<void>();
    await sweep({
      async launch() {
        atOnce += 1;
        most = Math.max(most, atOnce);
        if (atOnce === 8) eight.resolve();
        await eight.promise;
        atOnce -= 1;
      },
    });
    assert.equal(most, 8);
  });

  it('goes on with the others when one cannot be repaired', async () => {
    const ids = await storeMany(10);
    const launch = async ({ id }: Investigation): Promise<void> => {
      if (id === ids[0]) throw new Error('Temporal is away');
      done.push(id);
    };
    assert.equal(await sweep({ launch }), 10);
    assert.deepEqual(done.toSorted(), ids.slice(1).toSorted());
  });

  it('takes the oldest first, as many as it may', async () => {
    const ids = await storeMany(5);
    assert.equal(await sweep({}, 3), 3);
    assert.deepEqual(
      done,
      ids.slice(0, 3).map((id) => `launch ${id}`),
    );
  });
});
