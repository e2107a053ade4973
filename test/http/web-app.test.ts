import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { endpoint } from '../../src/http/endpoint.ts';
import { raw, send, startApi, type TestApi } from './support/api.ts';

const SCRIPT = 'console.log("app");\n'.repeat(100);
const PAGE = `<!doctype html><meta property="csp-nonce" nonce="%CSP_NONCE%"><style nonce="%CSP_NONCE%"></style>`;
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const SECRET = 'nothing that was not built is served';

const endpoints = [
  ['get', '/api/things/{id}'],
  ['post', '/api/things'],
  ['post', '/only-posted'],
  ['get', '/healthz'],
].map(([method, path]) =>
  endpoint({
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as listed above
    method: method as 'get' | 'post',
    path: path!,
    operationId: `${method}${path}`,
    summary: path!,
    tags: [],
    auth: 'none',
    params: z.object({ id: z.string().optional() }),
    response: z.object({ ok: z.boolean() }),
    handler: async () => ({ ok: true }),
  }),
);

function writeApp(folder: string): void {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  mkdirSync(join(folder, '.vite'));
  const write = (path: string, content: string | Buffer) => writeFileSync(join(folder, path), content);
  write('index.html', PAGE);
  write('assets/index-Bx1.js', SCRIPT);
  write('assets/index-Bx1.js.br', brotliCompressSync(SCRIPT));
  write('assets/index-Bx1.js.gz', gzipSync(SCRIPT));
  write('assets/index-Bx1.js.map', SECRET);
  write('assets/index-Cx2.css', 'a{}');
  write('assets/only-gz.css', SCRIPT);
  write('assets/only-gz.css.gz', gzipSync(SCRIPT));
  write('assets/letters.woff2', Buffer.from([0, 1, 2]));
  write('assets/.hidden.js', SECRET);
  write('.vite/manifest.json', SECRET);
  write('favicon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
  write('robots.txt', 'User-agent: *\nDisallow: /\n');
}

describe('the web app', () => {
  let folder: string;
  let api: TestApi;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'casebook-web-'));
    writeApp(join(folder, 'dist'));
    writeFileSync(join(folder, 'package.json'), SECRET);
    symlinkSync(join(folder, 'package.json'), join(folder, 'dist', 'linked.json'));
    api = await startApi(endpoints, { webFolder: join(folder, 'dist') });
  });
  after(async () => {
    await api.stop();
    rmSync(folder, { recursive: true });
  });
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    send(`${api.url}${path}`, { method, headers });

  describe('pages', () => {
    it('are the one page, for every path that no endpoint answers', async () => {
      for (const path of ['/', '/investigation/018f-aa?step=3', '/satellites', '/apis', '/index.html']) {
        const { status, headers, text } = await get(path, BROWSER);
        assert.equal(status, 200, path);
        assert.equal(headers['content-type'], 'text/html; charset=utf-8');
        assert.match(text, /^<!doctype html>/);
      }
    });

    it('carry a nonce of their own for each response, in the page and in its policy', async () => {
      const nonces = new Set<string>();
      for (const _ of [1, 2, 3]) {
        const { headers, text } = await get('/', BROWSER);
        const [nonce = '', again] = [...text.matchAll(/nonce="([^"]+)"/g)].map(([, value]) => value);
        assert.equal(again, nonce);
        assert.ok(Buffer.from(nonce, 'base64').length >= 16);
        assert.ok(String(headers['content-security-policy']).includes(`style-src 'self' 'nonce-${nonce}'`));
        assert.equal(headers['etag'], undefined, 'a copy must not be used again with an old nonce');
        nonces.add(nonce);
      }
      assert.equal(nonces.size, 3);
    });

    it('may run only scripts of this origin, and cannot be framed', async () => {
      const { headers } = await get('/', BROWSER);
      const policy = Object.fromEntries(
        String(headers['content-security-policy'])
          .split('; ')
          .map((directive) => [directive.split(' ')[0], directive.split(' ').slice(1).join(' ')]),
      );
      const { 'style-src': style, ...others } = policy;
      assert.match(style ?? '', /^'self' 'nonce-[^']+'$/);
      assert.deepEqual(others, {
        'default-src': "'none'",
        'script-src': "'self'",
        'img-src': "'self' data:",
        'connect-src': "'self'",
        'font-src': "'self'",
        'worker-src': "'self'",
        'manifest-src': "'self'",
        'base-uri': "'none'",
        'form-action': "'self'",
        'frame-ancestors': "'none'",
        'require-trusted-types-for': "'script'",
        'trusted-types': 'casebook',
      });
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['x-robots-tag'], 'noindex');
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.match(String(headers['permissions-policy']), /camera=\(\).*microphone=\(\)/);
      assert.equal(headers['cache-control'], 'private, no-cache');
      assert.equal(headers['vary'], 'Accept');
    });

    it('are for those who name HTML: programs get the 404 of the API', async () => {
      for (const accept of ['*/*', 'application/json', 'text/html;q=0', 'text/*', ''])
        assert.equal((await get('/investigation/1', { accept })).json?.code, 'not_found', accept);
      assert.equal((await get('/investigation/1')).json?.code, 'not_found');
    });

    it('are not below the paths of the API, and do not hide its answers', async () => {
      for (const path of ['/api', '/api/', '/api/nothing', '/healthz/x', '/only-posted/x', '/assets/nothing.js'])
        assert.equal((await get(path, BROWSER)).json?.code, 'not_found', path);
      assert.deepEqual((await get('/api/things/1', BROWSER)).json, { ok: true });
      for (const path of ['/only-posted', '/api/things']) {
        const { status, headers } = await get(path, BROWSER);
        assert.deepEqual([status, headers['allow']], [405, 'POST'], path);
      }
    });

    it('answer HEAD, and no other method', async () => {
      const { status, headers, text } = await get('/chats', BROWSER, 'HEAD');
      assert.deepEqual([status, text], [200, '']);
      assert.match(String(headers['content-security-policy']), /nonce-/);
      assert.equal(Number(headers['content-length']), PAGE.length + 2 * (24 - '%CSP_NONCE%'.length));
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'])
        assert.equal((await get('/chats', BROWSER, method)).status, 404, method);
    });
  });

  describe('assets', () => {
    const bytes = async (path: string, encoding: string) => {
      const response = await fetch(`${api.url}${path}`, { headers: { 'accept-encoding': encoding } });
      return { coding: response.headers.get('content-encoding'), text: await response.text() };
    };

    it('come compressed as the client takes them, and are the same in the end', async () => {
      for (const [accept, coding] of [
        ['gzip, deflate, br, zstd', 'br'],
        ['gzip', 'gzip'],
        ['br;q=0, gzip', 'gzip'],
        ['br;q=0.5, gzip;q=0.9', 'br'],
        ['*', 'br'],
        ['*;q=0, gzip', 'gzip'],
        ['zstd', null],
        ['identity', null],
      ] as const) {
        const got = await bytes('/assets/index-Bx1.js', accept);
        assert.equal(got.coding, coding, accept);
        assert.ok(got.text === SCRIPT, accept);
      }
      assert.equal((await bytes('/assets/only-gz.css', 'br, gzip')).coding, 'gzip');
    });

    it('are kept for a year, with their types', async () => {
      for (const [path, type] of [
        ['/assets/index-Bx1.js', 'text/javascript; charset=utf-8'],
        ['/assets/index-Cx2.css', 'text/css; charset=utf-8'],
        ['/assets/letters.woff2', 'font/woff2'],
      ] as const) {
        const { status, headers } = await get(path);
        assert.equal(status, 200);
        assert.equal(headers['content-type'], type);
        assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
        assert.equal(headers['x-content-type-options'], 'nosniff');
      }
      assert.equal((await get('/assets/index-Bx1.js')).headers['vary'], 'Accept-Encoding');
      assert.equal((await get('/assets/letters.woff2')).headers['vary'], undefined);
    });

    it('have a policy that a worker can work under', async () => {
      const { headers } = await get('/assets/index-Bx1.js');
      assert.match(String(headers['content-security-policy']), /default-src 'none'.*script-src 'self'.*trusted-types/);
      const style = await get('/assets/index-Cx2.css');
      assert.equal(style.headers['content-security-policy'], "default-src 'none';frame-ancestors 'none'");
    });

    it('answer HEAD with the length of what GET would send', async () => {
      const { status, headers, text } = await get('/assets/index-Bx1.js', { 'accept-encoding': 'gzip' }, 'HEAD');
      assert.deepEqual([status, text], [200, '']);
      assert.equal(Number(headers['content-length']), gzipSync(SCRIPT).length);
      assert.equal(headers['content-encoding'], 'gzip');
    });
  });

  it('serves public files, which are asked for again each time and not sent again', async () => {
    for (const [path, type] of [
      ['/favicon.svg', 'image/svg+xml'],
      ['/robots.txt', 'text/plain; charset=utf-8'],
    ] as const) {
      const first = await get(path);
      assert.deepEqual([first.status, first.headers['content-type']], [200, type]);
      assert.equal(first.headers['cache-control'], 'no-cache');
      const again = await get(path, { 'if-none-match': String(first.headers['etag']) });
      assert.deepEqual([again.status, again.text], [304, '']);
      assert.equal((await get(path, { 'if-none-match': '"other"' })).status, 200);
    }
  });

  it('has another tag for each coding', async () => {
    const tags = await Promise.all(
      ['br', 'gzip', 'identity'].map(async (encoding) =>
        String((await get('/assets/index-Bx1.js', { 'accept-encoding': encoding })).headers['etag']),
      ),
    );
    assert.equal(new Set(tags).size, 3);
    const { status } = await get('/assets/index-Bx1.js', { 'accept-encoding': 'gzip', 'if-none-match': tags[0]! });
    assert.equal(status, 200);
  });

  it('counts pages and assets as one route each', async () => {
    const { metrics } = api.deps;
    await get('/a-page-of-nobody', BROWSER);
    const text = await metrics.metrics();
    assert.match(text, /route="\/\*",status="200"/);
    assert.match(text, /route="\/assets\/\*",status="200"/);
    assert.ok(!text.includes('a-page-of-nobody') && !text.includes('Bx1'));
  });

  describe('hostile paths', () => {
    const UP = ['..', '%2e%2e', '%2E%2e', '.%2e', '..%2f..', '..\\..', '%5c..', '..%00', '..;', '%252e%252e', '....//'];
    const PATHS = [
      ...UP.flatMap((up) => [`/assets/${up}/package.json`, `/assets/${up}/${up}/package.json`, `/${up}/package.json`]),
      '/assets/../../package.json',
      '/assets//../../package.json',
      '/assets/index-Bx1.js.map',
      '/assets/index-Bx1.js%00.css',
      '/assets/index-Bx1.js.br',
      '/assets/index-Bx1.js/',
      '/assets/INDEX-BX1.JS',
      '/assets/.hidden.js',
      '/assets/%2ehidden.js',
      '/assets',
      '/assets/',
      '/.vite/manifest.json',
      '/%2evite/manifest.json',
      '/.env',
      '/.git/config',
      '/linked.json',
      '/__proto__',
      '/assets/constructor',
      '//evil.example/assets/index-Bx1.js',
      '/C:\\windows\\win.ini',
      `/assets/${'a'.repeat(8_000)}`,
      `/${'../'.repeat(2_000)}etc/passwd`,
      `/${'%2e%2e%2f'.repeat(800)}etc/passwd`,
    ];

    for (const accept of ['*/*', BROWSER.accept])
      it(`give nothing away when ${accept} is asked for`, async () => {
        for (const path of PATHS) {
          const reply = await raw(
            api.port,
            `GET ${path} HTTP/1.1\r\nHost: casebook\r\nAccept: ${accept}\r\nConnection: close\r\n\r\n`,
          );
          assert.match(reply, /^HTTP\/1\.1 (?:404|400|200) /, path.slice(0, 80));
          assert.ok(!reply.includes(SECRET), path);
          // A file can be told from the page: it has a tag. The page is the answer to what looks like any other path.
          assert.doesNotMatch(reply, /\r\netag:/i, path.slice(0, 80));
          if (accept === '*/*' || /\/\.|%2e|assets|\\|%5c|%00/i.test(path) || path.startsWith('//'))
            assert.match(reply, /^HTTP\/1\.1 40[04] /, path.slice(0, 80));
        }
        assert.deepEqual(
          api.lines.filter(({ level }) => level >= 40),
          [],
        );
      });

    it('bytes that are no text, and a whole address as the path, are no page of the disk either', async () => {
      for (const target of ['/\xff\xfe/%ff', 'http://127.0.0.1/assets/../../package.json', 'file:///etc/passwd', '*']) {
        const reply = await raw(
          api.port,
          Buffer.from(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, 'latin1'),
        );
        assert.match(reply, /^HTTP\/1\.1 40[04] /, target);
      }
    });
  });
});

describe('an API whose web app was not built', () => {
  it('says how to build it, serves the rest as usual, and shows the app once it is built', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'casebook-web-'));
    const api = await startApi(endpoints, { webFolder: join(folder, 'dist') });
    try {
      const { status, headers, text } = await send(`${api.url}/`, { headers: BROWSER });
      assert.equal(status, 404);
      assert.match(text, /npm run build:web/);
      assert.match(text, /<a href="\/docs">/);
      assert.match(String(headers['content-security-policy']), /default-src 'none'/);
      assert.equal((await send(`${api.url}/`)).json?.code, 'not_found');
      assert.equal((await send(`${api.url}/assets/x.js`, { headers: BROWSER })).json?.code, 'not_found');
      assert.equal((await send(`${api.url}/healthz`)).status, 200);
      writeApp(join(folder, 'dist'));
      assert.equal((await send(`${api.url}/`, { headers: BROWSER })).status, 200);
    } finally {
      await api.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
