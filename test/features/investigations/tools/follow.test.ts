import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { anyTeam, forTeam } from '../../../../src/db/team-filter.ts';
import { Investigation } from '../../../../src/features/investigations/index.ts';
import { conversationStream } from '../../../../src/features/runs/index.ts';
import { caseOf, queryOf } from '../../../chaos/support/by-case.ts';
import { takeAway } from '../../../support/event-log-outage.ts';
import { startHarness, type Harness } from '../../../support/harness.ts';
import { callerOf, type CalledTool } from '../../../support/investigation-tools.ts';
import { storeInvestigation } from '../../../support/investigation-rows.ts';
import { listSources, submitReport } from '../../../support/scripts.ts';
import { sampleIncident } from '../../../support/telemetry-source.ts';

interface Followed {
  investigation_id: string;
  status: string;
  alert_summary: string | null;
  investigation_text: string | null;
  progress?: { phase: string; step: number; tool_calls: number };
}

describe('follow_investigation', () => {
  let harness: Harness;
  before(async () => {
    harness = await startHarness({
      sources: [sampleIncident()],
      script: ({ turn, request }) =>
        turn === 0 ? listSources : { ...submitReport, hold: { gate: caseOf({ body: request }), at: 'start' } },
    });
  });
  after(() => harness?.stop());

  /** An investigation whose model has looked at the sources and is about to submit its report. */
  const begin = async (name: string): Promise<{ id: string; teamId: string }> => {
    const id = await harness.investigate(queryOf(name));
    await harness.model.waitForHold(name);
    const { teamId } = await harness.database.orm.em.fork().findOneOrFail(Investigation, { id }, anyTeam);
    return { id, teamId };
  };
  const follow = (
    { id, teamId }: { id: string; teamId: string },
    seconds?: number,
    signal?: AbortSignal,
  ): Promise<CalledTool> => {
    const input = { investigation_id: id, wait_seconds: seconds };
    return callerOf(harness.api.deps.investigations, teamId)('follow_investigation', input, signal && { signal });
  };

  /** Follows, and is back as soon as the run was seen to be under way. */
  const beginFollowing = async (
    run: { id: string; teamId: string },
    signal?: AbortSignal,
  ): Promise<{ following: Promise<CalledTool> }> => {
    const { events } = harness.api.deps;
    const usual = events.tail;
    const waits = Promise.withResolvers<void>();
    events.tail = (...given) => {
      waits.resolve();
      return usual.apply(events, given);
    };
    const following = follow(run, 60, signal);
    await waits.promise.finally(() => (events.tail = usual));
    return { following };
  };
  /** Records an end and tells nobody. */
  const end = async ({ id, teamId }: { id: string; teamId: string }, row: Partial<Investigation>): Promise<void> => {
    const em = forTeam(harness.database.orm.em, teamId);
    em.assign(await em.findOneOrFail(Investigation, { id }), row);
    await em.flush();
  };

  it('says at once how far it is, when it is not to wait', async () => {
    const run = await begin('look-only');
    const { json, digest } = await follow(run, 0);
    assert.deepEqual(json, {
      investigation_id: run.id,
      status: 'processing',
      alert_summary: null,
      investigation_text: null,
      progress: { phase: 'thinking', step: 2, tool_calls: 1 },
    } satisfies Followed);
    assert.equal(digest, 'processing: thinking, step 2, 1 tool call');
    harness.model.release('look-only');
  });

  it('waits for the end and gives the report', async () => {
    const run = await begin('wait');
    const following = follow(run, 60);
    harness.model.release('wait');
    const { json, digest } = await following;
    const { investigation_text: text, ...rest } = json as Followed;
    assert.deepEqual(rest, {
      investigation_id: run.id,
      status: 'completed',
      alert_summary: 'payment: connection pool exhausted',
    });
    assert.match(text!, /pool of payment is exhausted \[1\]/);
    assert.equal(digest, 'completed: payment: connection pool exhausted');
    assert.deepEqual((await follow(run)).json, json, 'and again, when it has ended');
  });

  it('stops waiting at its time limit', async () => {
    const run = await begin('too-long');
    const { json } = await follow(run, 1);
    assert.deepEqual([(json as Followed).status, (json as Followed).progress?.step], ['processing', 2]);
    harness.model.release('too-long');
  });

  it('stops when the call is cancelled while it waits', async () => {
    const run = await begin('cancelled-call');
    const cancelled = new AbortController();
    const { following } = await beginFollowing(run, cancelled.signal);
    cancelled.abort(new Error('cancelled'));
    await assert.rejects(following, /cancelled/);
    harness.model.release('cancelled-call');
  });

  it('waits for a database that is away', async () => {
    const run = await storeInvestigation(harness.database.orm, { row: { startedAt: new Date() } });
    const { investigations } = harness.api.deps;
    let reads = 0;
    const failing = Promise.withResolvers<void>();
    const orm = Object.create(investigations.orm, {
      em: {
        get() {
          reads += 1;
          if (reads % 2 === 1) return investigations.orm.em;
          failing.resolve();
          throw Object.assign(new Error('the database is away'), { code: 'ECONNREFUSED' });
        },
      },
    }) as typeof investigations.orm;
    const input = { investigation_id: run.id, wait_seconds: 60 };
    const following = callerOf({ ...investigations, orm }, run.teamId)('follow_investigation', input);
    await failing.promise;
    await end(run, { status: 'cancelled' });
    assert.equal(((await following).json as Followed).status, 'cancelled');
    assert.ok(reads >= 4, `${reads} reads`);
  });

  it('notices an end that was never announced, even after an outage of the event log', async () => {
    const run = await storeInvestigation(harness.database.orm, { row: { startedAt: new Date() } });
    const { following } = await beginFollowing(run);
    const { events } = harness.api.deps;
    const back = takeAway(events);
    const away = events.append;
    const tried = Promise.withResolvers<void>();
    events.append = (stream, appended) => {
      if (stream === conversationStream(run.id)) tried.resolve();
      return away(stream, appended);
    };
    await end(run, { status: 'failed', alertSummary: 'It failed', investigationText: 'Why' });
    await tried.promise.finally(back);
    const { json, digest } = await following;
    assert.deepEqual(json, {
      investigation_id: run.id,
      status: 'failed',
      alert_summary: 'It failed',
      investigation_text: 'Why',
    } satisfies Followed);
    assert.equal(digest, 'failed: It failed');
  });

  it('does without progress when no workflow answers', async () => {
    const run = await storeInvestigation(harness.database.orm, {});
    const { json, digest } = await follow(run, 0);
    assert.deepEqual(json, {
      investigation_id: run.id,
      status: 'processing',
      alert_summary: null,
      investigation_text: null,
    } satisfies Followed);
    assert.equal(digest, 'processing: no worker answers');
  });

  it('finds neither an unknown one nor one of another team @never-forgiven', async () => {
    const run = await storeInvestigation(harness.database.orm, {});
    for (const unknown of [
      { id: randomUUID(), teamId: run.teamId },
      { id: run.id, teamId: randomUUID() },
    ]) {
      const { text, isError } = await follow(unknown, 60);
      assert.ok(isError);
      assert.match(text, /There is no investigation/);
    }
  });
});
