import assert from 'node:assert/strict';
import { startMailServer } from '../../support/mail-server.ts';
import { notifying } from './delivery.ts';

describe('notifications: a slow mail server', () => {
  it('is given longer for its answers than for the connection', async () => {
    const server = await startMailServer({ onMailFrom: (_address, _session, done) => setTimeout(done, 9_000) });
    const mail = { smtpUrl: `smtp://127.0.0.1:${server.port}`, from: 'casebook@mail.example.com' };
    await notifying({ type: 'email', to: ['ops@example.com'] }, { mail })();
    assert.equal(server.mails.length, 1);
    await server.stop();
  });
});
