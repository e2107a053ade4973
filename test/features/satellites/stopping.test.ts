/** An API node that stops, as a satellite sees it. */
import assert from 'node:assert/strict';
import { CLOSE } from '@casebook/wire';
import { connectWireSatellite, openSocket } from '../../support/wire-satellite.ts';
import { startSatelliteApi } from './support.ts';

describe('an API node that stops', () => {
  it('sends its satellites away when it listens no more: who is back at once comes to another node', async () => {
    const api = await startSatelliteApi();
    const { token } = await api.token();
    const satellite = await connectWireSatellite({ url: api.url, token, name: 'sent-away' });
    const stopped = api.stop();
    const { code, reason } = await satellite.closed;
    assert.deepEqual([code, reason], [CLOSE.restarting, 'This node is stopping; reconnect.']);
    await assert.rejects(openSocket(api.url, token), /ECONNREFUSED/);
    await stopped;
  });
});
