import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import {
  createOutbound,
  OutboundError,
  type OutboundFailure,
  type Resolve,
} from '../../../src/platform/outbound/index.ts';
import { addressOf } from '../../support/address.ts';
import { trustedCertificate, type TrustedCertificate } from '../../support/tls.ts';

const failing = (failure: OutboundFailure, message?: RegExp) => (error: unknown) => {
  assert.ok(error instanceof OutboundError, String(error));
  assert.equal(error.failure, failure, error.message);
  if (message) assert.match(error.message, message);
  return true;
};

const at = (...addresses: string[]): { address: string; family: number }[] =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('outbound: where a request may go', () => {
  let certificate: TrustedCertificate;
  const servers: Server[] = [];

  before(async () => {
    certificate = await trustedCertificate(['receiver.test', 'other.test']);
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    }
  });
  after(() => certificate.distrust());

  /** Counts connections, which is more than requests: nothing may be sent at all. */
  async function listen(
    server: Server,
    host = '127.0.0.1',
    port = 0,
  ): Promise<{ port: number; connections: () => number }> {
    let connections = 0;
    server.on('connection', () => (connections += 1));
    servers.push(server);
    server.listen(port, host);
    await once(server, 'listening');
    return { port: addressOf(server).port, connections: () => connections };
  }
  const answer: RequestListener = (_request, response) => void response.end('inner');
  const https = (listener: RequestListener = answer): Server => createHttpsServer(certificate, listener);

  const refused = [
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'https://user:password@example.com/',
    'https://user@example.com/',
    'https://127.0.0.1/',
    'https://0.0.0.0/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://%31%32%37.0.0.1/',
    'https://127。0。0。1/',
    'https://①②⑦.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[64:ff9b::a00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1%25eth0]/',
    'https://',
    'nonsense',
  ];
  for (const url of refused) {
    it(`refuses ${url} before anything is asked`, async () => {
      const asked: string[] = [];
      const outbound = createOutbound({
        allow: [],
        resolve: async (host) => {
          asked.push(host);
          return at('8.8.8.8');
        },
      });
      assert.equal(typeof outbound.urlProblem(url), 'string');
      await assert.rejects(outbound.fetch(url), failing('refused'));
      assert.deepEqual(asked, []);
    });
  }

  for (const name of ['localhost', 'LOCALHOST']) {
    it(`refuses ${name} by what the operating system makes of it`, async () => {
      const inner = await listen(https());
      const outbound = createOutbound({ allow: [] });
      assert.equal(outbound.urlProblem(`https://${name}:${inner.port}/`), undefined);
      await assert.rejects(outbound.fetch(`https://${name}:${inner.port}/`), failing('refused', /not public/));
      assert.equal(inner.connections(), 0);
    });
  }

  for (const addresses of [
    ['127.0.0.1'],
    ['10.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['2002:7f00:1::1'],
    ['8.8.8.8', '127.0.0.1'],
    ['2606:4700::1111', 'fd00::1'],
    ['something else'],
  ]) {
    it(`refuses a name that has ${addresses.join(' and ')}, without connecting or saying what it has`, async () => {
      const inner = await listen(https());
      const outbound = createOutbound({ allow: [], resolve: async () => at(...addresses) });
      await assert.rejects(outbound.fetch(`https://receiver.test:${inner.port}/secret/path`), (error: unknown) => {
        assert.ok(error instanceof OutboundError);
        assert.equal(error.failure, 'refused');
        assert.match(error.message, /^receiver\.test has an address that is not public\./);
        for (const address of [...addresses, 'secret']) assert.ok(!error.message.includes(address), error.message);
        return true;
      });
      assert.equal(inner.connections(), 0);
    });
  }

  it('connects to the very address that it checked: a name cannot be bound to another one meanwhile', async () => {
    // 127.0.0.2 stands for an address that is allowed, and 127.0.0.1 for the operator's network.
    const inner = await listen(https((_request, response) => void response.end('inner')));
    await listen(
      https((_request, response) => void response.end('outer')),
      '127.0.0.2',
      inner.port,
    );
    const answers = [at('127.0.0.2'), at('127.0.0.1')];
    let asked = 0;
    const resolve: Resolve = async () => answers[Math.min(asked++, 1)] ?? [];
    const outbound = createOutbound({ allow: ['127.0.0.2'], resolve });
    const url = `https://receiver.test:${inner.port}/`;
    assert.equal(await (await outbound.fetch(url)).text(), 'outer');
    assert.equal(asked, 1, 'the name was looked up once, for check and connection');
    await assert.rejects(outbound.fetch(url), failing('refused'));
    await assert.rejects(outbound.fetch(url), failing('refused'));
    assert.equal(asked, 3);
    assert.equal(inner.connections(), 0);
  });

  it('verifies the certificate for the name', async () => {
    const server = await listen(https());
    const outbound = createOutbound({ allow: ['127.0.0.1'], resolve: async () => at('127.0.0.1') });
    const url = (name: string) => `https://${name}:${server.port}/`;
    assert.equal((await outbound.fetch(url('receiver.test'))).status, 200);
    await assert.rejects(
      outbound.fetch(url('stranger.test')),
      failing('unreachable', /stranger\.test:\d+ could not be reached \(ERR_TLS_CERT_ALTNAME_INVALID\)/),
    );
  });

  it('lets an operator allow a name, also with http, and whatever it resolves to', async () => {
    const server = await listen(createHttpServer(answer));
    const outbound = createOutbound({ allow: ['hooks.internal'], resolve: async () => at('127.0.0.1') });
    assert.equal(await (await outbound.fetch(`http://hooks.internal:${server.port}/`)).text(), 'inner');
    await assert.rejects(outbound.fetch(`http://other.internal:${server.port}/`), failing('refused'));
    await assert.rejects(outbound.fetch(`http://127.0.0.1:${server.port}/`), failing('refused'));
  });

  it('lets an operator allow a network, for addresses in URLs also with http, for names not', async () => {
    const server = await listen(createHttpServer(answer));
    const outbound = createOutbound({ allow: ['127.0.0.0/8'], resolve: async () => at('127.0.0.1') });
    assert.equal((await outbound.fetch(`http://127.0.0.1:${server.port}/`)).status, 200);
    assert.equal((await outbound.fetch(`http://0x7f000001:${server.port}/`)).status, 200);
    await assert.rejects(outbound.fetch(`http://receiver.test:${server.port}/`), failing('refused', /https/));
  });

  for (const status of [301, 302, 303, 307, 308]) {
    it(`does not follow a redirect (${status}) into the operator's network`, async () => {
      const inner = await listen(createHttpServer(answer));
      const outer = await listen(
        createHttpServer((_request, response) => {
          response.writeHead(status, { location: `http://127.0.0.1:${inner.port}/` }).end();
        }),
        '127.0.0.2',
      );
      const outbound = createOutbound({ allow: ['127.0.0.2'] });
      for (const redirect of ['follow', 'manual', 'error'] as const) {
        const going = outbound.fetch(`http://127.0.0.2:${outer.port}/`, { method: 'POST', body: 'x', redirect });
        await assert.rejects(going, failing('redirect'));
      }
      assert.equal(inner.connections(), 0);
    });
  }

  it('lets the configuration add the hosts of its own URLs', async () => {
    const server = await listen(createHttpServer(answer));
    const outbound = createOutbound({ allow: [] });
    const url = `http://127.0.0.1:${server.port}/api/`;
    assert.equal((await outbound.allowing([url]).fetch(url)).status, 200);
    await assert.rejects(outbound.fetch(url), failing('refused'));
  });

  it('sends text and nothing else', async () => {
    const server = await listen(createHttpServer(answer));
    const init = { method: 'POST', body: new FormData() };
    const outbound = createOutbound({ allow: ['127.0.0.1'] });
    await assert.rejects(outbound.fetch(`http://127.0.0.1:${server.port}/`, init), failing('unreachable'));
    assert.equal(server.connections(), 0);
  });
});
