import assert from 'node:assert/strict';
import { noteServerDate, serverNow } from '../../../web/src/api/server-clock.ts';

describe('the clock of the server', () => {
  const differs = (): number => Math.round((serverNow() - Date.now()) / 1_000);

  it('is taken from answers, so that times are right where the clock of the browser is wrong', () => {
    noteServerDate(new Date(Date.now() + 300_000).toUTCString());
    assert.ok(Math.abs(differs() - 300) <= 1);
    noteServerDate(new Date(Date.now() - 3_600_000).toUTCString());
    assert.ok(Math.abs(differs() + 3_600) <= 1);
  });

  it('is that of the browser if they agree within seconds, and is kept if a response has no date', () => {
    noteServerDate(new Date(Date.now() - 1_500).toUTCString());
    assert.equal(differs(), 0);
    noteServerDate(null);
    noteServerDate('yesterday');
    assert.equal(differs(), 0);
  });
});
