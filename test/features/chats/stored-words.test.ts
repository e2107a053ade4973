import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { forTeam } from '../../../src/db/team-filter.ts';
import { holdWords } from '../../../src/features/chats/stream/stored-words.ts';
import { ModelTurn } from '../../../src/features/transcripts/index.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createChatRows } from './rows.ts';

describe('stored words for those who follow a turn', () => {
  let database: TestDatabase;
  before(async () => (database = await createTestDatabase()));
  after(() => database?.drop());

  /** A turn of which two steps are stored, and how often they were read. */
  const begin = async () => {
    const teamId = randomUUID();
    const turn = { id: randomUUID(), chatId: randomUUID() };
    const store = forTeam(database.orm.em, teamId);
    createChatRows(store, teamId, turn.chatId);
    for (const step of [1, 2]) {
      store.create(ModelTurn, {
        teamId,
        conversationId: turn.chatId,
        step,
        note: null,
        content: [{ type: 'text', text: `words of ${step}`, citations: null }],
        stopReason: 'end_turn',
        provider: 'test',
        model: 'test',
        inputTokens: 0,
        outputTokens: 0,
        cacheCreationInputTokens: 0,
        cacheReadInputTokens: 0,
        costUsd: 0,
        attempt: 1,
        startedAt: new Date(),
        finishedAt: new Date(),
      });
    }
    await store.flush();
    const read = { times: 0 };
    const em = () => {
      read.times += 1;
      return forTeam(database.orm.em, teamId);
    };
    return { turn, read, em };
  };

  it('are read once for all concurrent readers, and again when nobody holds them', async () => {
    const { turn, read, em } = await begin();
    const missing = { from: 1, through: 2 };
    const all = await Promise.all(Array.from({ length: 12 }, () => holdWords(em, turn, missing)));
    assert.equal(read.times, 1);
    const [first, ...others] = all;
    assert.deepEqual(first?.value.get(2), [{ kind: 'text', text: 'words of 2' }]);
    for (const other of others) {
      assert.equal(other.value, first?.value);
      other.release();
    }
    const late = await holdWords(em, turn, missing);
    assert.equal(late.value, first?.value);
    late.release();
    first?.release();
    (await holdWords(em, turn, missing)).release();
    assert.equal(read.times, 2);
  });

  it('are those of the steps and the turn that were asked for', async () => {
    const [one, other] = [await begin(), await begin()];
    const held = await Promise.all([
      holdWords(one.em, one.turn, { from: 1, through: 1 }),
      holdWords(one.em, one.turn, { from: 2, through: 2 }),
      holdWords(other.em, other.turn, { from: 1, through: 1 }),
    ]);
    assert.deepEqual(
      held.map(({ value }) => [...value.keys()]),
      [[1], [2], [1]],
    );
    assert.equal(other.read.times, 1);
    for (const { release } of held) release();
  });

  it('that could not be read are read again for the next reader', async () => {
    const { turn, read, em } = await begin();
    const fails = () => {
      throw new Error('The database is away.');
    };
    const missing = { from: 1, through: 1 };
    await assert.rejects(holdWords(fails, turn, missing), /away/);
    const failing = Promise.reject(new Error('The database is away.'));
    const fake = () => ({ find: () => failing }) as unknown as ReturnType<typeof em>;
    const outcomes = await Promise.allSettled([holdWords(fake, turn, missing), holdWords(em, turn, missing)]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    (await holdWords(em, turn, missing)).release();
    assert.equal(read.times, 1);
  });
});
