import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createTemporalClient } from '../../temporal/connection.ts';
import { addressOf } from '../support/address.ts';

describe('a client of Temporal', () => {
  it('that is closed while a call waits for its retry ends the call, and nothing crashes', async () => {
    const server = createServer((socket) => void socket.destroy());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const client = createTemporalClient({ address: `127.0.0.1:${addressOf(server).port}`, namespace: 'default' });
      const call = client.withDeadline(Date.now() + 60_000, () => client.workflow.getHandle('one').describe());
      const ended = assert.rejects(call);
      // With the second connection the call was tried already, and waits.
      await once(server, 'connection');
      await once(server, 'connection');
      await client.connection.close();
      await ended;
    } finally {
      server.close();
    }
  });
});
