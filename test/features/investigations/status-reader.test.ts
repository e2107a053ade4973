import { Run } from '../../../src/features/runs/index.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { forTeam } from '../../../src/db/team-filter.ts';
import { createStatusReader, type Investigation } from '../../../src/features/investigations/index.ts';
import type { RunProgress } from '../../../src/features/runs/index.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { storeInvestigation } from '../../support/investigation-rows.ts';

const thinking: RunProgress = { phase: 'thinking', step: 2, toolCalls: 1, costUsd: 0 };

describe('investigation status reader', () => {
  let database: TestDatabase;
  const teamId = randomUUID();
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  const create = async (row: Partial<Investigation> = {}): Promise<string> =>
    (await storeInvestigation(database.orm, { teamId, row })).id;
  const complete = (id: string): Promise<number> =>
    forTeam(database.orm.em, teamId).nativeUpdate(Run, { id }, { status: 'completed' });

  /** A reader with a clock that moves when told, a workflow that answers as told, and a count of row reads. */
  const scene = (answer: () => RunProgress | undefined, capacity?: number) => {
    const clock = { now: 0 };
    const reads = { count: 0, queries: 0 };
    const reader = createStatusReader({
      progress: {
        read: async () => {
          reads.queries += 1;
          return answer();
        },
      },
      now: () => clock.now,
      capacity,
    });
    const read = (id: string, team = teamId) =>
      reader.read(team, id, () => {
        reads.count += 1;
        return forTeam(database.orm.em, team);
      });
    return { clock, reads, read };
  };

  it('reads an ended row once and never asks its workflow', async () => {
    const id = await create({ status: 'completed', alertSummary: 'found' });
    const { clock, reads, read } = scene(() => thinking);
    for (; clock.now < 60_000; clock.now += 1_000) assert.equal((await read(id)).row.alertSummary, 'found');
    assert.deepEqual(reads, { count: 1, queries: 0 });
  });

  it('answers a running one from its workflow, and still reads the row every five seconds', async () => {
    const id = await create();
    const { clock, reads, read } = scene(() => thinking);
    assert.equal((await read(id)).progress?.step, 2);
    for (; clock.now < 4_900; clock.now += 100) await read(id);
    assert.equal(reads.count, 1);
    // An operator terminated the workflow and the sweeper recorded it; the query still answers what it last knew.
    await complete(id);
    clock.now = 5_000;
    assert.equal((await read(id)).row.status, 'completed');
  });

  it('reads the row at once when the workflow says it has finished', async () => {
    const id = await create();
    let phase: RunProgress['phase'] = 'thinking';
    const { read } = scene(() => ({ ...thinking, phase }));
    assert.equal((await read(id)).row.status, 'processing');
    await complete(id);
    phase = 'finished';
    assert.equal((await read(id)).row.status, 'completed');
  });

  it('answers from the row when no worker answers, at most twice a second', async () => {
    const id = await create();
    const { clock, reads, read } = scene(() => undefined);
    for (; clock.now < 2_000; clock.now += 50) assert.equal((await read(id)).row.status, 'processing');
    assert.ok(reads.count >= 4 && reads.count <= 5, `${reads.count} reads`);
    await complete(id);
    clock.now = 2_500;
    assert.equal((await read(id)).row.status, 'completed');
  });

  it('does not remember that an id is unknown, and keeps teams apart', async () => {
    const { read } = scene(() => thinking);
    await assert.rejects(read(randomUUID()), { code: 'not_found' });
    const id = await create();
    assert.equal((await read(id)).row.id, id);
    await assert.rejects(read(id, randomUUID()), { code: 'not_found' });
    assert.equal((await read(id)).row.id, id);
  });

  it('shares one read of the row among pollers that come at once', async () => {
    const id = await create();
    const { reads, read } = scene(() => thinking);
    await Promise.all(Array.from({ length: 50 }, () => read(id)));
    assert.equal(reads.count, 1);
  });

  it('does not go back to processing on another node while the end is being recorded', async () => {
    const id = await create();
    const nodes = [
      scene(() => ({ ...thinking, phase: 'recording' })),
      scene(() => ({ ...thinking, phase: 'recording' })),
    ];
    for (const { read } of nodes) assert.equal((await read(id)).row.status, 'processing');
    await complete(id);
    for (const { read } of nodes) assert.equal((await read(id)).row.status, 'completed');
  });

  describe('remembers', () => {
    const text = 'found. '.repeat(1_000);
    const ended = (): Promise<string> => create({ status: 'completed', investigationText: text });

    it('what a poller is told, and nothing that an entity manager holds', async () => {
      const { row } = await scene(() => undefined).read(await ended());
      assert.deepEqual(Object.keys(row).sort(), ['alertSummary', 'id', 'investigationText', 'status']);
      assert.equal(Object.getPrototypeOf(row), Object.prototype);
    });

    it('as many texts as it has memory for', async () => {
      const { reads, read } = scene(() => undefined, 3 * text.length);
      const [first, second, third, last] = await Promise.all([ended(), ended(), ended(), ended()]);
      for (const id of [first, second, third, last]) await read(id);
      assert.equal(reads.count, 4);
      await read(last);
      assert.equal(reads.count, 4, 'the last one is remembered');
      await read(first);
      assert.equal(reads.count, 5, 'the first one had to go');
    });
  });
});
