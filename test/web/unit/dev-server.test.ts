import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { endpoints } from '../../../src/app.ts';
import { freePort } from '../../../src/embedded/free-port.ts';

const WEB = resolve(import.meta.dirname, '../../../web');

describe('the development server of the web app', () => {
  let vite: ChildProcess;
  let url: string;
  let pending: ServerResponse[] = [];
  const api = createServer((req, res) => {
    if (req.url === '/api/stream') {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: first\n\n');
      pending.push(res);
      return;
    }
    const { host, origin, cookie } = req.headers;
    res.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'casebook_session=s; HttpOnly' });
    res.end(JSON.stringify({ path: req.url, host, origin, cookie }));
  });

  before(async () => {
    const port = await freePort();
    api.listen(0, '127.0.0.1');
    await once(api, 'listening');
    const address = api.address();
    assert.ok(address !== null && typeof address === 'object');
    const manifest = createRequire(join(WEB, 'package.json')).resolve('vite/package.json');
    const args = [join(manifest, '../bin/vite.js'), '--host', '127.0.0.1', '--port', String(port), '--strictPort'];
    vite = spawn(process.execPath, args, {
      cwd: WEB,
      env: { ...process.env, CASEBOOK_API_URL: `http://127.0.0.1:${address.port}`, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    url = `http://127.0.0.1:${port}`;
    let output = '';
    while (!output.includes(url)) {
      const [chunk] = await once(vite.stdout!, 'data');
      output += String(chunk);
    }
  });
  after(async () => {
    for (const response of pending) response.destroy();
    pending = [];
    vite.kill();
    await once(vite, 'exit');
    api.close();
  });

  it('hands requests on to the API as they are, host, origin and cookies included, and so a session works', async () => {
    const response = await fetch(`${url}/api/session?x=1`, {
      method: 'POST',
      headers: { origin: url, cookie: 'casebook_session=s' },
    });
    assert.deepEqual(await response.json(), {
      path: '/api/session?x=1',
      host: new URL(url).host,
      origin: url,
      cookie: 'casebook_session=s',
    });
    assert.equal(response.headers.get('set-cookie'), 'casebook_session=s; HttpOnly');
  });

  it('shows the events of a stream as they come', async () => {
    const asked = request(`${url}/api/stream`);
    asked.end();
    const [response]: IncomingMessage[] = await once(asked, 'response');
    const [first] = await once(response!, 'data');
    assert.equal(String(first), 'data: first\n\n');
    pending.at(-1)!.write('data: second\n\n');
    const [second] = await once(response!, 'data');
    assert.equal(String(second), 'data: second\n\n');
    asked.destroy();
  });

  it('serves the page at every other address', async () => {
    for (const path of ['/', '/satellites', '/investigation/1', '/chats']) {
      const text = await (await fetch(`${url}${path}`, { headers: { accept: 'text/html' } })).text();
      assert.match(text, /src="\/src\/main\.tsx/, path);
    }
  });

  it('knows where the API is, whatever an endpoint is called', async () => {
    // What a proxy or a probe asks for is of no use in the browser.
    const paths = endpoints.map(({ path }) => path).filter((path) => path !== '/error' && path !== '/metrics');
    for (const path of new Set(paths.map((path) => path.replaceAll(/\{\w+\}/g, 'x')))) {
      const text = await (await fetch(`${url}${path}`, { headers: { accept: 'text/html' } })).text();
      if (path !== '/api/stream') assert.equal(JSON.parse(text).path, path);
    }
  });
});
