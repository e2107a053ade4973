import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { HttpServer } from '@casebook/mcp';
import { freePort } from '../../src/embedded/free-port.ts';
import { EVERY_KIND } from '../support/mcp-server.ts';
import { startHttpMcpServer, type HttpMcpServer, type HttpMcpServerOptions } from './http-server.ts';
import {
  call,
  closeAfterEach,
  connect,
  connected,
  everythingProgram,
  refused,
  statusOf,
  told,
  until,
  untilOk,
} from './support.ts';

const at = (url: string): HttpServer => ({ name: 'remote', transport: 'http', url, headers: {} });

describe('MCP servers over streamable HTTP', () => {
  closeAfterEach();
  describe('the reference server', () => {
    let children: ChildProcess[];
    beforeEach(() => (children = []));
    afterEach(async () => {
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      }
    });

    const start = (port: number): ChildProcess => {
      const child = spawn(process.execPath, [everythingProgram, 'streamableHttp'], {
        env: { ...process.env, PORT: String(port) },
        stdio: 'ignore',
      });
      children.push(child);
      return child;
    };

    it('is awaited, asked, killed during a call, and asked again', async () => {
      const port = await freePort();
      const servers = connect([at(`http://127.0.0.1:${port}/mcp`)]);
      await until('a failure', () => statusOf(servers, 'remote') === 'failing' || undefined);
      assert.match(servers.health()[0]?.message ?? '', /ECONNREFUSED/u);
      const child = start(port);
      await untilOk(servers, 'remote');
      assert.ok(servers.tools().some(({ name }) => name === 'echo'));
      const image = await call(servers, 'remote', 'get-tiny-image');
      assert.ok(image.content.some((one: { type: string }) => one.type === 'image'));

      const long = call(servers, 'remote', 'trigger-long-running-operation', { duration: 600, steps: 6_000 });
      await call(servers, 'remote', 'echo', { message: 'in between' });
      child.kill('SIGKILL');
      await refused(long, 'failed', /before it answered|could not be resumed/u);
      await until('the loss to be noticed', () => statusOf(servers, 'remote') === 'failing' || undefined);
      assert.deepEqual(servers.tools(), []);
      start(port);
      await untilOk(servers, 'remote');
      const echo = await call(servers, 'remote', 'echo', { message: 'again' });
      assert.deepEqual(echo.content, [{ type: 'text', text: 'Echo: again' }]);
    });
  });

  const started = new Set<HttpMcpServer>();
  const start = async (options?: HttpMcpServerOptions): Promise<HttpMcpServer> => {
    const server = await startHttpMcpServer(options);
    started.add(server);
    return server;
  };
  afterEach(async () => {
    await Promise.all([...started].map((server) => server.close()));
    started.clear();
  });

  for (const json of [false, true]) {
    it(`passes results through whole from ${json ? 'JSON' : 'an event stream'}`, async () => {
      const { url } = await start({ json });
      const servers = await connected([at(url)]);
      assert.deepEqual(await call(servers, 'remote', 'every_kind'), EVERY_KIND);
      assert.equal((await call(servers, 'remote', 'tool_error')).isError, true);
      await refused(call(servers, 'remote', 'protocol_error'), 'failed', /-32050: the disk is on fire/u);
      await refused(call(servers, 'remote', 'huge', { bytes: 34_000_000 }), 'too_large', /bytes in one message/u);
      assert.equal((await call(servers, 'remote', 'huge', { bytes: 20_000_000 })).content[0].text.length, 20_000_000);
    });
  }

  it('sends the headers and the bearer token with every request, and takes leave', async () => {
    const server = await start();
    const servers = await connected([
      { ...at(server.url), headers: { 'x-tenant': 'blue', Authorization: 'Bearer secret' } },
    ]);
    await call(servers, 'remote', 'echo');
    await servers.close();
    for (const { headers } of server.requests) {
      assert.equal(headers['x-tenant'], 'blue');
      assert.equal(headers.authorization, 'Bearer secret');
    }
    assert.equal(server.requests.at(-1)?.method, 'DELETE');
  });

  it('says why it is refused', async () => {
    const { url } = await start({ refusal: () => ({ status: 401 }) });
    const servers = connect([at(url)]);
    await until('the refusal', () => /HTTP status 401/u.test(servers.health()[0]?.message ?? '') || undefined);
  });

  for (const unknownSession of [404, 400]) {
    it(`begins a new session when the server has forgotten it and says so with ${unknownSession}`, async () => {
      const server = await start({ unknownSession });
      const servers = await connected([at(server.url)]);
      server.forget();
      const echo = await call(servers, 'remote', 'echo', { n: 1 });
      assert.equal(echo.content[0].text, '{"n":1}');
      assert.equal(server.sessions.size, 1);
    });
  }

  it('follows a list that changes', async () => {
    const { url } = await start();
    const servers = await connected([at(url)]);
    await call(servers, 'remote', 'add_tools', { names: ['fresh'] });
    await until('the new tool', () => servers.tools().some(({ name }) => name === 'fresh') || undefined);
  });

  it('waits for as long as there is progress', async () => {
    const { url } = await start();
    const servers = await connected([{ ...at(url), timeoutMs: 2_500 }]);
    const busy = call(servers, 'remote', 'busy');
    // It began later, and its time is over first.
    await refused(call(servers, 'remote', 'held'), 'timeout', /did not answer in time/u);
    await call(servers, 'remote', 'release');
    assert.equal((await busy).content[0].text, 'released');
    await until(
      'the cancellation',
      async () => (await told(servers, 'remote', 'cancelled'))[0] === 'held' || undefined,
    );
  });

  for (const resumable of [false, true]) {
    it(`lets go of a cancelled call's stream${resumable ? ' that could be taken up again' : ''}`, async () => {
      const server = await start({ resumable });
      const servers = await connected([at(server.url)]);
      await until('the stream of announcements', () => server.open.size === 1 || undefined);
      const answered = new AbortController();
      await call(servers, 'remote', 'echo', {}, { signal: answered.signal });
      answered.abort();
      const nobody = new AbortController();
      const held = call(servers, 'remote', 'held', {}, { signal: nobody.signal });
      await until('the call', () => server.open.size === 2 || undefined);
      nobody.abort(new Error('nobody waits'));
      await assert.rejects(held, /nobody waits/u);
      await until(
        'the server to hear of it',
        () => [...server.sessions.values()][0]?.cancelled.length === 1 || undefined,
      );
      await until('the stream to end', () => server.open.size === 1 || undefined);
      assert.equal(
        server.methods.filter((method) => method === 'notifications/cancelled').length,
        1,
        'not of what it answered',
      );
      await refused(call(servers, 'remote', 'protocol_error'), 'failed', /on fire/u);
      // Resumptions come 10 ms after the end of a stream.
      await call(servers, 'remote', 'slow', { steps: 5, stepMs: 20 });
      assert.deepEqual(
        server.requests.filter(({ headers }) => headers['last-event-id'] !== undefined),
        [],
      );
    });
  }

  it('fails a call whose connection breaks, and not the server', async () => {
    const server = await start();
    const servers = await connected([at(server.url)]);
    const held = call(servers, 'remote', 'held');
    await until('the call', () => server.open.size === 2 || undefined);
    server.cut();
    await refused(held, 'failed', /closed the connection before it answered/u);
    const listens = () => server.requests.filter(({ method }) => method === 'GET').length;
    await until('the stream of announcements again', () => listens() === 2 || undefined);
    assert.equal((await call(servers, 'remote', 'echo', {})).content[0].text, '{}');
    assert.equal(server.sessions.size, 1, 'the session went on');
  });

  it('resumes the stream of a call if the server can', async () => {
    const server = await start({ resumable: true });
    const servers = await connected([at(server.url)]);
    const released = call(servers, 'remote', 'until_released');
    // Before the first event the client has nothing to take up: no more than a request that failed.
    await until('the first event of the call', () => server.speaking.size === 1 || undefined);
    server.cut();
    for (const session of server.sessions.values()) session.release();
    assert.equal((await released).content[0].text, 'released');
  });
});
