import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { connectorKinds, type Connector } from '@casebook/connectors';
import { patternOf, segmentsOf } from '../../../packages/connectors/http/paths.ts';
import { silent } from '../support/in-process.ts';

const allows = (pattern: string, path: string): boolean => {
  const segments = segmentsOf(path);
  return segments !== undefined && patternOf(pattern)!(segments);
};

describe('satellite: HTTP connector', () => {
  for (const [pattern, path, expected] of [
    ['/api/orders', '/api/orders', true],
    ['/api/orders', '/api/orders/17', false],
    ['/api/orders/*', '/api/orders/17', true],
    ['/api/orders/*', '/api/orders/a%20b', true],
    ['/api/orders/*', '/api/orders', false],
    ['/api/orders/*', '/api/orders/17/lines', false],
    ['/api/orders/*/lines', '/api/orders/17/lines', true],
    ['/api/**', '/api/a/b/c', true],
    ['/api/**', '/api', false],
    ['/api/v*-*/x', '/api/v1-beta/x', true],
    ['/api/v*-*/x', '/api/v1/x', false],
    ['/api/a*a', '/api/a', false],
    ['/', '/', true],
    ['/api/**', '/api/../admin', false],
    ['/api/**', '/api/%2e%2e/admin', false],
    ['/api/**', '/api/.%2E/admin', false],
    ['/api/**', '/api/./a', false],
    ['/api/**', '/api//admin', false],
    ['/api/**', '//evil.example/api/x', false],
    ['/api/**', String.raw`/api/\..\admin`, false],
    ['/api/**', '/api/%5c..%5cadmin', false],
    ['/api/**', '/api/a%2f..%2f..%2fadmin', false],
    ['/api/**', '/api/%252e%252e/admin', false],
    ['/api/**', '/api/..;/admin', false],
    ['/api/**', '/api/a?x=/../admin', false],
    ['/api/**', '/api/a#b', false],
    ['/api/**', '/api/a%00', false],
    ['/api/**', '/api/%zz', false],
    ['/api/**', 'api/a', false],
    ['/api/**', 'http://evil.example/api/a', false],
  ] as const)
    it(`${pattern} ${expected ? 'allows' : 'does not allow'} ${path}`, () =>
      assert.equal(allows(pattern, path), expected));

  it('lets nothing out of its pattern, whatever a URL parser makes of the path', () => {
    const piece = fc.constantFrom(
      '/',
      '..',
      '.',
      '%2e',
      '%2f',
      '\\',
      '%5c',
      'a',
      ';',
      '?',
      '#',
      '%',
      '@',
      ':',
      '//',
      'é',
      ' ',
      '\t',
      '%00',
      '*',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const path = `/api/${pieces.join('')}`;
        const segments = segmentsOf(path);
        if (!segments || !patternOf('/api/**')!(segments)) return;
        const url = new URL(`http://host/${segments.map(encodeURIComponent).join('/')}`);
        assert.equal(url.host, 'host');
        assert.ok(url.pathname.startsWith('/api/'));
        assert.equal(url.search + url.hash, '');
      }),
      { numRuns: 5_000 },
    );
  });

  it('has patterns that are plain', () => {
    for (const wrong of ['api', '/a/**/b', '/a/../b', '/a/b**', '/a/b/', ''])
      assert.equal(patternOf(wrong), undefined, wrong);
    const { config } = connectorKinds.http;
    assert.equal(config.safeParse({ base_url: 'http://x', allow: [] }).success, false);
    assert.equal(config.safeParse({ base_url: 'http://x', allow: ['x'] }).success, false);
    assert.equal(config.safeParse({ base_url: 'http://x', allow: ['/x'], method: 'POST' }).success, false);
  });

  describe('against a server', () => {
    let server: Server;
    let connector: Connector;
    const seen: IncomingMessage[] = [];
    const context = () => ({ signal: AbortSignal.timeout(240_000), maxBytes: 100_000 });
    const get = (path: string, query?: Record<string, string>) =>
      connector.operations[0]!.run({ path, query }, context());

    before(async () => {
      server = createServer((request, response) => {
        seen.push(request);
        const path = request.url?.split('?')[0];
        if (path === '/base/api/json') response.end('{"a":[1]}');
        else if (path === '/base/api/text') response.end('plain text');
        else if (path === '/base/api/away') response.writeHead(302, { location: '/admin' }).end();
        else if (path === '/base/api/large') for (let i = 0; i < 200; i++) response.write('x'.repeat(1_000));
        else if (path === '/base/api/held') response.write('x');
        else response.writeHead(404).end('nothing here');
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const definition = connectorKinds.http;
      const config = definition.config.parse({
        base_url: `http://127.0.0.1:${port}/base`,
        allow: ['/api/*'],
        headers: { 'X-Key': 'k' },
      });
      connector = definition.create(config, { id: 'api', title: 'The API', log: silent });
    });
    after(async () => {
      await connector.close();
      server.closeAllConnections();
      server.close();
    });

    it('gets JSON and text, with the configured headers and the parameters asked for', async () => {
      assert.deepEqual(await get('/api/json', { q: 'a b&c' }), { a: [1] });
      assert.equal(await get('/api/text'), 'plain text');
      const request = seen.find(({ url }) => url?.startsWith('/base/api/json'));
      assert.deepEqual(
        [request?.method, request?.url, request?.headers['x-key']],
        ['GET', '/base/api/json?q=a+b%26c', 'k'],
      );
    });

    it('asks for nothing that is not allowed', async () => {
      const before = seen.length;
      for (const path of ['/admin', '/api/../admin', '/api/%2e%2e/admin', '//127.0.0.1/api/x', '/api/a/b'])
        await assert.rejects(get(path), { code: 'bad_request', message: /allowed are: \/api\/\*/ });
      assert.equal(seen.length, before);
    });

    it('follows no redirect', async () => {
      await assert.rejects(get('/api/away'), { code: 'failed', message: /redirects/ });
      assert.ok(!seen.some(({ url }) => url === '/admin'));
    });

    it('stops reading at the limit, and at its timeout', async () => {
      await assert.rejects(get('/api/large'), { code: 'too_large' });
      const short = { signal: AbortSignal.timeout(50), maxBytes: 100 };
      await assert.rejects(connector.operations[0]!.run({ path: '/api/held' }, short), { code: 'timeout' });
      await assert.rejects(get('/api/none'), { code: 'not_found', message: /nothing here/ });
    });

    it('is up when it answers at all', async () => {
      await connector.check(AbortSignal.timeout(240_000));
    });
  });
});
