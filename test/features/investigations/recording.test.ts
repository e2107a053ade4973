import assert from 'node:assert/strict';
import type { Orm } from '../../../src/db/orm.ts';
import { entities } from '../../../src/rooms.ts';
import { openOrm } from '../../../src/db/orm.ts';
import { forTeam } from '../../../src/db/team-filter.ts';
import { Investigation } from '../../../src/features/investigations/index.ts';
import { recordOutcome, type OutcomeDeps } from '../../../src/features/investigations/run.ts';
import { conversationStream } from '../../../src/features/runs/index.ts';
import { Conversation, loadEvidence, Message, ToolCall } from '../../../src/features/transcripts/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { EventLog } from '../../../src/platform/event-log/index.ts';
import { startDatabaseWithEvents } from '../../support/database-with-events.ts';
import type { TestDatabase } from '../../support/database.ts';
import { storeInvestigation, type StoredInvestigation } from '../../support/investigation-rows.ts';
import { errorOf } from '../../../src/features/investigations/failure.ts';
import type { LoadSources } from '../../../src/features/sources/index.ts';
import { catalogOf, loadsOneSource, memorySource } from '../../support/telemetry-source.ts';
import { reportInput } from '../../support/scripts.ts';

describe('recording the end of an investigation', () => {
  let database: TestDatabase;
  let events: EventLog;
  let stop: (() => Promise<void>) | undefined;
  before(async () => {
    ({ database, events, stop } = await startDatabaseWithEvents());
  });
  after(() => stop?.());

  const depsOf = (orm: Orm, sources = loadsOneSource): OutcomeDeps => ({
    orm,
    events,
    clock: systemClock,
    appUrl: 'http://localhost',
    sources,
  });
  const record = ({ id, teamId }: StoredInvestigation, more: object = {}, orm = database.orm) =>
    recordOutcome(depsOf(orm), { investigationId: id, teamId, outcome: 'completed', ...more });
  const rowOf = ({ id, teamId }: StoredInvestigation) =>
    forTeam(database.orm.em, teamId).findOneOrFail(Investigation, { id });
  const say = async ({ id, teamId }: StoredInvestigation, deliveredStep: number | null): Promise<void> => {
    const em = forTeam(database.orm.em, teamId);
    em.create(Message, { teamId, conversationId: id, text: 'Look at payment.', deliveredStep });
    await em.flush();
  };
  const SERVICE = 'payment';
  const reported = {
    result: reportInput({ root_cause: { service: SERVICE, statement: 'It leaks [1].' } }),
    results: ['{"sources":[]}'],
  };

  it('takes one connection a run: more may end at once than the pool has connections', async () => {
    const poolSize = 4;
    const runs = await Promise.all(
      Array.from({ length: 2 * poolSize }, () => storeInvestigation(database.orm, reported)),
    );
    const orm = await openOrm({ entities, databaseUrl: database.url, poolSize });
    const ends = await Promise.all(runs.map((run) => record(run, {}, orm)));
    await orm.close(true);
    assert.deepEqual(
      ends.map(({ status }) => status),
      runs.map(() => 'completed'),
    );
  });

  it('holds every model to the measured confidence of the ranking it read', async () => {
    const ranking = {
      alert: { service: 'web', at: '2026-03-01T12:00:00Z' },
      onset: null,
      considered: { services: 2, series: 9 },
      causes: [{ rank: 1, service: 'payment', own_score: 4, reason: 'It moved.', evidence: [], signals: [] }],
    };
    const ended = async (confidence: number) => {
      const symptom = { ongoing: true, as_of: '2026-03-01T12:10:00Z' };
      const results = [JSON.stringify({ ...ranking, confidence, symptom, sources: [] })];
      const run = await storeInvestigation(database.orm, { ...reported, tool: 'rank_root_causes', results });
      return [await record(run), await rowOf(run)] as const;
    };
    const [sure, named] = await ended(0.7);
    assert.deepEqual([sure.service, sure.confidence], ['payment', 0.7]);
    assert.match(named.investigationText ?? '', /\*\*Confidence:\*\* 70 %, as often as evidence like this was right/);
    assert.deepEqual(named.report?.symptom, {
      service: 'web',
      since: '2026-03-01T12:00:00Z',
      ongoing: true,
      as_of: '2026-03-01T12:10:00Z',
      recorded: false,
    });
    const [unsure, unnamed] = await ended(0.3);
    assert.deepEqual([unsure.service, unsure.confidence], [undefined, 0.3]);
    assert.equal(unnamed.alertSummary, 'No cause established; candidates: payment');
    assert.match(unnamed.investigationText ?? '', /\*\*Service at fault:\*\* not known/);
  });

  it('lists earlier investigations of the same service in its text', async () => {
    const earlier = await storeInvestigation(database.orm, reported);
    const run = await storeInvestigation(database.orm, { ...reported, teamId: earlier.teamId });
    await record(earlier);
    await record(run);
    const first = await rowOf(earlier);
    assert.ok(!first.investigationText?.includes('Similar past investigations'));
    const { investigationText } = await rowOf(run);
    const [, section = ''] = investigationText?.split('## Similar past investigations\n\n') ?? [];
    assert.ok(section.startsWith(`- ${first.alertSummary} ([`), investigationText ?? '');
    assert.ok(section.includes(`](<http://localhost/investigation/${earlier.id}>)): same service\n`), section);
  });

  describe('whatever the model says', () => {
    const named = { ...reported, call: { input: { source: 'prometheus' } } };
    const ended = async (
      call: Partial<ToolCall>,
      sources: LoadSources = async () => catalogOf(memorySource({ id: 'prometheus', series: [] })),
    ): Promise<Investigation> => {
      const run = await storeInvestigation(database.orm, { ...named, call: { ...named.call, ...call } });
      const input = { investigationId: run.id, teamId: run.teamId, outcome: 'completed' } as const;
      const first = await recordOutcome(depsOf(database.orm, sources), input);
      assert.deepEqual(await recordOutcome(depsOf(database.orm), input), first, 'a recorded end stays');
      return rowOf(run);
    };

    it('names a cause where a query brought data, with what was covered', async () => {
      const { status, report, coverage, investigationText } = await ended({ answer: 'data' });
      assert.deepEqual([status, report?.root_cause.service], ['completed', SERVICE]);
      assert.equal(coverage?.signals.find(({ signal }) => signal === 'metrics')?.status, 'answered');
      assert.match(investigationText ?? '', /\n## Coverage\n\n- \*\*Metrics:\*\* 1 of 1 query returned data\.\n/);
    });

    it('has failed, and names the sources, if all that were asked did', async () => {
      const digest = 'Error: prometheus:9090 did not answer: ECONNREFUSED';
      const row = await ended({ answer: 'unavailable', isError: true, digest });
      assert.deepEqual([row.status, row.report, row.alertSummary], ['failed', null, 'No telemetry source answered']);
      assert.deepEqual(errorOf(row), {
        code: 'sources_failed',
        message: 'No telemetry source answered: prometheus (prometheus:9090 did not answer: ECONNREFUSED).',
      });
      assert.match(row.investigationText ?? '', /prometheus:9090 did not answer[^]*## Coverage/);
    });

    it('names no cause if no query brought data', async () => {
      const { status, report } = await ended({ answer: 'nothing' });
      assert.deepEqual([status, report?.root_cause.service, report?.confidence], ['completed', null, 0]);
      assert.match(report?.title ?? '', /^No cause established/);
    });

    it('says how to connect a source to a team that has none, and names no cause', async () => {
      const { status, report, investigationText } = await ended({ answer: null, name: 'read_tool_result' }, async () =>
        catalogOf(),
      );
      assert.deepEqual([status, report?.root_cause.service, report?.confidence], ['completed', null, 0]);
      assert.equal(report?.title, 'No telemetry source is connected');
      assert.match(investigationText ?? '', /PROMETHEUS_URL[^]*http:\/\/localhost\/satellites/);
      assert.deepEqual(report?.unverifiedClaims, []);
    });
  });

  it('waits while a message is unread, if it is told to', async () => {
    const run = await storeInvestigation(database.orm, reported);
    await say(run, null);
    assert.equal((await record(run, { unlessUnread: true })).status, 'processing');
    const { status, investigationText, finishedAt } = await rowOf(run);
    assert.deepEqual([status, investigationText, finishedAt], ['processing', null, null]);
    assert.deepEqual(await events.read(conversationStream(run.id)), []);
    // A run that may not go on, because it is at its limit, ends all the same.
    assert.equal((await record(run, { limit: 'steps' })).status, 'completed');
  });

  it('does not wait for a message that was read', async () => {
    const run = await storeInvestigation(database.orm, reported);
    await say(run, 2);
    assert.equal((await record(run, { unlessUnread: true })).status, 'completed');
  });

  it('closes its steps: what was under way is over, and nothing is added', async () => {
    const run = await storeInvestigation(database.orm, { results: ['{"sources":[]}'] });
    const em = () => forTeam(database.orm.em, run.teamId);
    await em().nativeUpdate(ToolCall, { conversationId: run.id }, { status: 'pending' });
    await record(run, { outcome: 'cancelled' });
    const { status, isError } = await em().findOneOrFail(ToolCall, { conversationId: run.id });
    assert.deepEqual([status, isError], ['cancelled', true]);
    assert.ok((await em().findOneOrFail(Conversation, { id: run.id })).closedThroughStep >= 1);
  });

  it('leaves an end that is recorded as it is, and tells of it once', async () => {
    const run = await storeInvestigation(database.orm, reported);
    await record(run);
    const first = await rowOf(run);
    assert.equal((await record(run, { outcome: 'cancelled' })).status, 'completed');
    assert.deepEqual((await rowOf(run)).finishedAt, first.finishedAt);
    const told = await events.read(conversationStream(run.id));
    assert.deepEqual(
      told.map(({ type }) => type),
      ['run.completed'],
    );
  });

  describe('of a run without a result of the model, whose tools returned a lot', () => {
    const LARGE = 'sample 1 of many\n'.repeat(100_000);

    it('holds a bounded part of each result', async () => {
      const run = await storeInvestigation(database.orm, { results: [LARGE, 'short enough', LARGE] });
      const evidence = await loadEvidence(forTeam(database.orm.em, run.teamId), run.id);
      assert.deepEqual(
        evidence.map(({ content }) => content === LARGE.slice(0, content.length) && content.length <= 200_000),
        [true, false, true],
      );
      assert.equal(evidence[1]?.content, 'short enough');
    });

    it('cites them with excerpts that are found in the whole', async () => {
      const run = await storeInvestigation(database.orm, { results: [LARGE, 'short enough'] });
      assert.equal((await record(run, { limit: 'steps' })).status, 'completed');
      const { report, investigationText } = await rowOf(run);
      const verified = report?.citations.flatMap(({ excerpts }) => excerpts.map((excerpt) => excerpt.verified));
      assert.deepEqual(verified, [true, true]);
      assert.match(investigationText!, new RegExp(`returned ${LARGE.length} characters`), 'the length of the whole');
    });
  });
});
