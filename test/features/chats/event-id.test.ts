import assert from 'node:assert/strict';
import { eventId, parseEventId } from '../../../src/features/chats/stream/event-id.ts';

const turnId = '16253727-d5bb-4422-b34e-1c945a863f75';
const isLogId = (id: string): boolean => /^\d+-\d+$/.test(id);

describe('ids of the events of a chat’s stream', () => {
  it('say which turn it is, and the place in it', () => {
    for (const position of [
      { logId: '17-3', index: 2, place: 40 },
      { logId: 'start', index: 1, place: 0 },
    ])
      assert.deepEqual(parseEventId(eventId(turnId, position), isLogId), { turnId, position });
  });

  it('are taken also as they were given before they said how many events came before', () => {
    const old = `${turnId.replaceAll('-', '')}.17-3.2`;
    const position = { logId: '17-3', index: 2, place: undefined };
    assert.deepEqual(parseEventId(old, isLogId), { turnId, position });
    assert.equal(eventId(turnId, position), old);
  });

  it('are rejected in any other format', () => {
    const turn = turnId.replaceAll('-', '');
    for (const id of [
      '',
      turn,
      `${turn}.17.2`,
      `${turn}.17-3.x`,
      `${turn}.17-3.2.`,
      `${turn}.17-3.2.3.4`,
      `x.17-3.2.1`,
    ])
      assert.equal(parseEventId(id, isLogId), undefined, id);
  });
});
