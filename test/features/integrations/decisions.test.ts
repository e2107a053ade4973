/** What a team decides about the tools of an MCP server, and what a run is offered then. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { composeRooms, openCore } from '../../../src/compose.ts';
import { recordedLog, testConfig } from '../../http/support/api.ts';
import { startHttpMcpServer, type HttpMcpServer } from '../../mcp/http-server.ts';
import { startApiOverRows, type ApiOverRows } from '../../support/api-over-rows.ts';

const PATH = '/api/integrations/mcp';

describe('decisions about the tools of an MCP server', () => {
  let api: ApiOverRows;
  let server: HttpMcpServer;
  let worker: ReturnType<typeof composeRooms>;
  let closing: AsyncDisposableStack;
  /** One that its server declares read-only, and two that it does not. */
  let names: { reading: string; one: string; other: string };

  before(async () => {
    const env = { CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1', CASEBOOK_SECRET_KEY: randomBytes(32).toString('hex') };
    server = await startHttpMcpServer();
    api = await startApiOverRows(env);
    const config = testConfig({ ...env, DATABASE_URL: api.database.url, TEMPORAL_ADDRESS: '127.0.0.1:1' });
    const core = await openCore(config, recordedLog('silent').log);
    closing = core.closing;
    worker = composeRooms(core);
  });
  after(async () => {
    await closing?.disposeAsync();
    await api?.stop();
    await server?.close();
  });

  const connect = async (headers: object = {}) => {
    const { status, body } = await api.request('POST', PATH, { name: 'tickets', url: server.url, headers });
    assert.equal(status, 200, JSON.stringify(body));
    return body.integration;
  };
  const decide = async (id: string, tools: object) => {
    const { status, body } = await api.request('PUT', `${PATH}/${id}`, { tools });
    assert.equal(status, 200, JSON.stringify(body));
  };
  /** How a run is offered a tool: undefined if it is not. */
  const offered = async (name: string) => {
    const { tools } = await worker.teamTools(api.teamId);
    const tool = tools.find((each) => each.name === `tickets_${name}`);
    return tool && { acts: tool.sideEffect === true, isApproved: tool.approval?.({}) === true };
  };

  it('say whether a run has it, as a tool that reads or as one whose calls a person approves', async () => {
    const { id, tools } = await connect();
    const [reading] = tools.filter((tool: { read_only: boolean }) => tool.read_only);
    const [one, other] = tools.filter((tool: { read_only: boolean }) => !tool.read_only);
    names = { reading: reading.name, one: one.name, other: other.name };
    const reads = { acts: false, isApproved: false };
    const acts = { acts: true, isApproved: true };
    assert.deepEqual([await offered(names.reading), await offered(names.one)], [reads, undefined]);
    await decide(id, { [names.one]: 'act' });
    assert.deepEqual(await offered(names.one), acts);
    await decide(id, { [names.one]: 'read' });
    assert.deepEqual(await offered(names.one), reads);
    await decide(id, { [names.reading]: 'deny', [names.one]: 'act' });
    assert.deepEqual([await offered(names.reading), await offered(names.one)], [undefined, acts]);
  });

  it('stay as they are for the tools that a request leaves out', async () => {
    const { id } = await connect({ 'x-key': '1' });
    await decide(id, { [names.other]: 'read' });
    assert.equal(await offered(names.reading), undefined, 'it is denied as before');
    assert.ok(await offered(names.one));
    assert.ok(await offered(names.other));
  });

  it('stay when the same server is connected again', async () => {
    await connect({ 'x-key': '2' });
    assert.equal(await offered(names.reading), undefined);
    assert.deepEqual(await offered(names.one), { acts: true, isApproved: true });
  });
});
