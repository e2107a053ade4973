/** Whoever follows a turn keeps none of its words, and reads them again from the log when it turns out that they are needed. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { forTeam } from '../../../src/db/team-filter.ts';
import { ChatTurn } from '../../../src/features/chats/index.ts';
import type { UiChunk } from '../../../src/features/chats/stream/chunks.ts';
import { textDigest } from '../../../src/features/chats/stream/message-text.ts';
import { parseEventId } from '../../../src/features/chats/stream/event-id.ts';
import { followTurn, knowsPosition } from '../../../src/features/chats/stream/follow.ts';
import { runStream, spokenDigest, newRun } from '../../../src/features/runs/index.ts';
import type { EventLog } from '../../../src/platform/event-log/index.ts';
import { startDatabaseWithEvents } from '../../support/database-with-events.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createChatRows } from './rows.ts';

describe('a reader of a turn that is restarted', () => {
  let database: TestDatabase;
  let events: EventLog;
  let stop: (() => Promise<void>) | undefined;
  before(async () => {
    ({ database, events, stop } = await startDatabaseWithEvents());
  });
  after(() => stop?.());
  let following: AbortController;
  beforeEach(() => (following = new AbortController()));
  afterEach(() => following.abort());

  /** More events than one page of a repeated reading has. */
  const PIECES = 230;
  const delta = (nonce: string, text: string) => ({ type: 'text.delta', data: { step: 1, nonce, text } });
  const start = (nonce: string) => ({ type: 'turn.started', data: { step: 1, attempt: 1, nonce } });

  /** A turn of which an attempt has spoken, and somebody who has been told of all of it. */
  const begin = async ({ tools = false } = {}) => {
    const teamId = randomUUID();
    const em = () => forTeam(database.orm.em, teamId);
    const chatId = randomUUID();
    const store = em();
    createChatRows(store, teamId, chatId);
    const turn = store.create(ChatTurn, {
      id: randomUUID(),
      ...newRun('chat', chatId, { teamId, scopes: [] }),
      chatId,
      number: 1,
      purpose: 'answer',
      question: 'Why?',
      firstStep: 1,
      citations: [],
    });
    await store.flush();
    const stream = runStream({ conversationId: turn.chatId, runId: turn.id });
    const pieces = Array.from({ length: PIECES }, (_, index) => `word ${index} `);
    await events.append(stream, [start('a'), ...pieces.map((text) => delta('a', text))]);
    const told = followTurn(events, { turn, tools, em, signal: following.signal });
    const seen: string[] = [];
    let lastId = '';
    const next = async (): Promise<UiChunk | string> => {
      const { value } = await told.next();
      assert.ok(value?.id);
      lastId = value.id;
      return value.data as UiChunk | string;
    };
    while (seen.length < PIECES) {
      const chunk = await next();
      if (typeof chunk === 'object' && chunk.type === 'text-delta') seen.push(chunk.delta);
    }
    assert.deepEqual(seen, pieces);
    /** Comes again, as a client whose connection broke. */
    const comeAgain = () => {
      const after = parseEventId(lastId, () => true)?.position;
      assert.ok(after);
      return { after, told: followTurn(events, { turn, tools, em, after, signal: following.signal }) };
    };
    return { turn, stream, said: pieces.join(''), next, comeAgain };
  };

  it('gets only the text that the new attempt adds', async () => {
    const { stream, said, next } = await begin();
    const whole = `${said}and the end`;
    await events.append(stream, [
      start('b'),
      delta('b', whole),
      {
        type: 'turn.completed',
        data: { step: 1, spoken: spokenDigest([{ kind: 'text', text: whole }]), toolCalls: [] },
      },
      { type: 'run.completed', data: { status: 'completed', textDigest: textDigest(whole), citations: [] } },
    ]);
    assert.deepEqual(await next(), { type: 'text-delta', id: 'part-1', delta: 'and the end' });
    assert.deepEqual(await next(), { type: 'text-end', id: 'part-1' });
  });

  const loseSome = (stream: string) =>
    database.orm.em.execute(`delete from events where stream = ? and data like '%word 7 %'`, [stream]);

  it('is told to drop its text, and gets everything again, when the log has lost events', async () => {
    const { stream, said, next } = await begin();
    await loseSome(stream);
    await events.append(stream, [start('b'), delta('b', said), delta('b', 'and more')]);
    assert.deepEqual(await next(), { type: 'reset-step' });
    assert.deepEqual(await next(), { type: 'text-start', id: 'part-2' });
    assert.deepEqual(await next(), { type: 'text-delta', id: 'part-2', delta: said });
    assert.deepEqual(await next(), { type: 'text-delta', id: 'part-2', delta: 'and more' });
  });

  it('gets everything again on reconnecting after the log has lost earlier events', async () => {
    const { turn, stream, comeAgain } = await begin();
    assert.equal(await knowsPosition(events, turn, comeAgain().after), true);
    await loseSome(stream);
    const { after, told } = comeAgain();
    assert.equal(await knowsPosition(events, turn, after), false);
    const types: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      const { value } = await told.next();
      assert.ok(value);
      types.push((value.data as UiChunk).type);
    }
    assert.deepEqual(types, ['start', 'reset-step', 'text-start', 'text-delta']);
  });

  it('is told to drop the restarted step if steps are marked', async () => {
    const { stream, said, next } = await begin({ tools: true });
    await loseSome(stream);
    await events.append(stream, [start('b'), delta('b', said)]);
    assert.deepEqual(await next(), { type: 'reset-step' });
    assert.deepEqual(await next(), { type: 'text-start', id: 'part-2' });
    assert.deepEqual(await next(), { type: 'text-delta', id: 'part-2', delta: said });
  });
});
