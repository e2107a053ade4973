import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClusterState, GraphMessage, McpTool } from '@casebook/wire';
import { startCasebookEnd, type CasebookEnd, type CasebookEndOptions } from '../support/casebook-end.ts';
import { connectorOf, noGraph, noMcp, startCore, type CoreOptions } from '../support/in-process.ts';

describe('satellite: connection', () => {
  const ends: { close(): Promise<void> }[] = [];
  const start = async (options: CasebookEndOptions = {}): Promise<CasebookEnd> => {
    const end = await startCasebookEnd(options);
    ends.unshift(end);
    return end;
  };
  const core = (end: CasebookEnd, options: CoreOptions = {}) => {
    const started = startCore(end, options);
    ends.unshift(started);
    return started;
  };
  /** Every line of the log, as level and text. */
  const recorder = () => {
    const lines: string[] = [];
    const at =
      (level: string) =>
      (...words: unknown[]) =>
        void lines.push(`${level} ${JSON.stringify(words)}`);
    return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  };
  afterEach(async () => {
    for (const end of ends.splice(0)) await end.close();
  });

  it('says hello, then what it is, then heartbeats with the health of each connector', async () => {
    const end = await start({ heartbeatMs: 100 });
    const failing = connectorOf('failing', () => Promise.resolve(1), {
      check: () => Promise.reject(new Error('down; password=hunter2')),
    });
    const stuck = connectorOf('stuck', () => Promise.resolve(1), { check: () => new Promise(() => undefined) });
    core(end, { connectors: [connectorOf('fine', () => Promise.resolve(1)), failing, stuck] });
    const satellite = await end.satellite();
    assert.equal(satellite.socket.protocol, 'casebook-satellite.v1');
    const inventory = await satellite.until(() => satellite.of('inventory')[0]?.inventory);
    assert.deepEqual(
      [inventory.version, inventory.labels, inventory.omittedTools, inventory.connectors.map(({ id }) => id)],
      ['1.2.3', { a: 'b' }, 0, ['fine', 'failing', 'stuck']],
    );
    assert.deepEqual(inventory.connectors[0]?.operations, [
      {
        name: 'run',
        description: 'Runs.',
        tool: true,
        inputSchema: {
          type: 'object',
          properties: { text: { type: 'string', default: '' } },
          additionalProperties: false,
        },
      },
    ]);
    const health = await satellite.until(() => {
      const last = satellite.of('heartbeat').at(-1)?.health;
      return last?.slice(0, 2).every(({ status }) => status !== 'unknown') && last;
    });
    assert.deepEqual(
      health.map(({ id, status, message }) => [id, status, message]),
      [
        ['fine', 'ok', undefined],
        ['failing', 'failing', 'down; password=[redacted]'],
        // Heartbeats wait for no check.
        ['stuck', 'unknown', undefined],
      ],
    );
    assert.deepEqual(satellite.received.map(({ type }) => type).slice(0, 3), ['hello', 'inventory', 'clusters']);
    assert.deepEqual(satellite.violations, []);
  });

  it('says of a connector whose check does not end that it fails', async () => {
    const end = await start({ heartbeatMs: 100 });
    const stuck = connectorOf('stuck', () => Promise.resolve(1), { check: () => new Promise(() => undefined) });
    core(end, { connectors: [stuck], monitorTimeoutMs: 100 });
    const satellite = await end.satellite();
    const health = await satellite.until(() => {
      const last = satellite.of('heartbeat').at(-1)?.health[0];
      return last?.status !== 'unknown' && last;
    });
    assert.deepEqual([health.status, health.message], ['failing', 'it did not answer in time']);
  });

  it('says what has changed of tools and clusters, redacted, and leaves out tools that do not fit', async () => {
    const end = await start();
    const tool = (n: number, description: string): McpTool => ({
      server: 'docs',
      name: `tool-${n}`,
      description,
      inputSchema: { type: 'object', description: 'é'.repeat(3_900) },
      readOnly: true,
    });
    let tools = [tool(0, 'key AKIAIOSFODNN7EXAMPLE')];
    let changed: () => void = () => undefined;
    let nodes = 1;
    const cluster = (): ClusterState => ({
      name: 'c',
      connector: 'k',
      nodes: { total: nodes, ready: 1 },
      namespaces: 1,
      workloads: { total: 0, available: 0 },
      pods: { total: 0, running: 0, pending: 0, failed: 0, restarts: 0 },
      problems: [],
      observedAgoMs: 0,
    });
    core(end, {
      connectors: [connectorOf('k', () => Promise.resolve(1), { cluster: () => Promise.resolve(cluster()) })],
      mcp: { ...noMcp, tools: () => tools, omitted: () => 2, onChange: (listener) => (changed = listener) },
      monitorMs: 50,
    });
    const satellite = await end.satellite();
    const first = await satellite.until(() => satellite.of('inventory')[0]?.inventory);
    assert.equal(first.tools[0]?.description, 'key [redacted]');
    await satellite.until(() => satellite.of('clusters').some(({ clusters }) => clusters[0]?.nodes.total === 1));
    tools = Array.from({ length: 250 }, (_, n) => tool(n, 'x'));
    nodes = 2;
    changed();
    const second = await satellite.until(() => satellite.of('inventory')[1]?.inventory);
    assert.ok(second.tools.length > 100 && second.tools.length < 130, `${second.tools.length} tools of 8 kB`);
    assert.equal(second.omittedTools, 250 - second.tools.length + 2);
    await satellite.until(() => satellite.of('clusters').some(({ clusters }) => clusters[0]?.nodes.total === 2));
    assert.ok(satellite.of('clusters').length <= 4, 'what is the same is not said again');
    assert.deepEqual(satellite.violations, []);
  });

  it('connects again when the connection is cut', async () => {
    const end = await start();
    const { connection } = core(end);
    const first = await end.satellite();
    await first.until(() => first.of('heartbeat').length > 0);
    assert.equal(connection.connected, true);
    first.socket.terminate();
    const second = await end.satellite();
    assert.equal(second.of('hello')[0]?.instance, first.of('hello')[0]?.instance);
    await second.until(() => second.of('inventory').length > 0);
  });

  it('gives up a connection on which nothing is heard', async () => {
    const end = await start({ silent: true });
    const log = recorder();
    core(end, { log, times: { silenceMs: 200 } });
    const first = await end.satellite();
    const { code } = await first.closed;
    assert.equal(code, 1006);
    await end.satellite();
    assert.match(log.lines.join('\n'), /nothing was received for 0\.2 s/);
  });

  it('stays while it is heard, however little is said', async () => {
    const [end, silent] = [await start({ heartbeatMs: 100 }), await start({ silent: true })];
    for (const each of [end, silent]) core(each, { times: { silenceMs: 2_500 } });
    const [satellite, given] = [await end.satellite(), await silent.satellite()];
    await given.closed;
    // The other one gave up after its time, which began later.
    const soFar = satellite.of('heartbeat').length;
    await satellite.until(() => satellite.of('heartbeat').length >= soFar + 3);
    assert.equal(end.satellites.length, 1);
  });

  it('retries less and less often when refused, and says why once', async () => {
    const end = await start({
      refuse: () => ({ status: 401, body: '{"detail":"The token has been revoked.","code":"unauthorized"}' }),
    });
    const log = recorder();
    core(end, { log, times: { baseMs: 5, refusedCapMs: 100_000 } });
    await end.attempted(5);
    const gaps = end.attempts.slice(1).map((at, i) => at - end.attempts[i]!);
    // At least half of 40, 80, 160, 320 ms.
    gaps.forEach((gap, i) => assert.ok(gap >= 19 * 2 ** i, `gap ${i}: ${gap} ms`));
    const errors = log.lines.filter((line) => line.startsWith('error'));
    assert.equal(errors.length, 1);
    assert.match(errors[0]!, /401: The token has been revoked\./);
    assert.doesNotMatch(log.lines.join(), new RegExp(end.token));
  });

  for (const [code, ending] of [
    [4401, 'error'],
    [4409, 'error'],
    [1012, 'warn'],
    [1011, 'warn'],
  ] as const)
    it(`takes a close with ${code} as a reason to say so (${ending}) and to come back`, async () => {
      const end = await start();
      const log = recorder();
      core(end, { log });
      const first = await end.satellite();
      first.socket.close(code, 'Because.');
      await end.satellite();
      assert.ok(log.lines.some((line) => line.startsWith(ending) && line.includes(`(${code}): Because.`)));
    });

  it('honours Retry-After, and follows no redirect with its token', async () => {
    const elsewhere = await start();
    const refusals: { status: number; headers: Record<string, string> }[] = [
      { status: 429, headers: { 'Retry-After': '1' } },
      { status: 302, headers: { Location: elsewhere.url } },
    ];
    const end = await start({
      refuse: () => refusals.shift(),
    });
    core(end);
    await end.satellite();
    assert.ok(end.attempts[1]! - end.attempts[0]! >= 990);
    assert.equal(elsewhere.attempts.length, 0);
  });

  for (const [what, send] of [
    ['text that is not JSON', 'hello?'],
    ['an unknown message', '{"type":"shutdown"}'],
    ['a request that is not one', '{"type":"request","id":"x"}'],
    ['a second welcome', '{"type":"welcome","satelliteId":"5f0c3f0e-7b0e-4d8e-9d2e-0b6f5f2f6c11","heartbeatMs":1000}'],
    ['binary data', Buffer.from('{}')],
  ] as const)
    it(`closes the connection on ${what}, and comes back`, async () => {
      const end = await start();
      core(end);
      const first = await end.satellite();
      await first.until(() => first.of('inventory').length > 0);
      first.socket.send(send);
      assert.equal((await first.closed).code, 4400);
      await end.satellite();
    });

  it('ends the connection with a server that asks without end and reads nothing', async () => {
    const end = await start();
    core(end);
    const first = await end.satellite();
    await first.until(() => first.of('inventory').length > 0);
    first.socket.pause();
    const ask = (): void => {
      // Each is answered with some 300 bytes that stay where they are.
      for (let i = 0; i < 500 && first.socket.bufferedAmount < 1_000_000; i++)
        first.ask({ kind: 'connector', connector: 'nobody', operation: 'x'.repeat(150), parameters: {} });
    };
    const answered = new AbortController();
    const asking = (async () => {
      for (; !answered.signal.aborted; await nextTurn()) ask();
    })();
    const second = await end.satellite();
    answered.abort();
    await asking;
    assert.ok(await second.query('nobody', 'run'));
    first.socket.resume();
    assert.equal((await first.closed).code, 1006);
  });

  it('reads the token anew for each attempt', async () => {
    const end = await start();
    const tokens = ['old', end.token];
    core(end, { token: () => Promise.resolve(tokens.shift() ?? 'none') });
    await end.satellite();
    assert.equal(end.attempts.length, 2);
  });

  it('passes the graph on, redacted, and tells it of losses', async () => {
    const end = await start();
    const told: string[] = [];
    let send: ((message: GraphMessage) => Promise<void>) | undefined;
    core(end, {
      graph: {
        ...noGraph,
        attach: (given) => {
          told.push('attach');
          send = given;
        },
        detach: () => void told.push('detach'),
        snapshotWanted: () => void told.push('wanted'),
      },
    });
    const first = await end.satellite();
    await first.until(() => first.of('heartbeat').length > 0);
    const edge = {
      caller: 'a',
      callee: 'AKIAIOSFODNN7EXAMPLE',
      sources: ['spans' as const],
      seenAgoMs: 0,
      stale: false,
    };
    const message = {
      type: 'graph' as const,
      epoch: crypto.randomUUID(),
      seq: 0,
      kind: 'snapshot' as const,
      last: true,
    };
    const sending = send!;
    await sending({ ...message, edges: [edge], gone: [] });
    const graph = await first.until(() => first.of('graph')[0]);
    assert.equal(graph.edges[0]?.callee, '[redacted]');
    first.send({ type: 'graph.wanted' });
    first.socket.close(1012);
    await end.satellite();
    await assert.rejects(sending({ ...message, edges: [], gone: [] }), /the connection is gone/);
    await end.satellites[1]!.until(() => told.length >= 4);
    assert.deepEqual(told, ['attach', 'wanted', 'detach', 'attach']);
  });
});
