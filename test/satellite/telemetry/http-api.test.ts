import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import type { IncomingMessage, RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { freePort } from '../../../src/embedded/free-port.ts';
import { prometheus } from '@casebook/connectors';
import { listen, sendJson, type RunningServer } from '@casebook/offline-model';
import { addressOf } from '../../support/address.ts';
import { ask, check, connect, failing } from './connect.ts';

const one = { status: 'success', data: { resultType: 'scalar', result: [0, '1'] } };

describe('satellite: HTTP APIs of systems', () => {
  let server: RunningServer;
  let answer: RequestListener;
  let requests: { method?: string; url?: string; headers: IncomingMessage['headers']; body: string }[];

  before(async () => {
    server = await listen((request, response) => {
      void text(request).then((body) => {
        requests.push({ method: request.method, url: request.url, headers: request.headers, body });
        answer(request, response);
      });
    }, 0);
  });
  beforeEach(() => {
    requests = [];
    answer = (_request, response) => sendJson(response, 200, one);
  });
  after(() => server.stop());

  const made = (more: Record<string, unknown> = {}) => connect(prometheus, { url: `${server.url}/base/`, ...more });

  it('keeps the path of the address, and says who asks', async () => {
    await ask(made({ org_id: 'shop', headers: { 'X-Site': 'north' }, bearer_token: 'abc' }), 'query', { query: 'up' });
    await ask(made({ basic_auth: { username: 'reader', password: 'p:w' } }), 'query', { query: 'up' });
    const [first, second] = requests;
    assert.equal(first?.url, '/base/api/v1/query?query=up');
    assert.deepEqual(
      [first.headers['x-scope-orgid'], first.headers['x-site'], first.headers.authorization],
      ['shop', 'north', 'Bearer abc'],
    );
    assert.equal(second?.headers.authorization, `Basic ${Buffer.from('reader:p:w').toString('base64')}`);
  });

  it('posts what is too long for an address', async () => {
    const query = `up{job=~"${'x|'.repeat(5_000)}"}`;
    await ask(made(), 'query', { query, time: 12.5 });
    assert.deepEqual([requests[0]?.method, requests[0]?.url], ['POST', '/base/api/v1/query']);
    assert.equal(new URLSearchParams(requests[0]?.body).get('query'), query);
    assert.equal(new URLSearchParams(requests[0]?.body).get('time'), '12.5');
  });

  it('does not follow redirects', async () => {
    answer = (_request, response) => response.writeHead(302, { location: `${server.url}/elsewhere` }).end();
    await assert.rejects(check(made()), failing('failed', /redirects to another URL/));
    assert.deepEqual(
      requests.map(({ url }) => url),
      ['/base/api/v1/query?query=1'],
    );
  });

  it('stops reading an answer that is too large', async () => {
    let sent = 0;
    const stopped = Promise.withResolvers<void>();
    answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const block = 'x'.repeat(64 * 1024);
      const more = (): void => {
        while (!response.destroyed && response.write(block)) sent += block.length;
      };
      response.on('drain', more).on('close', () => stopped.resolve());
      more();
    };
    await assert.rejects(
      ask(made(), 'query', { query: 'up' }, { maxBytes: 1_000_000 }),
      failing('too_large', /larger than the 1000000 bytes allowed: ask for a shorter time range/),
    );
    await stopped.promise;
    assert.ok(sent < 50_000_000, `sent ${sent} bytes into the void`);
  });

  it('takes an answer that is just as large as allowed', async () => {
    const maxBytes = JSON.stringify(one).length;
    assert.deepEqual(await ask(made(), 'query', { query: 'up' }, { maxBytes }), one.data);
    await assert.rejects(ask(made(), 'query', { query: 'up' }, { maxBytes: maxBytes - 1 }), failing('too_large', /./));
  });

  it('reports a timeout, and ends the request once nobody is waiting', async () => {
    const reasons: [Error, object][] = [
      [
        new DOMException('over', 'TimeoutError'),
        failing('timeout', /did not answer in time: ask for a shorter time range/),
      ],
      [new Error('nobody waits'), /nobody waits/],
    ];
    for (const [reason, says] of reasons) {
      const controller = new AbortController();
      const arrived = Promise.withResolvers<void>();
      const closed = Promise.withResolvers<void>();
      answer = (_request, response) => {
        response.on('close', closed.resolve);
        arrived.resolve();
      };
      const asked = assert.rejects(ask(made(), 'query', { query: 'up' }, { signal: controller.signal }), says);
      await arrived.promise;
      controller.abort(reason);
      await asked;
      await closed.promise;
    }
  });

  it('says why there is no answer', async () => {
    const nobody = connect(prometheus, { url: `http://127.0.0.1:${await freePort()}` });
    await assert.rejects(
      check(nobody),
      failing('failed', /Prometheus at 127\.0\.0\.1:\d+ did not answer: ECONNREFUSED/),
    );
    for (const [status, code] of [
      [400, 'bad_request'],
      [401, 'failed'],
      [429, 'busy'],
      [504, 'timeout'],
    ] as const) {
      answer = (_request, response) => response.writeHead(status).end('its own words\n');
      await assert.rejects(
        ask(made(), 'query', { query: 'up' }),
        failing(code, new RegExp(`${status}: its own words$`)),
      );
    }
  });

  it('refuses configuration that cannot be meant', () => {
    const refused: [Record<string, unknown>, RegExp][] = [
      [{ url: 'ftp://prometheus' }, /http or https/],
      [{ url: 'http://a:b@prometheus' }, /basic_auth/],
      [{ url: 'http://prometheus?query=1' }, /end with its path/],
      [{ url: server.url, bearer_token: 'a', basic_auth: { username: 'a', password: 'b' } }, /both/],
      [{ url: server.url, headers: { 'x-a': 'b\r\nx-c: d' } }, /valid header value/],
      [{ url: server.url, tls: { cert_file: 'a.pem' } }, /go together/],
      [{ url: server.url, timeout: 3 }, /timeout/],
    ];
    for (const [config, says] of refused) assert.throws(() => connect(prometheus, config), says);
  });

  it('trusts the authority that the configuration names, and no other', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'casebook-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    await promisify(execFile)('openssl', ['req', '-x509', ...curve, ...subject, '-keyout', key, '-out', cert]);
    const secure = createTlsServer({ key: await readFile(key), cert: await readFile(cert) }, (_request, response) =>
      sendJson(response, 200, one),
    ).listen(0, '127.0.0.1');
    await once(secure, 'listening');
    const url = `https://127.0.0.1:${addressOf(secure).port}`;
    try {
      await check(connect(prometheus, { url, tls: { ca_file: cert } }));
      await assert.rejects(check(connect(prometheus, { url })), failing('failed', /SELF_SIGNED/));
      const missing = connect(prometheus, { url, tls: { ca_file: join(folder, 'missing.pem') } });
      await assert.rejects(check(missing), failing('failed', /certificates .* cannot be read: ENOENT/));
    } finally {
      secure.close();
      secure.closeAllConnections();
      await rm(folder, { recursive: true });
    }
  });
});
