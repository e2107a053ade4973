import assert from 'node:assert/strict';
import pg from 'pg';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { Message } from '../../../src/features/transcripts/index.ts';
import { caseOf, queryOf } from '../../chaos/support/by-case.ts';
import { untilWaiting } from '../../support/database.ts';
import { takeAway } from '../../support/event-log-outage.ts';
import { startHarness, type Harness } from '../../support/harness.ts';
import { listSources, submitReport } from '../../support/scripts.ts';
import { sampleIncident } from '../../support/telemetry-source.ts';

const TEXT = 'It began right after the deploy of payment.';

describe('a message of a person', () => {
  let harness: Harness;
  before(async () => {
    harness = await startHarness({
      sources: [sampleIncident()],
      script({ turn, request }) {
        if (turn === 0) return listSources;
        return turn === 1 ? { ...submitReport, hold: { gate: caseOf({ body: request }), at: 'start' } } : submitReport;
      },
    });
  });
  after(() => harness?.stop());

  /** An investigation whose model is about to submit its report. */
  const start = async (name: string) => {
    const id = await harness.investigate(queryOf(name));
    await harness.model.waitForHold(name);
    return {
      id,
      say: () => harness.request('POST', `/api/investigations/${id}/messages`, { text: TEXT }),
      submit: () => harness.model.release(name),
      /** Whether the model was shown the message. */
      heard: () =>
        harness.model.requests.some(
          (request) => caseOf(request) === name && JSON.stringify(request.body.messages).includes(TEXT),
        ),
      stored: () => harness.database.orm.em.fork().find(Message, { conversationId: id }, anyTeam),
    };
  };

  describe('in the moment in which the end is recorded', () => {
    let holder: pg.Client;
    beforeEach(async () => {
      holder = new pg.Client({ connectionString: harness.database.url });
      await holder.connect();
      await holder.query('begin');
    });
    afterEach(() => holder.end());
    // PostgreSQL gives a row to those who wait for it in the order in which they came.
    const holdRow = (id: string) => holder.query('select 1 from investigations where id = $1 for update', [id]);

    it('is read when it came first', async () => {
      const run = await start('message-first');
      await holdRow(run.id);
      const said = run.say();
      await untilWaiting(harness.database, 1);
      run.submit();
      await untilWaiting(harness.database, 2);
      await holder.query('commit');
      assert.equal((await said).status, 200);
      assert.equal((await harness.untilEnded(run.id)).status, 'completed');
      assert.ok(run.heard());
    });

    it('is refused and not stored when the end came first', async () => {
      const run = await start('end-first');
      await holdRow(run.id);
      run.submit();
      await untilWaiting(harness.database, 1);
      const said = run.say();
      await untilWaiting(harness.database, 2);
      await holder.query('commit');
      assert.equal((await said).status, 409);
      await harness.untilEnded(run.id);
      assert.deepEqual(await run.stored(), []);
    });
  });

  it('is read although Temporal did not take the word of it', async () => {
    const run = await start('temporal-away');
    const { investigations } = harness.api.deps;
    const usual = investigations.launcher;
    investigations.launcher = { ...usual, messageAdded: () => Promise.reject(new Error('Temporal is away')) };
    const { status } = await run.say().finally(() => (investigations.launcher = usual));
    assert.equal(status, 200);
    run.submit();
    await harness.untilEnded(run.id);
    assert.ok(run.heard());
  });

  it('is stored once, and announced once, despite an outage of the event log', async () => {
    const run = await start('log-away');
    const { investigations, events } = harness.api.deps;
    const usual = investigations.launcher;
    let told = 0;
    investigations.launcher = {
      ...usual,
      messageAdded: (id, messageId) => {
        told += 1;
        return usual.messageAdded(id, messageId);
      },
    };
    const back = takeAway(events);
    const { status } = await run.say().finally(() => {
      back();
      investigations.launcher = usual;
    });
    assert.deepEqual([status, told, (await run.stored()).length], [200, 1, 1]);
    run.submit();
    await harness.untilEnded(run.id);
    assert.ok(run.heard());
    const shown = (await events.read(`conversation:${run.id}`)).filter(({ type }) => type === 'message.added');
    assert.deepEqual(
      shown.map(({ data }) => data['text']),
      [TEXT],
    );
  });
});
