import assert from 'node:assert/strict';
import { McpUnauthorized, openMcp, type CredentialRequest, type HttpServer, type OpenMcp } from '@casebook/mcp';
import { createOutbound } from '../../src/platform/outbound/index.ts';
import { startHttpMcpServer, type HttpMcpServer, type HttpMcpServerOptions } from './http-server.ts';
import { refused, silent } from './support.ts';

const CHALLENGE = 'Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource"';
const context = { signal: new AbortController().signal, maxBytes: 1_048_576 };

describe('MCP servers over streamable HTTP that a team names', () => {
  const closing: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of closing.splice(0).toReversed()) await one.close();
  });

  const start = async (options?: HttpMcpServerOptions): Promise<HttpMcpServer> => {
    const server = await startHttpMcpServer(options);
    closing.push(server);
    return server;
  };
  const open = async (settings: Omit<HttpServer, 'name' | 'transport' | 'headers'>): Promise<OpenMcp> => {
    const server = await openMcp(
      { name: 'remote', transport: 'http', headers: {}, ...settings },
      { log: silent, client: { name: 'test', version: '0' } },
    );
    closing.push(server);
    return server;
  };
  const unauthorized = async (asking: Promise<unknown>, status: number, challenge?: string): Promise<void> => {
    await assert.rejects(asking, (error: unknown) => {
      assert.ok(error instanceof McpUnauthorized, String(error));
      assert.deepEqual([error.status, error.challenge], [status, challenge]);
      assert.match(error.message, /“remote” does not accept the credential/u);
      return true;
    });
  };

  describe('credentials', () => {
    it('say what the server wants when there is none', async () => {
      const { url } = await start({ refusal: () => ({ status: 401, challenge: CHALLENGE }) });
      await unauthorized(open({ url }), 401, CHALLENGE);
    });

    it('are asked for before each request, and renewed once when refused', async () => {
      let accepted = 'Bearer one';
      let current = 'Bearer one';
      const asked: CredentialRequest[] = [];
      const authorize = async (request: CredentialRequest): Promise<Record<string, string>> => {
        asked.push(request);
        if (request.refused !== undefined) current = 'Bearer two';
        return { authorization: current };
      };
      const server = await start({
        refusal: ({ authorization }) => (authorization === accepted ? undefined : { status: 401 }),
      });
      const mcp = await open({ url: server.url, authorize, listen: false });
      assert.ok(asked.length > 0 && asked.every(({ refused }) => refused === undefined));
      accepted = 'Bearer two';
      await mcp.call('echo', {}, context);
      await mcp.call('echo', {}, context);
      const renewals = asked.filter(({ refused }) => refused !== undefined);
      assert.deepEqual(
        renewals.map(({ refused }) => refused),
        [{ authorization: 'Bearer one' }],
      );
      accepted = 'Bearer three';
      const before = asked.length;
      await unauthorized(mcp.call('echo', {}, context), 401);
      assert.equal(asked.length - before, 2, 'no third attempt');
      accepted = 'Bearer two';
      await mcp.call('echo', {}, context);
      assert.equal(server.sessions.size, 1, 'the session went on');
    });

    it('that do not suffice are not renewed', async () => {
      const asked: CredentialRequest[] = [];
      const challenge = 'Bearer error="insufficient_scope", scope="metrics"';
      const { url } = await start({ refusal: () => ({ status: 403, challenge }) });
      const authorize = async (request: CredentialRequest): Promise<Record<string, string>> => {
        asked.push(request);
        return { authorization: 'Bearer one' };
      };
      await unauthorized(open({ url, authorize }), 403, challenge);
      assert.ok(asked.length > 0 && asked.every(({ refused }) => refused === undefined));
    });

    it('that cannot be had fail the request with the reason, and those that no header can hold are not repeated', async () => {
      const { url, requests } = await start();
      const fails = async (): Promise<never> => await Promise.reject(new Error('the connection was removed'));
      await refused(open({ url, authorize: fails }), 'failed', /the connection was removed/u);
      const odd = open({ url, authorize: async () => ({ authorization: 'hunter2\n' }) });
      await assert.rejects(odd, (error: Error) => {
        assert.match(error.message, /a character that is not allowed/u);
        assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /hunter2/u);
        return true;
      });
      assert.equal(requests.length, 0);
    });
  });

  describe('the network', () => {
    it('is left where the guard forbids the address, as written or as resolved', async () => {
      const { url, requests } = await start();
      const { network } = createOutbound({ allow: [] });
      await refused(
        open({ url, network }),
        'failed',
        /^The MCP server “remote” may not be reached: The URL must begin with https/u,
      );
      const { port } = new URL(url);
      const inside = `https://127.0.0.1:${port}/mcp`;
      await refused(open({ url: inside, network }), 'failed', /127\.0\.0\.1 is not a public address/u);
      const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
      const outside = `https://mcp.example.com:${port}/mcp`;
      const guarded = createOutbound({ allow: [], resolve }).network;
      await refused(open({ url: outside, network: guarded }), 'failed', /has an address that is not public/u);
      assert.equal(requests.length, 0);
    });

    it('is used where the operator allows the address, without a stream for announcements', async () => {
      const server = await start();
      const { network } = createOutbound({ allow: ['127.0.0.1'] });
      const mcp = await open({ url: server.url, network, listen: false });
      assert.ok(mcp.tools().some(({ name, readOnly }) => name === 'echo' && readOnly));
      await mcp.call('echo', {}, context);
      assert.deepEqual([...new Set(server.requests.map(({ method }) => method))], ['POST']);
    });

    it('is not left by a redirect', async () => {
      const { requests, url: elsewhere } = await start();
      const { url } = await start({ refusal: () => ({ status: 307, location: elsewhere }) });
      const { network } = createOutbound({ allow: ['127.0.0.1'] });
      await refused(open({ url, network }), 'failed', /answered with a redirect, which is not followed/u);
      assert.equal(requests.length, 0);
    });
  });
});
