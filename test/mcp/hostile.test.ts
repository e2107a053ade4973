import assert from 'node:assert/strict';
import { inventory, MAX_SCHEMA_CHARACTERS, MAX_TOOLS } from '@casebook/wire';
import type { McpServers } from '@casebook/mcp';
import { call, closeAfterEach, connect, connected, hostile, isRunning, refused, statusOf, until } from './support.ts';

/** That its tools can be announced to Casebook. */
function assertAnnounceable(servers: McpServers): void {
  const announced = {
    version: '1',
    labels: {},
    connectors: [],
    tools: servers.tools(),
    omittedTools: servers.omitted(),
  };
  inventory.parse(JSON.parse(JSON.stringify(announced)));
}

async function assertStillAnswers(servers: McpServers, server: string): Promise<void> {
  assert.equal((await call(servers, server, 'answer')).content[0].text, 'fine');
}

describe('MCP servers that mean harm', () => {
  closeAfterEach();
  it('reads the messages between the garbage, and logs little of it', async () => {
    const lines: unknown[] = [];
    const note = (line: unknown): void => void lines.push(line);
    const log = { debug: note, info: note, warn: note, error: note };
    const servers = await connected([hostile('garbage')], { log });
    await assertStillAnswers(servers, 'garbage');
    assert.ok(lines.length > 5 && lines.length < 300, `${lines.length} lines`);
  });

  it('refuses a gigantic line and continues with the next', async () => {
    const servers = await connected([hostile('gigantic-line')]);
    const before = process.memoryUsage().rss;
    await refused(call(servers, 'gigantic-line', 'harm'), 'too_large', /more than \d+ bytes in one message/u);
    const grown = process.memoryUsage().rss - before;
    assert.ok(grown < 200 * 1024 * 1024, `${grown} bytes`);
    await assertStillAnswers(servers, 'gigantic-line');
  });

  it('keeps the first of 100,000 tools, and of pages without end', async () => {
    const servers = await connected([hostile('many-tools'), hostile('endless-pages')]);
    const of = (name: string): number => servers.tools().filter(({ server }) => server === name).length;
    assert.equal(of('many-tools'), MAX_TOOLS);
    assert.equal(of('endless-pages'), MAX_TOOLS);
    assert.equal(servers.omitted(), 100_000 - MAX_TOOLS + 1_000 - MAX_TOOLS);
    await refused(call(servers, 'many-tools', 'tool-99999'), 'not_found', /and 99950 more/u);
  });

  it('offers tools by odd names, and leaves out what has none', async () => {
    const servers = await connected([hostile('odd-names')]);
    const names = servers.tools().map(({ name }) => name);
    assert.deepEqual(names, [
      'ünï cödé',
      '../../etc/passwd',
      '"; DROP TABLE tools; --',
      '\u0000\u001B[31m',
      '__proto__',
    ]);
    assert.equal(servers.omitted(), 1);
    assertAnnounceable(servers);
    for (const name of names) assert.equal((await call(servers, 'odd-names', name)).content[0].text, 'fine');
  });

  it('passes a schema on or replaces it, and never follows it', async () => {
    const servers = await connected([hostile('bombs')]);
    const tools = new Map(servers.tools().map((tool) => [tool.name, tool]));
    const bomb = tools.get('ref-bomb');
    assert.ok(JSON.stringify(bomb?.inputSchema).length <= MAX_SCHEMA_CHARACTERS);
    assert.equal(bomb?.description.length, 2_000);
    assert.deepEqual(tools.get('large')?.inputSchema, { type: 'object' });
    assert.match(tools.get('large')?.description ?? '', /too long to show/u);
    assert.deepEqual(tools.get('invalid')?.inputSchema, { type: 'object' });
    assert.match(tools.get('none')?.description ?? '', /not described/u);
    assert.equal(tools.get('none')?.readOnly, false);
    assertAnnounceable(servers);
    assert.equal((await call(servers, 'bombs', 'ref-bomb')).content[0].text, 'fine');
  });

  it('fails a call that is answered with nonsense, and no other', async () => {
    const servers = await connected([hostile('not-json-rpc'), hostile('deep')]);
    await refused(call(servers, 'not-json-rpc', 'harm'), 'failed', /not JSON-RPC/u);
    await assertStillAnswers(servers, 'not-json-rpc');
    await refused(call(servers, 'deep', 'harm'), 'failed', /“deep”/u);
    await assertStillAnswers(servers, 'deep');
  });

  it('takes a result that is newer than the SDK', async () => {
    const servers = await connected([hostile('newer')]);
    assert.deepEqual(await call(servers, 'newer', 'harm'), {
      content: [{ type: 'hologram', volume: [1, 2, 3] }],
      later: true,
    });
  });

  it('gives a server neither roots nor samples nor answers from people', async () => {
    const servers = await connected([hostile('requests')]);
    const { structuredContent } = await call(servers, 'requests', 'harm');
    assert.deepEqual(structuredContent.refusals, [
      ['r', -32_601],
      ['s', -32_601],
      ['e', -32_601],
    ]);
  });

  it('starts a server anew that no longer answers', async () => {
    let connections = 0;
    const note = (): void => undefined;
    const info = (_: unknown, message?: string): void =>
      void (message === 'MCP server connected' && (connections += 1));
    const log = { debug: note, info, warn: note, error: note };
    const servers = connect([hostile('deaf')], { log, timings: { pingEveryMs: 50, pingMs: 50 } });
    await until('a second connection', () => connections >= 2 || undefined);
    await until('health', () => /does not answer a ping/u.test(servers.health()[0]?.message ?? '') || undefined);
    assert.equal(statusOf(servers, 'deaf'), 'failing');
  });

  it('ends a server that ignores signals, and the processes it started', async () => {
    const pids: number[] = [];
    const note = (): void => undefined;
    const debug = (fields: unknown): void => {
      const [, pid] = /child (\d+)/u.exec((fields as { line?: string }).line ?? '') ?? [];
      if (pid !== undefined) pids.push(Number(pid));
    };
    const log = { debug: debug as () => void, info: note, warn: note, error: note };
    const servers = await connected([hostile('child-ignores-signals')], { log });
    const [pid] = pids;
    assert.ok(pid !== undefined && isRunning(pid));
    await servers.close();
    await until('the child to be gone', () => !isRunning(pid) || undefined);
  });
});
