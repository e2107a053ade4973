import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findToolServer, openMcp } from '@casebook/mcp';
import { textOf } from '../packaging/repository.ts';
import { silent } from './support.ts';

describe('tool servers of vendors', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'casebook-tool-servers-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = async (path: string, text: string): Promise<void> => {
    const file = join(folder, 'node_modules', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { mode: 0o755 });
  };
  const install = (name: string, more: object): Promise<void> =>
    write(`${name}/package.json`, JSON.stringify({ name, version: '1.2.3', ...more }));

  it('are found by name and exact version, and run on this Node', async () => {
    await install('@vendor/mcp', { bin: { serve: './dist/serve.js' } });
    await write('@vendor/mcp/dist/serve.js', '');
    const file = join(folder, 'node_modules/@vendor/mcp/dist/serve.js');
    assert.deepEqual(findToolServer('@vendor/mcp', '1.2.3', folder), { command: process.execPath, args: [file] });
    assert.equal(findToolServer('@vendor/mcp', '1.2.4', folder), undefined);
    assert.equal(findToolServer('@vendor/other', '1.2.3', folder), undefined);
    assert.equal(findToolServer('@vendor/mcp', '1.2.3'), undefined);
  });

  it('are found in the project, and started', async () => {
    const name = '@modelcontextprotocol/server-everything';
    const { devDependencies } = JSON.parse(textOf('package.json'));
    const program = findToolServer(name, devDependencies[name], folder);
    assert.ok(program);
    const { command, args } = program;
    const mcp = await openMcp(
      { name: 'vendor', transport: 'stdio', command, args: [...args, 'stdio'], env: {}, confine: {} },
      { log: silent, client: { name: 'test', version: '0' } },
    );
    try {
      assert.ok(mcp.tools().length > 5);
    } finally {
      await mcp.close();
    }
  });

  it('are the program for this platform where a package only chooses one', async () => {
    const platform = `@vendor/mcp-${process.platform}-${process.arch}`;
    await install('@vendor/mcp', { bin: './choose.js', optionalDependencies: { [platform]: '1.2.5' } });
    await write('@vendor/mcp/choose.js', '');
    assert.equal(findToolServer('@vendor/mcp', '1.2.3', folder), undefined, 'the chooser would download it');
    await install(platform, { version: '1.2.5', bin: { serve: 'dist/serve' } });
    await write(`${platform}/dist/serve`, '');
    const command = join(folder, 'node_modules', platform, 'dist/serve');
    assert.deepEqual(findToolServer('@vendor/mcp', '1.2.3', folder), { command, args: [] });
    await install(platform, { version: '1.2.6', bin: { serve: 'dist/serve' } });
    assert.equal(findToolServer('@vendor/mcp', '1.2.3', folder), undefined, 'of another version');
  });

  it('are nothing without a program of their own', async () => {
    await install('library', {});
    await install('missing', { bin: 'missing.js' });
    await install('outside', { bin: '../library/package.json' });
    await write('garbled/package.json', '{');
    for (const name of ['library', 'missing', 'outside', 'garbled'])
      assert.equal(findToolServer(name, '1.2.3', folder), undefined, name);
  });
});
