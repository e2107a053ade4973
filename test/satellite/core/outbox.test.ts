import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { CONNECT_PATH, MAX_FRAME_BYTES, SUBPROTOCOL } from '@casebook/wire';
import { Outbox } from '../../../satellite/connection/outbox.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startCasebookEnd, type CasebookEnd, type SatelliteEnd } from '../support/casebook-end.ts';

describe('satellite: what goes out', () => {
  let end: CasebookEnd;
  let socket: WebSocket;
  let satellite: SatelliteEnd;
  const id = randomUUID();
  const part = (index: number) => ({ type: 'answer.part' as const, id, index, text: 'x'.repeat(190_000) });

  beforeEach(async () => {
    end = await startCasebookEnd();
    const headers = { authorization: `Bearer ${end.token}` };
    socket = new WebSocket(end.url.replace('http', 'ws') + CONNECT_PATH, SUBPROTOCOL, { headers });
    await once(socket, 'open');
    await waitUntil(() => end.satellites[0], { what: 'the other end', intervalMs: 5 });
    satellite = end.satellites[0]!;
  });
  afterEach(async () => {
    socket.terminate();
    await end.close();
  });

  it('waits while the other end does not read: little is in memory, and a heartbeat is not far behind', async () => {
    const outbox = new Outbox(socket, () => undefined);
    satellite.socket.pause();
    let sent = 0;
    let most = 0;
    const sending = Array.from({ length: 150 }, async (_, index) => {
      await outbox.inTurn(part(index));
      sent++;
      most = Math.max(most, socket.bufferedAmount);
    });
    const isFull = () => (socket.bufferedAmount >= 512 * 1_024 ? true : undefined);
    await waitUntil(isFull, { what: 'a full socket', intervalMs: 5 });
    assert.ok(sent < 150, `${sent} parts of 28 MB were taken`);
    assert.equal(outbox.now({ type: 'heartbeat', sentAt: 0, health: [] }), true);
    satellite.socket.resume();
    await Promise.all(sending);
    await satellite.until(() => satellite.of('answer.part').length === 150);
    assert.ok(most <= 512 * 1_024 + 200_000, `${most} bytes at most`);
    assert.deepEqual(
      satellite.of('answer.part').map(({ index }) => index),
      Array.from({ length: 150 }, (_, index) => index),
    );
    const types = satellite.received.map(({ type }) => type);
    assert.ok(types.indexOf('heartbeat') <= sent && types.indexOf('heartbeat') < 149, 'the heartbeat did not wait');
  });

  it('tells everybody who waits that the connection is gone', async () => {
    const outbox = new Outbox(socket, () => undefined);
    satellite.socket.pause();
    const sending = Array.from({ length: 150 }, (_, index) => outbox.inTurn(part(index)));
    const settled = Promise.allSettled(sending);
    await waitUntil(() => (socket.bufferedAmount >= 512 * 1_024 ? true : undefined), {
      what: 'full',
    });
    outbox.close();
    const results = await settled;
    assert.ok(results.some(({ status }) => status === 'rejected'));
    await assert.rejects(outbox.inTurn(part(0)), { name: 'Disconnected' });
    assert.equal(outbox.now({ type: 'heartbeat', sentAt: 0, health: [] }), false);
  });

  it('sends no message that is larger than one may be', () => {
    const outbox = new Outbox(socket, () => undefined);
    assert.equal(outbox.now({ ...part(0), text: 'é'.repeat(MAX_FRAME_BYTES / 2) }), false);
  });
});
