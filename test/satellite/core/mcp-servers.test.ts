import assert from 'node:assert/strict';
import { mcpServersConfig } from '../../../satellite/config/mcp-servers.ts';

describe('satellite: configuration of MCP servers', () => {
  it('takes a configuration or says what is wrong with it', () => {
    assert.deepEqual(mcpServersConfig.parse(undefined), []);
    assert.deepEqual(mcpServersConfig.parse([{ name: 'git', transport: 'stdio', command: 'git-mcp' }]), [
      {
        name: 'git',
        transport: 'stdio',
        command: 'git-mcp',
        args: [],
        env: {},
        timeoutMs: 60_000,
        readOnly: [],
        allow: ['*'],
        deny: [],
      },
    ]);
    const [remote] = mcpServersConfig.parse([
      { name: 'wiki', transport: 'http', url: 'https://x', headers: { 'x-tenant': 'blue' }, bearer: 'token\n' },
    ]);
    assert.ok(remote?.transport === 'http');
    assert.deepEqual(remote.headers, { 'x-tenant': 'blue', Authorization: 'Bearer token' });
    const wrong: [unknown, RegExp][] = [
      [{ name: 'Git', transport: 'stdio', command: 'x' }, /lower-case/u],
      [{ name: 'git', transport: 'sse', url: 'http://x' }, /transport/u],
      [{ name: 'git', transport: 'http', url: 'file:///etc' }, /http or https/u],
      [{ name: 'git', transport: 'stdio', command: 'x', readonly: 'all' }, /readonly/u],
    ];
    for (const [server, words] of wrong) assert.match(String(mcpServersConfig.safeParse([server]).error), words);
    const one = { name: 'git', transport: 'stdio', command: 'x' };
    assert.match(String(mcpServersConfig.safeParse([one, one]).error), /two servers with the same name/u);
  });
});
