import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVERY_KIND } from '../support/mcp-server.ts';
import { mcpTool } from '@casebook/wire';
import {
  call,
  closeAfterEach,
  connect,
  connected,
  everything,
  filesystem,
  isRunning,
  refused,
  statusOf,
  testServer,
  told,
  until,
  untilOk,
} from './support.ts';

describe('MCP servers over stdio', () => {
  closeAfterEach();
  it('offers the tools of the reference server and passes its results through whole', async () => {
    const servers = await connected([everything()]);
    const tools = servers.tools();
    for (const tool of tools) {
      const sent: unknown = JSON.parse(JSON.stringify(tool));
      assert.deepEqual(mcpTool.parse(sent), sent);
    }
    const echo = tools.find(({ name }) => name === 'echo');
    assert.equal(echo?.readOnly, true);
    assert.deepEqual(echo.inputSchema['required'], ['message']);
    assert.ok(tools.find(({ name }) => name === 'get-structured-content')?.outputSchema);
    assert.ok(!tools.some(({ name }) => name === 'simulate-research-query'), 'a tool that only runs as a task');

    assert.deepEqual(await call(servers, 'everything', 'echo', { message: 'hello' }), {
      content: [{ type: 'text', text: 'Echo: hello' }],
    });
    const structured = await call(servers, 'everything', 'get-structured-content', { location: 'New York' });
    assert.deepEqual(structured.structuredContent, { temperature: 33, conditions: 'Cloudy', humidity: 82 });
    const image = await call(servers, 'everything', 'get-tiny-image');
    assert.ok(image.content.some((one: { type: string; mimeType?: string }) => one.mimeType === 'image/png'));
    const links = await call(servers, 'everything', 'get-resource-links', { count: 2 });
    assert.deepEqual(
      links.content.map(({ type }: { type: string }) => type),
      ['text', 'resource_link', 'resource_link'],
    );
    const wrong = await call(servers, 'everything', 'echo', {});
    assert.equal(wrong.isError, true);
  });

  it('gives a server its own environment and none of ours', async () => {
    process.env['SECRET_OF_THE_SATELLITE'] = 'token';
    try {
      const servers = await connected([{ ...everything(), env: { GIVEN: 'yes' } }]);
      const environment = await told(servers, 'everything', 'get-env');
      assert.equal(environment.GIVEN, 'yes');
      assert.equal(environment.PATH, process.env['PATH']);
      assert.equal(environment.SECRET_OF_THE_SATELLITE, undefined);
    } finally {
      delete process.env['SECRET_OF_THE_SATELLITE'];
    }
  });

  it('reads files through the reference server of files', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'casebook-mcp-')));
    try {
      await writeFile(join(folder, 'runbook.md'), 'Restart the cache first.');
      const servers = await connected([{ ...filesystem(folder), deny: ['write_*', 'edit_file', 'move_file'] }]);
      const names = servers.tools().map(({ name }) => name);
      assert.ok(names.includes('read_text_file') && !names.includes('write_file') && !names.includes('edit_file'));
      const read = await call(servers, 'files', 'read_text_file', { path: join(folder, 'runbook.md') });
      assert.equal(read.content[0].text, 'Restart the cache first.');
      const outside = await call(servers, 'files', 'read_text_file', { path: '/etc/hostname' });
      assert.equal(outside.isError, true);
      await refused(
        call(servers, 'files', 'write_file', {}),
        'not_found',
        /no tool "write_file".*There are: .*read_text_file/u,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('lists page after page, and follows a list that changes without asking once for each announcement', async () => {
    const servers = await connected([{ ...testServer(), readOnly: ['pi?', 'list*'] }]);
    const readOnly = servers.tools().filter((tool) => tool.readOnly);
    assert.deepEqual(
      readOnly.map(({ name }) => name),
      ['echo', 'pid', 'listings'],
    );
    assert.ok(
      servers.tools().some(({ name }) => name === 'crash'),
      'the last page',
    );
    let changes = 0;
    servers.onChange(() => (changes += 1));
    const names = Array.from({ length: 50 }, (_, n) => `new_${n}`);
    await call(servers, 'test', 'add_tools', { names });
    await until(
      'the new tools',
      () => names.every((name) => servers.tools().some((tool) => tool.name === name)) || undefined,
    );
    assert.ok(changes >= 1 && changes <= 3, `${changes} changes`);
    const listings = await told(servers, 'test', 'listings');
    assert.ok(listings >= 2 && listings <= 4, `${listings} listings`);
  });

  it('keeps every kind of content, and structured content that does not fit its own schema', async () => {
    const servers = await connected([testServer()]);
    assert.deepEqual(await call(servers, 'test', 'every_kind'), EVERY_KIND);
    assert.deepEqual(await call(servers, 'test', 'mismatched'), {
      content: [],
      structuredContent: { value: 'a text where a number was promised' },
    });
    assert.deepEqual(await call(servers, 'test', 'tool_error'), {
      content: [{ type: 'text', text: 'no such table' }],
      isError: true,
    });
  });

  it('says what the server said when it refuses, and what there is when there is no such thing', async () => {
    const servers = await connected([testServer()]);
    await refused(
      call(servers, 'test', 'protocol_error'),
      'failed',
      /-32050: the disk is on fire \(\{"disk":"sda"\}\)/u,
    );
    await refused(call(servers, 'test', 'invalid_arguments'), 'bad_request', /-32602: city must be a city/u);
    await refused(call(servers, 'test', 'nothing'), 'not_found', /no tool "nothing"\. There are: echo, pid/u);
    await refused(call(servers, 'nobody', 'echo'), 'not_found', /no MCP server "nobody"\. There are: test\./u);
  });

  it('bounds results, and takes large ones', async () => {
    const servers = await connected([testServer()]);
    const huge = await call(servers, 'test', 'huge', { bytes: 12_000_000 });
    assert.equal(huge.content[0].text.length, 12_000_000);
    await refused(call(servers, 'test', 'huge', { bytes: 5_000 }, { maxBytes: 4_000 }), 'too_large', /4000 allowed/u);
  });

  it('waits for as long as there is progress, and no longer', async () => {
    const servers = await connected([{ ...testServer(), timeoutMs: 2_500 }]);
    const busy = call(servers, 'test', 'busy');
    // It began later, and its time is over first.
    await refused(call(servers, 'test', 'held'), 'timeout', /did not answer in time/u);
    await call(servers, 'test', 'release');
    assert.equal((await busy).content[0].text, 'released');
    await until(
      'the server to hear of it',
      async () => (await told(servers, 'test', 'cancelled')).length === 1 || undefined,
    );
  });

  it('notifies the server when nobody is waiting any more', async () => {
    const servers = await connected([testServer()]);
    const nobody = new AbortController();
    const held = call(servers, 'test', 'held', {}, { signal: nobody.signal });
    // Behind the call in the server's input: the call has begun.
    await call(servers, 'test', 'echo');
    nobody.abort(new Error('nobody waits'));
    await assert.rejects(held, /nobody waits/u);
    await until('the cancellation', async () => (await told(servers, 'test', 'cancelled'))[0] === 'held' || undefined);
    await assert.rejects(call(servers, 'test', 'echo', {}, { signal: nobody.signal }), /nobody waits/u);
  });

  it('fails a call whose server is killed, says so, and comes back', async () => {
    const servers = await connected([testServer(), everything()]);
    const pid = await told(servers, 'test', 'pid');
    const held = call(servers, 'test', 'held');
    process.kill(pid, 'SIGKILL');
    await refused(held, 'failed', /“test” disconnected before it answered: was ended by SIGKILL/u);
    await until('the server is back', async () => {
      if (statusOf(servers, 'test') !== 'ok') return undefined;
      return (await told(servers, 'test', 'pid')) !== pid || undefined;
    });
    assert.equal(statusOf(servers, 'everything'), 'ok');
    await refused(call(servers, 'test', 'crash'), 'failed', /ended with exit code 3/u);
    await until('the server is away', () => statusOf(servers, 'test') === 'failing' || undefined);
    await untilOk(servers, 'test');
  });

  it('starts even if a server fails', async () => {
    const missing = { ...testServer('missing'), command: '/no/such/program' };
    const servers = connect([missing, { ...testServer(), name: 'other' }]);
    assert.deepEqual(
      servers.health().map(({ status }) => status),
      ['unknown', 'unknown'],
    );
    await untilOk(servers, 'other');
    await until('the missing one fails', () => statusOf(servers, 'missing') === 'failing' || undefined);
    assert.match(servers.health()[0]?.message ?? '', /ENOENT/u);
    await refused(call(servers, 'missing', 'any'), 'failed', /not connected: .*ENOENT/u);
    assert.ok(servers.tools().every(({ server }) => server === 'other'));
  });

  it('leaves no process behind', async () => {
    const servers = await connected([testServer()]);
    const pid = await told(servers, 'test', 'pid');
    assert.ok(isRunning(pid));
    await servers.close();
    assert.ok(!isRunning(pid));
    const opening = connect([testServer('opening')]);
    await opening.close();
    assert.deepEqual(opening.tools(), []);
  });
});
