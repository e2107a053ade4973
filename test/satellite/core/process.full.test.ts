import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { waitUntil } from '../../support/wait-until.ts';
import { startCasebookEnd, type CasebookEnd, type CasebookEndOptions } from '../support/casebook-end.ts';
import { isRunning } from '../../mcp/support.ts';
import { runSatellite, type SatelliteProcess } from '../support/satellite-process.ts';

const INCIDENTS = join(import.meta.dirname, '../../../demo/incidents');

describe('satellite: process', () => {
  const closing: (() => unknown)[] = [];
  let system: Server;
  let asked: ServerResponse[];
  let systemUrl: string;

  const end = async (options?: CasebookEndOptions, port?: number): Promise<CasebookEnd> => {
    const started = await startCasebookEnd(options, port);
    closing.unshift(() => started.close());
    return started;
  };
  const run = async (...args: Parameters<typeof runSatellite>): Promise<SatelliteProcess> => {
    const started = await runSatellite(...args);
    closing.unshift(() => started.remove());
    return started;
  };
  const configOf = ({ url, token }: Pick<CasebookEnd, 'url' | 'token'>, rest: object = {}) => ({
    casebook: { url, token },
    name: 'here',
    connectors: [
      { id: 'api', kind: 'http', base_url: systemUrl, allow: ['/**'] },
      { id: 'recordings', kind: 'recorded', directory: INCIDENTS },
    ],
    ...rest,
  });
  const held = { kind: 'connector' as const, connector: 'api', operation: 'get', parameters: { path: '/held' } };
  const heldRequest = () => waitUntil(() => asked.at(-1), { what: 'the query', intervalMs: 10 });

  beforeEach(async () => {
    asked = [];
    system = createServer((request, response) => {
      if (request.url === '/held') asked.push(response);
      else response.end('{}');
    });
    system.listen(0, '127.0.0.1');
    await once(system, 'listening');
    systemUrl = `http://127.0.0.1:${(system.address() as AddressInfo).port}`;
    closing.push(() => {
      system.closeAllConnections();
      system.close();
    });
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  it('connects, says what it is, answers, and tells its health port', async () => {
    const casebook = await end();
    const satellite = await run(configOf(casebook, { health_port: 0 }));
    const connection = await casebook.satellite();
    const inventory = await connection.until(() => connection.of('inventory')[0]?.inventory);
    const manifest = await readFile(new URL('../../../satellite/package.json', import.meta.url), 'utf8');
    assert.equal(inventory.version, JSON.parse(manifest).version);
    assert.deepEqual(
      inventory.connectors.map(({ id, operations }) => [id, operations.length]),
      [
        ['api', 1],
        ['recordings', 13],
      ],
    );
    const answer = await connection.query('recordings', 'incidents');
    assert.ok('value' in answer && Array.isArray(answer.value) && answer.value.length >= 6);
    await satellite.logged('healthPort');
    const port = /"healthPort":(\d+)/.exec(satellite.log())![1];
    const health = async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).status;
    assert.equal(await health(), 200);
    await casebook.close();
    await waitUntil(async () => ((await health()) === 503 ? true : undefined), {
      what: '503',
      intervalMs: 20,
    });
    assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 404);
    assert.deepEqual(connection.violations, []);
    assert.doesNotMatch(satellite.log(), new RegExp(casebook.token));
  });

  it('finishes its running queries when told to stop, then exits', async () => {
    const casebook = await end();
    const satellite = await run(configOf(casebook));
    const connection = await casebook.satellite();
    const id = connection.ask(held);
    const response = await heldRequest();
    satellite.child.kill('SIGTERM');
    await satellite.logged('stopping');
    response.end('{"late":true}');
    assert.deepEqual(Object.values(await connection.answer(id))[0], { late: true });
    assert.deepEqual(await satellite.ended, { code: 0, signal: null });
    assert.equal((await connection.closed).code, 1000);
  });

  it('does the work anew for a request that is repeated after a kill -9', async () => {
    const casebook = await end();
    const first = await run(configOf(casebook));
    const before = await casebook.satellite();
    const id = before.ask(held);
    await heldRequest();
    first.child.kill('SIGKILL');
    await before.closed;
    await run(configOf(casebook));
    const after = await casebook.satellite();
    assert.notEqual(after.of('hello')[0]?.instance, before.of('hello')[0]?.instance);
    after.ask(held, { id });
    const response = await waitUntil(() => asked[1], { what: 'the second query', intervalMs: 10 });
    response.end('"anew"');
    assert.equal(Object.values(await after.answer(id))[0], 'anew');
  });

  it('reconnects to a server that was down, with its work in progress', async () => {
    const casebook = await end();
    await run(configOf(casebook));
    const before = await casebook.satellite();
    const id = before.ask(held);
    const response = await heldRequest();
    await casebook.close();
    response.end('"kept"');
    const again = await end({ token: casebook.token }, casebook.port);
    const after = await again.satellite();
    after.ask(held, { id });
    assert.equal(Object.values(await after.answer(id))[0], 'kept');
    assert.equal(asked.length, 1);
  });

  it('exits at once when told to, even if the server accepts connections and stays silent', async () => {
    // As a server that was stopped (SIGSTOP): the kernel still accepts.
    const mute = createTcpServer();
    mute.listen(0, '127.0.0.1');
    await once(mute, 'listening');
    closing.unshift(() => mute.close());
    const { port } = mute.address() as AddressInfo;
    const satellite = await run(configOf({ url: `http://127.0.0.1:${port}`, token: 't' }));
    const [socket] = await once(mute, 'connection');
    satellite.child.kill('SIGINT');
    assert.deepEqual(await satellite.ended, { code: 0, signal: null });
    socket.destroy();
  });

  it('uses the token of a file, as it is at each attempt', async () => {
    const casebook = await end();
    const config = configOf(casebook);
    const satellite = await run({ ...config, casebook: { url: casebook.url, token_file: 'token' } });
    await satellite.logged('refuses this satellite');
    await writeFile(join(satellite.folder, 'token'), `${casebook.token}\n`);
    await casebook.satellite();
  });

  it('says so, and tries again, when the token file holds something else', async () => {
    const casebook = await end();
    const config = configOf(casebook);
    const satellite = await run({ ...config, casebook: { url: casebook.url, token_file: 'satellite.yaml' } });
    await satellite.logged('contains more than a token');
    assert.match(satellite.log(), /"nextAttemptInMs"/);
    assert.equal(satellite.child.exitCode, null);
  });

  it('says everything that is wrong with its file, and ends with 2', async () => {
    const [satellite, without, strange] = await Promise.all([
      run('casebook: {url: x}\nname: a\ncolour: red\n'),
      run(undefined, { args: ['none.yaml'] }),
      run(undefined, { args: ['--colour'] }),
    ]);
    assert.equal((await satellite.ended).code, 2);
    for (const wanted of [
      'satellite.yaml:1: casebook.url: must be',
      'casebook.token: there is no token',
      ':3: colour: there is no such',
    ])
      assert.ok(satellite.log().includes(wanted), satellite.log());
    assert.equal((await without.ended).code, 2);
    assert.match(without.log(), /there is no such file/);
    assert.equal((await strange.ended).code, 2);
    assert.match(strange.log(), /Usage: satellite/);
  });

  it('checks every system once, and ends with 0 or 1', async () => {
    const config = configOf({ url: 'http://localhost:1', token: 't' });
    const fine = await run(config, { args: ['--check', 'satellite.yaml'] });
    assert.equal((await fine.ended).code, 0, fine.log());
    assert.match(fine.output(), /^ID +KIND +STATUS\napi +http +ok\nrecordings +recorded +ok\n$/);
    const gone = { id: 'gone', kind: 'recorded', directory: '/nowhere' };
    const server = { name: 'docs', transport: 'stdio', command: '/nowhere/server' };
    const bad = { ...config, connectors: [...config.connectors, gone], mcp_servers: [server] };
    const failing = await run(bad, { env: { CASEBOOK_SATELLITE_CONFIG: 'satellite.yaml' }, args: ['--check'] });
    assert.equal((await failing.ended).code, 1);
    assert.match(failing.output(), /gone +recorded +ENOENT/);
    assert.match(failing.output(), /docs +mcp +(?!ok)/);
  });

  it('prints its version and its usage', async () => {
    const [version, help] = await Promise.all([
      run(undefined, { args: ['--version'] }),
      run(undefined, { args: ['--help'] }),
    ]);
    assert.equal((await version.ended).code, 0);
    assert.match(version.output(), /^\d+\.\d+\.\d+\n$/);
    assert.equal((await help.ended).code, 0);
    assert.match(help.output(), /CASEBOOK_SATELLITE_TOKEN/);
  });

  it('takes its MCP servers with it, also when it is made to end at once', async () => {
    const casebook = await end();
    const script = `process.on('SIGTERM', () => {});
      setInterval(() => {}, 1_000);
      require('node:fs').writeFileSync('pid', String(process.pid));`;
    const server = { name: 'deaf', transport: 'stdio', command: 'node', args: ['-e', script] };
    const satellite = await run(configOf(casebook, { mcp_servers: [server] }));
    // The file is there before the number is in it.
    const written = async () => (await readFile(join(satellite.folder, 'pid'), 'utf8').catch(() => '')) || undefined;
    const pid = Number(await waitUntil(written, { what: 'the server', intervalMs: 20 }));
    satellite.child.kill('SIGTERM');
    await satellite.logged('stopping');
    satellite.child.kill('SIGTERM');
    assert.equal((await satellite.ended).code, 1);
    await waitUntil(() => (isRunning(pid) ? undefined : true), { what: 'its end', intervalMs: 20 });
  });

  it('ends when a port it is to listen on is taken', async () => {
    const { port } = system.address() as AddressInfo;
    const casebook = await end();
    const satellite = await run(configOf(casebook, { health_port: port }));
    assert.equal((await satellite.ended).code, 1);
    assert.match(satellite.log(), /EADDRINUSE.*cannot start/);
  });
});
