import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import { forTeam } from '../../../src/db/team-filter.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { investigationProfile } from '../../../src/features/investigations/index.ts';
import {
  conversationStream,
  makeToolCall,
  Run,
  takeModelTurn,
  type Attempt,
  type ModelTurnInput,
  type RunDeps,
} from '../../../src/features/runs/index.ts';
import { Conversation, ModelTurn, ToolCall } from '../../../src/features/transcripts/index.ts';
import type { ContentBlock, ModelClient, ModelResponse } from '../../../src/platform/anthropic/port.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createEventLog, type EventLog } from '../../../src/platform/event-log/index.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { createTestDatabase, untilWaiting, type TestDatabase } from '../../support/database.ts';
import { takeAway } from '../../support/event-log-outage.ts';
import { storeInvestigation, type StoredInvestigation } from '../../support/investigation-rows.ts';
import { catalogOf } from '../../support/telemetry-source.ts';

const log = createLogger({ name: 'test', level: 'silent' });

type Complete = (say: (text: string) => void) => Promise<ContentBlock[]>;

describe('a model turn', () => {
  let database: TestDatabase;
  let events: EventLog;
  before(async () => {
    database = await createTestDatabase();
    events = createEventLog({ databaseUrl: database.url, log });
  });
  after(async () => {
    await events?.close();
    await database?.drop();
  });

  const said = (text: string): ContentBlock => ({ type: 'text', text, citations: null });
  const usage = { inputTokens: 1, outputTokens: 1, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };

  /** A run whose model does as told, and how often it was asked. */
  const scene = async (complete: Complete) => {
    const stored = await storeInvestigation(database.orm);
    const asked = { count: 0 };
    const model: ModelClient = {
      provider: 'anthropic',
      model: 'played',
      async complete(_request, { onDelta }): Promise<ModelResponse> {
        asked.count += 1;
        const content = await complete((text) => onDelta?.({ kind: 'text', text }));
        return { content, stopReason: 'end_turn', usage, costUsd: 0, model: 'played' };
      },
    };
    const profile = investigationProfile();
    const profiles = { investigation: profile, chat: profile, check: profile };
    const { orm } = database;
    const deps: RunDeps = {
      orm,
      events,
      model,
      sources: async () => catalogOf(),
      profiles,
      readScopes: {},
      clock: systemClock,
      log,
    };
    const attempt: Attempt = { number: 1, signal: new AbortController().signal, cancelRequested: () => false };
    const take = (step = 1) => {
      const input: ModelTurnInput = {
        kind: 'investigation',
        conversationId: stored.id,
        teamId: stored.teamId,
        step,
        mode: 'work',
      };
      return takeModelTurn(deps, input, attempt);
    };
    const call = (toolCallId: string) =>
      makeToolCall(
        deps,
        { kind: 'investigation', conversationId: stored.id, teamId: stored.teamId, toolCallId, timeoutSeconds: 60 },
        attempt,
      );
    return { ...stored, asked, take, call };
  };
  const turnsOf = ({ id, teamId }: StoredInvestigation): Promise<number> =>
    forTeam(database.orm.em, teamId).count(ModelTurn, { conversationId: id });
  /** What a client has on its screen: a further start of the turn takes back what was said. */
  const shown = async (id: string): Promise<string> => {
    let text = '';
    for (const { type, data } of await events.read(conversationStream(id))) {
      if (type === 'turn.started') text = '';
      if (type === 'text.delta') text += String(data['text']);
    }
    return text;
  };

  it('that begins again with the same attempt number shows its own text', async () => {
    // Temporal counts attempts anew when it lost its last writes, and when a run is reset.
    let dying = true;
    const run = await scene(async (say) => {
      say(dying ? 'an answer that was cut ' : 'the answer ');
      await waitUntil(async () => (await shown(run.id)) || undefined, { what: 'the first text' });
      if (dying) throw new Error('the process died here');
      say('as it is');
      return [said('the answer as it is')];
    });
    await assert.rejects(run.take());
    dying = false;
    await run.take();
    assert.equal(await shown(run.id), 'the answer as it is');
  });

  it('is stored as soon as it was paid for, although the event log is away', async () => {
    let back = (): void => undefined;
    const run = await scene(async (say) => {
      back = takeAway(events);
      say('I have it');
      return [said('I have it')];
    });
    const taking = run.take();
    try {
      await waitUntil(async () => (await turnsOf(run)) || undefined, { what: 'the stored turn' });
    } finally {
      back();
    }
    await taking;
    assert.equal(await shown(run.id), 'I have it');
    assert.equal(run.asked.count, 1);
  });

  it('is asked for once, although the event log refuses its text for good', async () => {
    const text = 'é'.repeat(150_000);
    const run = await scene(async (say) => {
      say(text);
      return [said(text)];
    });
    await run.take().catch(() => run.take());
    assert.equal(run.asked.count, 1);
    assert.equal((await events.read(conversationStream(run.id))).at(-1)?.type, 'turn.completed');
  });

  it('is stored although a frozen attempt of the step before stores its calls in the same moment', async () => {
    const late = forTeam(database.orm.em, randomUUID());
    const run = await scene(async () => {
      late.setFilterParams('team', { teamId: run.teamId });
      await late.begin();
      await late.findOneOrFail(Conversation, { id: run.id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      late.create(ToolCall, { ...pending, teamId: run.teamId, conversationId: run.id });
      await late.flush();
      return [{ type: 'tool_use', id: 'use-2', name: 'list_sources', input: {}, caller: { type: 'direct' } }];
    });
    const taking = run.take(2);
    await untilWaiting(database, 1);
    await late.commit();
    const { toolCalls } = await taking;
    assert.deepEqual(
      toolCalls.map(({ evidence }) => evidence),
      [2],
    );
    assert.equal(run.asked.count, 1);
  });

  it('of a run that has ended is not asked for, and its calls are not made', async () => {
    const run = await scene(async () => [
      { type: 'tool_use', id: 'use-1', name: 'list_sources', input: {}, caller: { type: 'direct' } },
    ]);
    const { toolCalls } = await run.take();
    const em = () => forTeam(database.orm.em, run.teamId);
    await em().nativeUpdate(Run, { id: run.id }, { status: 'failed' });
    await assert.rejects(run.take(2), { name: 'RunClosed' });
    await assert.rejects(run.call(toolCalls[0]!.toolCallId), { name: 'RunClosed' });
    assert.equal(run.asked.count, 1);
    assert.equal((await em().findOneOrFail(ToolCall, { conversationId: run.id })).status, 'pending');
  });
});

const pending = {
  step: 1,
  evidence: 1,
  toolUseId: 'use-1',
  name: 'list_sources',
  input: {},
  summary: 'List the telemetry sources',
  status: 'pending',
  digest: null,
  view: null,
  content: null,
  bytes: null,
  sha256: null,
  startedAt: null,
  finishedAt: null,
} as const;
