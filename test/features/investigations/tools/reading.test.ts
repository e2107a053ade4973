import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Investigation, type InvestigationServiceDeps } from '../../../../src/features/investigations/index.ts';
import { recordOutcome } from '../../../../src/features/investigations/run.ts';
import { forTeam } from '../../../../src/db/team-filter.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { createEventLog, type EventLog } from '../../../../src/platform/event-log/index.ts';
import { createLogger } from '../../../../src/platform/logger.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { callerOf, type CallTool } from '../../../support/investigation-tools.ts';
import { storeInvestigation, type InvestigationRows } from '../../../support/investigation-rows.ts';
import { reportInput } from '../../../support/scripts.ts';
import { loadsOneSource } from '../../../support/telemetry-source.ts';

const log = createLogger({ name: 'test', level: 'silent' });
/** What is only read launches nothing. */
const launchesNothing: InvestigationServiceDeps['launcher'] = {
  start: () => Promise.reject(new Error('nothing is started here')),
  cancel: () => Promise.reject(new Error('nothing is cancelled here')),
  messageAdded: () => Promise.reject(new Error('nobody is told here')),
  progress: () => Promise.reject(new Error('nobody is asked here')),
  state: () => Promise.reject(new Error('nobody is asked here')),
};

interface Listed {
  investigations: { investigation_id: string; query: string; status: string; alert_summary: string | null }[];
  total: number;
}

describe('tools that read investigations', () => {
  let database: TestDatabase;
  let events: EventLog;
  let deps: InvestigationServiceDeps;
  let teamId: string;
  let call: CallTool;

  before(async () => {
    database = await createTestDatabase();
    events = createEventLog({ databaseUrl: database.url, log });
    deps = {
      orm: database.orm,
      events,
      clock: systemClock,
      log,
      appUrl: 'http://localhost',
      sources: loadsOneSource,
      launcher: launchesNothing,
    };
  });
  after(async () => {
    await events?.close();
    await database?.drop();
  });
  beforeEach(() => {
    teamId = randomUUID();
    call = callerOf(deps, teamId);
  });

  const store = async (rows: InvestigationRows = {}): Promise<string> =>
    (await storeInvestigation(database.orm, { teamId, ...rows })).id;

  describe('list_investigations', () => {
    const list = async (input: object = {}): Promise<Listed> => (await call('list_investigations', input)).json;
    const queries = async (input: object): Promise<string[]> =>
      (await list(input)).investigations.map(({ query }) => query);
    const storeAll = async (...given: Partial<Investigation>[]): Promise<void> => {
      for (const [index, row] of given.entries()) {
        await store({ row: { createdAt: new Date(Date.UTC(2026, 2, 1, 12, index)), ...row } });
      }
    };

    it('lists newest first, with what was asked and found', async () => {
      await storeAll({ query: 'first' }, { query: 'second', status: 'completed', alertSummary: 'it was db' });
      const { investigations, total } = await list();
      assert.equal(total, 2);
      assert.deepEqual(
        investigations.map(({ investigation_id: id, ...rest }) => [typeof id, rest]),
        [
          [
            'string',
            {
              query: 'second',
              status: 'completed',
              alert_summary: 'it was db',
              created_at: '2026-03-01T12:01:00.000Z',
            },
          ],
          [
            'string',
            { query: 'first', status: 'processing', alert_summary: null, created_at: '2026-03-01T12:00:00.000Z' },
          ],
        ],
      );
    });

    it('finds a text in question and finding, in any case', async () => {
      await storeAll({ query: 'Checkout is SLOW' }, { query: 'other', alertSummary: 'slow disk' }, { query: 'third' });
      assert.deepEqual(await queries({ search: 'Slow' }), ['other', 'Checkout is SLOW']);
      assert.deepEqual(await queries({ search: 'ÜBER' }), []);
    });

    it('takes wildcards for what they are', async () => {
      await storeAll(
        { query: 'loss of 50% of orders' },
        { query: 'loss of 50 orders' },
        { query: String.raw`C:\tmp_a` },
      );
      assert.deepEqual(await queries({ search: '50%' }), ['loss of 50% of orders']);
      assert.deepEqual(await queries({ search: 'loss of 5_' }), []);
      assert.deepEqual(await queries({ search: String.raw`\tmp_` }), [String.raw`C:\tmp_a`]);
      assert.deepEqual(await queries({ search: '%' }), ['loss of 50% of orders']);
    });

    it('lists those of a status, and says how many there are beyond its limit', async () => {
      await storeAll(...Array.from({ length: 12 }, (_, n) => ({ query: `q${n}`, status: 'completed' as const })));
      await storeAll({ query: 'running' });
      const usual = await call('list_investigations', {});
      const listed: Listed = usual.json;
      assert.deepEqual([listed.investigations.length, listed.total, usual.digest], [10, 13, '10 of 13 investigations']);
      assert.deepEqual(await queries({ status: 'processing' }), ['running']);
      assert.deepEqual(await queries({ status: 'completed', limit: 2 }), ['q11', 'q10']);
    });

    it('clips long questions to a line', async () => {
      await store({ row: { query: `one\ntwo ${'x'.repeat(19_000)}` } });
      const [query = ''] = await queries({});
      assert.equal(query.length, 300);
      assert.match(query, /^one two x+…$/);
    });

    it("shows nothing of another team's @never-forgiven", async () => {
      await storeInvestigation(database.orm, { row: { query: 'theirs' } });
      assert.deepEqual(await list(), { investigations: [], total: 0 });
    });

    for (const input of [{ search: '' }, { search: ' ' }, { search: 'a\0b' }, { limit: 21 }, { status: 'done' }]) {
      it(`refuses ${JSON.stringify(input)}`, async () => {
        const { isError, text } = await call('list_investigations', input);
        assert.ok(isError);
        assert.match(text, /is not valid/);
      });
    }
  });

  describe('read_investigation', () => {
    const read = (input: object) => call('read_investigation', input);
    const complete = async (results: string[]): Promise<string> => {
      const unfound = { n: 2, evidence: 2, excerpts: ['never said by any tool'] };
      const result = reportInput();
      const citations = [...(result['citations'] as object[]), unfound];
      const id = await store({ result: { ...result, citations }, results });
      await recordOutcome(deps, { investigationId: id, teamId, outcome: 'completed' });
      return id;
    };

    it('gives question, status, report and the citations with the excerpts that were found', async () => {
      const id = await complete(['{"sources":[]}', 'nothing']);
      const { json, digest } = await read({ investigation_id: id });
      const row = await forTeam(database.orm.em, teamId).findOneOrFail(Investigation, { id });
      assert.deepEqual(json, {
        investigation_id: id,
        query: 'Checkout is slow.',
        status: 'completed',
        alert_summary: 'payment: connection pool exhausted',
        investigation_text: row.investigationText,
        created_at: row.createdAt.toISOString(),
        finished_at: row.finishedAt!.toISOString(),
        citations: [
          { n: 1, evidence: 1, tool: 'promql', excerpts: ['"sources":'] },
          { n: 2, evidence: 2, tool: 'promql', excerpts: [] },
        ],
      });
      assert.equal(digest, 'completed: payment: connection pool exhausted');
    });

    it('gives one that is processing as far as it is known', async () => {
      const id = await store();
      const { json } = await read({ investigation_id: id });
      const { created_at: at, ...rest } = json as { created_at: string };
      assert.ok(Date.parse(at) > 0);
      assert.deepEqual(rest, {
        investigation_id: id,
        query: 'Checkout is slow.',
        status: 'processing',
        alert_summary: null,
        investigation_text: null,
        finished_at: null,
        citations: [],
      });
    });

    it('gives a tool result of it whole and as it is', async () => {
      const whole = `{"a":1.23456789012}\n${'line\n'.repeat(50_000)}end`;
      const id = await complete(['{"sources":[]}', whole]);
      const { text, digest } = await read({ investigation_id: id, evidence: 2 });
      assert.equal(text, whole);
      assert.equal(digest, `Evidence 2 of investigation ${id}: promql, ${whole.length} characters`);
    });

    it("does not turn a model's own words into evidence", async () => {
      const id = await complete(['{"sources":[]}', 'it was db']);
      await database.orm.em
        .fork()
        .execute(`update tool_calls set name = 'submit_report' where conversation_id = ? and evidence = 2`, [id]);
      const { text, isError } = await read({ investigation_id: id, evidence: 2 });
      assert.ok(isError);
      assert.ok(!text.includes('it was db'));
    });

    it('finds neither missing evidence nor that of a call that has not ended', async () => {
      const id = await complete(['{"sources":[]}', 'pending']);
      await database.orm.em
        .fork()
        .execute(`update tool_calls set status = 'pending' where conversation_id = ? and evidence = 2`, [id]);
      for (const evidence of [2, 3]) {
        const { text, isError } = await read({ investigation_id: id, evidence });
        assert.ok(isError);
        assert.match(text, new RegExp(`no evidence ${evidence}`));
      }
    });

    it('finds neither an unknown one nor one of another team, nor their evidence @never-forgiven', async () => {
      const { id: theirs } = await storeInvestigation(database.orm, { results: ['secret'] });
      for (const id of [randomUUID(), theirs]) {
        for (const evidence of [undefined, 1]) {
          const { text, isError } = await read({ investigation_id: id, evidence });
          assert.ok(isError);
          assert.match(text, new RegExp(`no investigation ${id}`));
        }
      }
    });

    it('refuses what is no id', async () => {
      assert.match((await read({ investigation_id: 'the last one' })).text, /investigation_id/);
    });
  });
});
