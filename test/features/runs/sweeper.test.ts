import assert from 'node:assert/strict';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { investigationRuns, type Investigation } from '../../../src/features/investigations/index.ts';
import { defineRunKind, Run, sweepRuns, type RunLauncher } from '../../../src/features/runs/index.ts';
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
  const notes: RunLauncher<Investigation> = {
    start: async ({ id }) => void done.push(`start ${id}`),
    cancel: async (id) => (done.push(`cancel ${id}`), true),
    messageAdded: async () => true,
    progress: () => Promise.reject(new Error('nobody asks for progress')),
    state: async () => 'running',
  };
  const noted = defineRunKind({
    ...investigationRuns,
    finish: async (_deps: object, { id }: Investigation, { outcome, explanation }) =>
      void done.push(`${outcome} ${id}: ${explanation}`),
  });
  const sweep = (changes: Partial<RunLauncher<Investigation>> = {}, batch = options.batch): Promise<number> => {
    const launcher = { ...notes, ...changes };
    return sweepRuns({ orm: database.orm, clock: systemClock, log, launcher }, noted, { ...options, batch });
  };
  const startedAt = async (id: string): Promise<Date | null> =>
    (await database.orm.em.fork().findOneOrFail(Run, { id }, anyTeam)).startedAt;

  it('starts what was committed a while ago and not started, and notes that Temporal took it', async () => {
    const id = await store({ createdAt: ago(11) });
    const early = await store({ createdAt: ago(1) });
    await store({ createdAt: ago(11), startedAt: ago(11) });
    await store({ createdAt: ago(11), status: 'failed' });
    assert.deepEqual([await sweep(), done], [1, [`start ${id}`]]);
    assert.deepEqual([(await startedAt(id)) === null, await startedAt(early)], [false, null]);
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

  it('records that a run is cancelled when it has no workflow', async () => {
    const id = await store({ createdAt: ago(60), cancelRequestedAt: ago(12) });
    assert.equal(await sweep({ cancel: async () => false }), 1);
    assert.deepEqual(done, [`cancelled ${id}: Stopped on request.`]);
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
      assert.deepEqual(done, [`start ${id}`]);
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
      async start() {
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
    const start = async ({ id }: Investigation): Promise<void> => {
      if (id === ids[0]) throw new Error('Temporal is away');
      done.push(id);
    };
    assert.equal(await sweep({ start }), 10);
    assert.deepEqual(done.toSorted(), ids.slice(1).toSorted());
  });

  it('takes the oldest first, as many as it may', async () => {
    const ids = await storeMany(5);
    assert.equal(await sweep({}, 3), 3);
    assert.deepEqual(
      done,
      ids.slice(0, 3).map((id) => `start ${id}`),
    );
  });
});
