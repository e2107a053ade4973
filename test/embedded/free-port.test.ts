import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort } from '../../src/embedded/free-port.ts';

describe('freePort', () => {
  for (const host of ['127.0.0.1', '0.0.0.0', '::']) {
    it(`passes over a preferred port that somebody listens on at ${host}, and takes it once it is free`, async () => {
      const port = await freePort();
      const server = createServer().listen(port, host);
      await once(server, 'listening');
      const other = await freePort(port);
      assert.notEqual(other, port);
      assert.ok(other > 0);
      server.close();
      await once(server, 'close');
      assert.equal(await freePort(port), port);
    });
  }
});
