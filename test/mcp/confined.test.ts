import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openMcp, type OpenMcp, type StdioServer } from '@casebook/mcp';
import { everything, filesystem, hostile, isRunning, refused, silent, testServer, until } from './support.ts';

const MEGABYTE = 1_048_576;
const CLIENT = { name: 'test', version: '0' };
const context = { signal: new AbortController().signal, maxBytes: MEGABYTE };

describe('confined MCP servers', () => {
  const opened = new Set<OpenMcp>();
  /** Ids of processes that hostile servers told of. */
  let pids: number[];
  beforeEach(() => (pids = []));
  afterEach(async () => {
    await Promise.all([...opened].map((server) => server.close()));
    opened.clear();
    await until('nothing to be left behind', () => !pids.some(isRunning) || undefined);
  });

  const heard = (line: string): void => {
    const [, pid] = /^child (\d+)/u.exec(line) ?? [];
    if (pid !== undefined) pids.push(Number(pid));
  };
  const log = { ...silent, debug: (fields: object) => heard('line' in fields ? String(fields.line) : '') };
  const timings = { backoff: { firstMs: 20, maxMs: 200 } };
  const open = async (settings: StdioServer): Promise<OpenMcp> => {
    const server = await openMcp({ confine: {}, ...settings }, { log, client: CLIENT, timings });
    opened.add(server);
    return server;
  };
  const call = (server: OpenMcp, tool: string, args: Record<string, unknown> = {}): Promise<unknown> =>
    server.call(tool, args, context);
  const textOf = (result: unknown): string => (result as { content: [{ text: string }] }).content[0].text;

  it('run the reference servers', async () => {
    const server = await open(everything());
    const echo = server.tools().find(({ name }) => name === 'echo');
    assert.equal(echo?.readOnly, true);
    assert.equal(textOf(await call(server, 'echo', { message: 'hello' })), 'Echo: hello');
    const folder = fileURLToPath(new URL('.', import.meta.url));
    const files = await open(filesystem(folder));
    const read = await call(files, 'read_text_file', { path: fileURLToPath(import.meta.url) });
    assert.match(textOf(read), /run the reference servers/u);
  });

  it('have a home of their own for as long as they run, and none of our environment', async () => {
    process.env['SECRET_OF_THE_OWNER'] = 'token';
    try {
      const files = { '.config/vendor/key.json': '{}' };
      const server = await open({ ...testServer(), env: { GIVEN: 'yes' }, confine: { files } });
      const { CASEBOOK_TOOL_SERVER: mark, ...environment } = JSON.parse(textOf(await call(server, 'environment')));
      const { HOME: home } = environment;
      assert.ok(existsSync(home) && home !== process.env['HOME'] && mark);
      assert.deepEqual(environment, { GIVEN: 'yes', HOME: home, PATH: process.env['PATH'], TMPDIR: home });
      const key = join(home, '.config/vendor/key.json');
      assert.equal(readFileSync(key, 'utf8'), '{}');
      assert.equal(statSync(key).mode & 0o777, 0o600);
      await server.close();
      assert.ok(!existsSync(home));
    } finally {
      delete process.env['SECRET_OF_THE_OWNER'];
    }
  });

  for (const way of ['hog', 'hogs']) {
    it(`are ended when ${way === 'hog' ? 'one process takes' : 'processes take'} too much memory, and started again`, async () => {
      const server = await open({ ...hostile(way), confine: { maxMemoryBytes: 300 * MEGABYTE } });
      const harmed = call(server, 'harm');
      await refused(harmed, 'failed', /was ended because it used more than 300 MiB of memory/u);
      const harmful = [...pids];
      await server.ready(context.signal);
      await until('their end', () => !harmful.some(isRunning) || undefined);
      assert.equal(textOf(await call(server, 'answer')), 'fine');
    });
  }

  it('are ended when they start too many processes, whatever group those are in', async () => {
    const server = await open({ ...hostile('forks'), confine: { maxProcesses: 20 } });
    await refused(call(server, 'harm'), 'failed', /was ended because it started more than 20 processes/u);
    await server.ready(context.signal);
    // Some were ended before they could say their number.
    assert.ok(pids.length > 1);
    await until('the new server to be alone', () => pids.filter(isRunning).length === 1 || undefined);
  });

  it('are ended when they flood their output', async () => {
    const server = await open({ ...hostile('flood'), maxMessageBytes: MEGABYTE });
    await refused(call(server, 'harm'), 'failed', /was ended because it flooded its standard output/u);
    await server.ready(context.signal);
    assert.equal(textOf(await call(server, 'answer')), 'fine');
  });

  it('wait when they flood their standard error, and go on answering', async () => {
    const server = await open(hostile('stderr-flood'));
    await call(server, 'harm');
    for (let n = 0; n < 3; n += 1) assert.equal(textOf(await call(server, 'answer')), 'fine');
  });

  it('have a bounded time to start, and leave nothing when they do not', async () => {
    const opening = openMcp(
      { ...hostile('hang'), confine: {} },
      { log, client: CLIENT, timings: { connectMs: 1_000 } },
    );
    await refused(opening, 'failed', /“hang” is not connected: it did not answer in time/u);
    assert.equal(pids.length, 1);
    const nobody = new AbortController();
    const { signal } = nobody;
    const log2 = { ...log, debug: () => nobody.abort(new Error('nobody waits')) };
    await assert.rejects(openMcp(hostile('hang'), { log: log2, client: CLIENT, signal }), /nobody waits/u);
  });

  it('say why a program cannot be started', async () => {
    const settings = { ...testServer(), command: '/no/such/program' };
    await refused(open(settings), 'failed', /“test” is not connected: .*ENOENT/u);
  });

  it('end with what they started when their owner is killed', async () => {
    const owner = spawn(process.execPath, [fileURLToPath(new URL('../support/mcp-owner.ts', import.meta.url))], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    createInterface({ input: owner.stdout }).on('line', heard);
    await until('the server and its child', () => pids.length === 2 || undefined);
    const homeOf = readHome(pids);
    assert.ok(pids.every(isRunning) && existsSync(homeOf));
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    await until('their end', () => !pids.some(isRunning) || undefined);
    await until('the end of their home', () => !existsSync(homeOf) || undefined);
  });
});

/** The home of a running process. */
function readHome(pids: readonly number[]): string {
  const environment = readFileSync(`/proc/${pids[0]}/environ`, 'utf8').split('\0');
  return environment.find((one) => one.startsWith('HOME='))?.slice('HOME='.length) ?? '';
}
