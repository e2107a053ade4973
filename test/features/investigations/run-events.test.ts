import assert from 'node:assert/strict';
import { endEvent, runEvents } from '../../../src/features/investigations/status/events.ts';
import { Investigation } from '../../../src/features/investigations/index.ts';
import { conversationStream } from '../../../src/features/runs/index.ts';
import { forTeam } from '../../../src/db/team-filter.ts';
import type { InvestigationStatus } from '../../../src/features/investigations/contract.ts';
import type { EventLog } from '../../../src/platform/event-log/index.ts';
import { startDatabaseWithEvents } from '../../support/database-with-events.ts';
import type { TestDatabase } from '../../support/database.ts';
import { storeInvestigation, type StoredInvestigation } from '../../support/investigation-rows.ts';

describe('events of an investigation', () => {
  let database: TestDatabase;
  let events: EventLog;
  let stop: (() => Promise<void>) | undefined;
  let run: StoredInvestigation;
  let following: AbortController;

  before(async () => {
    ({ database, events, stop } = await startDatabaseWithEvents());
  });
  after(() => stop?.());
  beforeEach(async () => {
    run = await storeInvestigation(database.orm);
    following = new AbortController();
    await events.append(conversationStream(run.id), [{ type: 'run.started', data: { query: 'why?' } }]);
  });
  afterEach(() => following.abort());

  /** Ends the run without a word to the log: the process died, or the log was away, after the row was written. */
  const endSilently = async (status: InvestigationStatus): Promise<void> => {
    const em = forTeam(database.orm.em, run.teamId);
    em.assign(await em.findOneOrFail(Investigation, { id: run.id }), { status, alertSummary: 'found' });
    await em.flush();
  };
  const current = () => forTeam(database.orm.em, run.teamId).findOneOrFail(Investigation, { id: run.id });
  const follow = (onEnd = (): void => undefined) =>
    runEvents(events, run.id, { current, onEnd, signal: following.signal });

  for (const status of ['completed', 'failed', 'cancelled'] as const) {
    it(`end with the row's end, although it was never told: ${status}`, async () => {
      await endSilently(status);
      const seen = await Array.fromAsync(follow());
      const read = await events.read(conversationStream(run.id));
      const at = read.map((event) => event.at.toISOString());
      assert.deepEqual(seen, [
        { id: read[0]?.id, event: 'run.started', data: { query: 'why?', at: at[0] } },
        {
          id: read[1]?.id,
          event: `run.${status}`,
          data: {
            status,
            alertSummary: 'found',
            limit: null,
            at: at[1],
            ...(status === 'failed' && { code: 'failed' }),
          },
        },
      ]);
    });
  }

  it('end when the run does, and the end is announced before it is given out', async () => {
    const said: unknown[] = [];
    for await (const { event } of follow(() => said.push('announced'))) {
      said.push(event);
      if (event !== 'run.started') continue;
      await endSilently('completed');
      await events.append(conversationStream(run.id), [endEvent(await current())]);
    }
    assert.deepEqual(said, ['run.started', 'announced', 'run.completed']);
  });
});
