import assert from 'node:assert/strict';
import type { SMTPServerOptions } from 'smtp-server';
import { smtpError, startMailServer, type MailServer } from '../../support/mail-server.ts';
import { failing, HOSTILE, message, notifying } from './delivery.ts';

const FROM = 'Casebook <casebook@mail.example.com>';

describe('notifications: mail', () => {
  let server: MailServer | undefined;
  afterEach(() => server?.stop());

  /** A sender of mails to these recipients through a server that behaves like this. */
  async function mailing(options: SMTPServerOptions = {}, to = ['ops@example.com'], credentials = '') {
    const started = await startMailServer(options);
    server = started;
    const mail = { smtpUrl: `smtp://${credentials}127.0.0.1:${started.port}`, from: FROM };
    return { mails: started.mails, send: notifying({ type: 'email', to }, { mail }) };
  }

  it('sends text and HTML to all recipients', async () => {
    const { mails, send } = await mailing({}, ['ops@example.com', 'oncall@example.com']);
    const markdown = '# Root cause\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe **pool** is exhausted.';
    const { receipt } = await send({ message: message({ markdown, at: Date.UTC(2026, 10, 21, 12, 4) }) });
    const [mail] = mails;
    assert.ok(mail);
    assert.equal(mail.from, 'casebook@mail.example.com');
    assert.deepEqual(mail.to, ['ops@example.com', 'oncall@example.com']);
    const { parsed } = mail;
    assert.equal(parsed.subject, '[Casebook] p95 latency of checkout is 1.9 s');
    assert.deepEqual([parsed.from?.name, parsed.from?.address], ['Casebook', 'casebook@mail.example.com']);
    assert.match(parsed.text ?? '', /usual are 0\.21 s\.\nSince 12:04\./);
    assert.match(parsed.text ?? '', /The \*\*pool\*\* is exhausted\./);
    assert.match(parsed.text ?? '', /Finding: https:\/\/casebook\.example\.com\/findings\/1\?a=1&b=2/);
    assert.match(parsed.text ?? '', /Checkout watch · critical · 2026-11-21T12:04:00\.000Z/);
    assert.match(parsed.html ?? '', /<h1>Root cause<\/h1>[^]*<td>1<\/td>[^]*<strong>pool<\/strong>/);
    assert.match(parsed.html ?? '', /<a href="https:\/\/casebook\.example\.com\/findings\/1\?a=1&amp;b=2" /);
    assert.equal(parsed.headers.find(({ key }) => key === 'auto-submitted')?.value, 'auto-generated');
    assert.match(receipt, /^mail <[0-9a-f]{40}@mail\.example\.com> to 2 of 2$/);
  });

  it('gives every attempt the same Message-ID, and every notification its own', async () => {
    const { mails, send } = await mailing();
    await send();
    await send({ attempt: 2 });
    await send({ idempotencyKey: 'finding/1/resolved' });
    const [first, again, other] = mails.map(({ parsed }) => parsed.messageId);
    assert.equal(first, again);
    assert.notEqual(first, other);
  });

  it('answers the first mail of a finding in what follows, under the same subject', async () => {
    const { mails, send } = await mailing();
    const { thread } = await send();
    const report = await send({ thread, idempotencyKey: '2', message: message({ title: 'The pool is exhausted' }) });
    assert.deepEqual(report.thread, thread);
    const [first, second] = mails.map(({ parsed }) => parsed);
    assert.equal(second?.inReplyTo, first?.messageId);
    assert.equal(second?.references, first?.messageId);
    assert.equal(second?.subject, 'Re: [Casebook] p95 latency of checkout is 1.9 s');
    assert.match(second?.text ?? '', /^The pool is exhausted/);
    // Another attempt at the first mail is no answer to itself.
    await send({ thread, attempt: 2 });
    assert.equal(mails[2]?.parsed.inReplyTo, undefined);
  });

  it('lets nothing that telemetry says be a header, a recipient, markup or a link', async () => {
    const { mails, send } = await mailing();
    const hostile = message({
      title: HOSTILE,
      text: HOSTILE,
      sender: { id: '1', title: HOSTILE },
      markdown: HOSTILE,
      event: 'opened',
    });
    await send({ message: hostile, idempotencyKey: 'key\r\nBcc: victim@example.com' });
    const [mail] = mails;
    assert.ok(mail);
    assert.deepEqual(mail.to, ['ops@example.com']);
    const names = mail.parsed.headers.map(({ key }) => key).toSorted();
    assert.deepEqual(names, [
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
      'x-casebook-event',
      'x-casebook-idempotency-key',
    ]);
    assert.deepEqual([mail.parsed.bcc ?? [], mail.parsed.cc ?? []], [[], []]);
    const html = mail.parsed.html ?? '';
    assert.doesNotMatch(html, /<(script|img|iframe|style)\b|href="(?!https?:)|\son\w+=(?![^<]*&gt;)/i);
    // Every link shows where it leads.
    const links = [...html.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g)];
    assert.ok(links.length > 2);
    for (const [, href, label] of links.slice(0, -1)) assert.equal(label, href);
    assert.doesNotMatch(mail.parsed.subject ?? '', /[\r\n\u2028\u202e]/);
  });

  it('names the recipients that the server refused, permanently', async () => {
    const { mails, send } = await mailing(
      {
        onRcptTo: ({ address }, _session, done) =>
          done(address.startsWith('gone') ? smtpError(550, 'no such mailbox') : null),
      },
      ['ops@example.com', 'gone@example.com', 'gone.too@example.com'],
    );
    await assert.rejects(
      send(),
      failing({
        retryable: false,
        message:
          /accepted 1 of 3 recipients, but rejected gone@example\.com \(550 no such mailbox\), gone\.too@example\.com \(550/,
      }),
    );
    assert.deepEqual(mails[0]?.to, ['ops@example.com']);
  });

  it('lets it be tried again for those refused for now', async () => {
    const { send } = await mailing(
      {
        onRcptTo: ({ address }, _session, done) =>
          done(address.startsWith('late') ? smtpError(451, 'greylisted') : null),
      },
      ['ops@example.com', 'late@example.com'],
    );
    await assert.rejects(
      send(),
      failing({ retryable: true, message: /rejected late@example\.com \(451 greylisted\)/ }),
    );
  });

  for (const [code, retryable] of [
    [550, false],
    [452, true],
  ] as const) {
    it(`a server that takes it for nobody (${code}) ${retryable ? 'may be asked again' : 'has answered'}`, async () => {
      const { send } = await mailing({ onRcptTo: (_address, _session, done) => done(smtpError(code, 'no')) });
      await assert.rejects(send(), failing({ retryable, message: /every recipient: ops@example\.com/ }));
    });
  }

  for (const [code, retryable] of [
    [554, false],
    [421, true],
  ] as const) {
    it(`a server that refuses the mail (${code}) ${retryable ? 'may be asked again' : 'has answered'}`, async () => {
      const { send } = await mailing({ onMailFrom: (_address, _session, done) => done(smtpError(code, 'not today')) });
      await assert.rejects(send(), failing({ retryable, message: /refused the mail: .*not today/ }));
    });
  }

  it('signs in, and does not repeat the credentials when that fails', async () => {
    const seen: unknown[] = [];
    const { mails, send } = await mailing(
      {
        authOptional: false,
        allowInsecureAuth: true,
        onAuth: ({ username, password }, _session, done) => {
          seen.push([username, password]);
          if (password === 'pass word') done(null, { user: username });
          else done(smtpError(535, `no: ${username} ${password}`));
        },
      },
      ['ops@example.com'],
      'user%40example.com:pass%20word@',
    );
    await send();
    assert.deepEqual(seen, [['user@example.com', 'pass word']]);
    assert.equal(mails.length, 1);
    const wrong = { smtpUrl: `smtp://someone:wrong-password@127.0.0.1:${server?.port}`, from: FROM };
    await assert.rejects(notifying({ type: 'email', to: ['a@example.com'] }, { mail: wrong })(), (error: unknown) => {
      assert.ok(failing({ retryable: false, message: /did not accept the user and password/ })(error));
      assert.doesNotMatch(String(error), /someone|wrong-password/);
      return true;
    });
  });

  it('takes the server’s words into errors without the credentials it repeats', async () => {
    const { send } = await mailing(
      {
        allowInsecureAuth: true,
        onAuth: ({ username }, _session, done) => done(null, { user: username }),
        onMailFrom: (_address, _session, done) => done(smtpError(550, 'go away secret-user with secret-password')),
      },
      ['ops@example.com'],
      'secret-user:secret-password@',
    );
    await assert.rejects(send(), failing({ retryable: false, message: /go away \[secret\] with \[secret\]/ }));
  });

  it('lets it be tried again when the server is not there, hangs up, or is silent', async () => {
    const { send } = await mailing({ onConnect: (_session, done) => done(smtpError(421, 'busy')) });
    await assert.rejects(send(), failing({ retryable: true, message: /mail/ }));
    await server?.stop();
    await assert.rejects(
      send(),
      failing({ retryable: true, message: /could not be reached.*\((ECONNECTION|ESOCKET|ECONNREFUSED)\)/ }),
    );
    server = undefined;
    const silent = await startMailServer({ onData: () => undefined, onMailFrom: () => undefined });
    server = silent;
    const mail = { smtpUrl: `smtp://127.0.0.1:${silent.port}`, from: FROM };
    const slow = notifying({ type: 'email', to: ['a@example.com'] }, { mail, timeoutMs: 300 });
    await assert.rejects(slow(), failing({ retryable: true, timedOut: true, message: /within 0\.3 seconds/ }));
  });

  it('is not sent where the installation has no mail server', async () => {
    await assert.rejects(
      notifying({ type: 'email', to: ['a@example.com'] })(),
      failing({ retryable: false, message: /CASEBOOK_SMTP_URL/ }),
    );
  });
});
