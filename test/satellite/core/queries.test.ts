import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { QueryError } from '@casebook/connectors';
import { startCasebookEnd, type CasebookEnd, type SatelliteEnd } from '../support/casebook-end.ts';
import { connectorOf, noMcp, startCore, type CoreOptions } from '../support/in-process.ts';

/** Work that ends when it is told to, and knows how often it was begun. */
function held() {
  let begun = 0;
  const waiting: { text: string; end: (value: unknown) => void; signal: AbortSignal }[] = [];
  return {
    waiting,
    get begun() {
      return begun;
    },
    run: (text: string, { signal }: { signal: AbortSignal }) => {
      begun++;
      return new Promise<unknown>((resolve, reject) => {
        waiting.push({ text, end: resolve, signal });
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    },
  };
}

const target = (connector: string, text = '') => ({
  kind: 'connector' as const,
  connector,
  operation: 'run',
  parameters: { text },
});

describe('satellite: queries', () => {
  let end: CasebookEnd;
  const closing: { close(): Promise<void> }[] = [];
  const begin = async (options: CoreOptions): Promise<SatelliteEnd> => {
    closing.unshift(startCore(end, options));
    const satellite = await end.satellite();
    await satellite.until(() => satellite.of('heartbeat').length > 0);
    return satellite;
  };
  beforeEach(async () => {
    end = await startCasebookEnd({ heartbeatMs: 100 });
    closing.push(end);
  });
  afterEach(async () => {
    for (const one of closing.splice(0)) await one.close();
  });

  it('answers with what the operation gives, redacted', async () => {
    const satellite = await begin({
      connectors: [connectorOf('a', (text) => Promise.resolve({ text, 'password=x': [1, null, NaN] }))],
    });
    const answer = await satellite.query('a', 'run', { text: 'token AKIAIOSFODNN7EXAMPLE' });
    assert.ok('value' in answer);
    assert.deepEqual(answer.value, { text: 'token [redacted]', 'password=[redacted]': [1, null, null] });
    const nothing = await begin({ connectors: [connectorOf('a', () => Promise.resolve(undefined))] });
    assert.deepEqual(Object.entries(await nothing.query('a', 'run'))[0], ['value', null]);
  });

  it('says what there is when something is not there, and what is accepted when parameters are wrong', async () => {
    const satellite = await begin({ connectors: [connectorOf('a', () => Promise.resolve(1))] });
    const messages = await Promise.all([
      satellite.query('b', 'run'),
      satellite.query('a', 'walk'),
      satellite.query('a', 'run', { text: 1, more: 2 }),
    ]);
    assert.deepEqual(messages, [
      { code: 'not_found', message: 'there is no connector "b"; there are: a' },
      { code: 'not_found', message: 'connector "a" has no operation "walk"; it has: run' },
      {
        code: 'bad_request',
        message:
          'text: Invalid input: expected string, received number; parameters: Unrecognized key: "more". run accepts: {text?}',
      },
    ]);
  });

  it('passes on why there is no answer, redacted', async () => {
    const fails = (failure: Error) =>
      connectorOf('a', async () => {
        throw failure;
      });
    const one = await begin({ connectors: [fails(new QueryError('not_found', 'no such thing; pwd=x'))] });
    assert.deepEqual(await one.query('a', 'run'), { code: 'not_found', message: 'no such thing; pwd=[redacted]' });
    const two = await begin({ connectors: [fails(new Error('at postgres://a:b@c'))] });
    assert.deepEqual(await two.query('a', 'run'), { code: 'failed', message: 'at postgres://a:[redacted]@c' });
  });

  it('sends 8 MB of characters of every width in parts that fit, while heartbeats go on', async () => {
    const text = 'aé€😀"\\\n\u0001'.repeat(450_000);
    const satellite = await begin({ connectors: [connectorOf('a', () => Promise.resolve([text]))] });
    const id = satellite.ask(target('a'), { maxBytes: 32 * 1_048_576 });
    const small = satellite.ask(target('b'));
    const answer = await satellite.answer(id);
    assert.ok('value' in answer);
    assert.deepEqual(answer.value, [text]);
    assert.ok(Buffer.byteLength(answer.parts.join('')) > 8_000_000);
    assert.ok(answer.parts.length > 40);
    assert.ok('code' in (await satellite.answer(small)));
    assert.deepEqual(satellite.violations, []);
  });

  it('alternates between the parts of two answers', async () => {
    const satellite = await begin({
      connectors: [connectorOf('a', (text) => Promise.resolve(text.repeat(6_000_000)))],
    });
    const ids = ['x', 'y'].map((text) => satellite.ask(target('a', text)));
    await Promise.all(ids.map((id) => satellite.answer(id)));
    const order = satellite.of('answer.part').map(({ id }) => ids.indexOf(id));
    const switches = order.filter((id, i) => i > 0 && id !== order[i - 1]).length;
    assert.ok(switches > 10, `${switches} changes in ${order.length} parts`);
  });

  it('refuses an answer over the limit of the request, or of the configuration', async () => {
    const connectors = [connectorOf('a', (_text, { maxBytes }) => Promise.resolve(['x'.repeat(5_000), maxBytes]))];
    const satellite = await begin({ connectors, limits: { maxBytes: 6_000 } });
    const small = await satellite.answer(satellite.ask(target('a'), { maxBytes: 4_000 }));
    assert.deepEqual(small, { code: 'too_large', message: 'the answer has 5009 bytes, more than the 4000 allowed' });
    const id = randomUUID();
    const fits = await satellite.answer(satellite.ask(target('a'), { id, maxBytes: 10_000_000 }));
    assert.ok('value' in fits);
    assert.deepEqual((fits.value as unknown[])[1], 6_000, 'the connector is told the lesser one');
    satellite.received.length = 0;
    const again = await satellite.answer(satellite.ask(target('a'), { id, maxBytes: 1_000 }));
    assert.ok('code' in again && again.code === 'too_large', 'a repeated answer keeps to the newer limit');
  });

  it('gives up after the time of the request or of the configuration, even if the connector does not', async () => {
    const deaf = connectorOf('deaf', () => new Promise(() => undefined));
    const work = held();
    const satellite = await begin({ connectors: [deaf, connectorOf('a', work.run)], limits: { timeoutMs: 100 } });
    const [one, two] = await Promise.all([
      satellite.answer(satellite.ask(target('deaf'))),
      satellite.answer(satellite.ask(target('a'), { timeoutMs: 20 })),
    ]);
    assert.ok('code' in one && one.code === 'timeout');
    assert.ok('code' in two && two.code === 'timeout');
    assert.ok(work.waiting[0]?.signal.aborted);
  });

  it('cancels, and may be asked the same again', async () => {
    const work = held();
    const satellite = await begin({ connectors: [connectorOf('a', work.run)] });
    const id = satellite.ask(target('a'));
    await satellite.until(() => work.begun === 1 || (satellite.send({ type: 'cancel', id: randomUUID() }), false));
    satellite.send({ type: 'cancel', id });
    assert.deepEqual(await satellite.answer(id), { code: 'cancelled', message: 'the query was cancelled' });
    assert.ok(work.waiting[0]?.signal.aborted);
    satellite.received.length = 0;
    satellite.ask(target('a'), { id });
    await satellite.until(() => work.begun === 2);
    work.waiting[1]?.end('done');
    assert.equal(Object.values(await satellite.answer(id))[0], 'done');
  });

  it('does the work of one id once: attaches to it, over a new connection too, and repeats the answer', async () => {
    const work = held();
    const first = await begin({ connectors: [connectorOf('a', work.run)] });
    const id = first.ask(target('a'));
    await first.until(() => work.begun === 1);
    first.ask(target('a'), { id });
    first.socket.terminate();
    const second = await end.satellite();
    await second.until(() => second.of('heartbeat').length > 0);
    second.ask(target('a'), { id });
    // What comes after it on the same connection is handled after it.
    await second.query('nobody', 'run');
    work.waiting[0]?.end({ once: true });
    const answer = await second.answer(id);
    assert.deepEqual(Object.values(answer)[0], { once: true });
    second.socket.terminate();
    const third = await end.satellite();
    await third.until(() => third.of('heartbeat').length > 0);
    third.ask(target('a'), { id });
    assert.deepEqual(await third.answer(id), answer);
    assert.equal(work.begun, 1);
  });

  it('keeps an answer that was ready while there was no connection', async () => {
    const work = held();
    const first = await begin({ connectors: [connectorOf('a', work.run)] });
    const id = first.ask(target('a'));
    await first.until(() => work.begun === 1);
    first.socket.terminate();
    await first.closed;
    work.waiting[0]?.end('late');
    const second = await end.satellite();
    await second.until(() => second.of('heartbeat').length > 0);
    second.ask(target('a'), { id });
    assert.equal(Object.values(await second.answer(id))[0], 'late');
    assert.equal(work.begun, 1);
  });

  it('runs so many at a time, of each connector and of all; lets the others wait, and refuses more', async () => {
    const work = held();
    const connectors = ['a', 'b', 'c'].map((id) => connectorOf(id, work.run));
    const limits = { concurrency: 3, perTarget: 2, maxWaiting: 2 };
    const satellite = await begin({ connectors, limits });
    const asked = ['a 1', 'a 2', 'a 3', 'b 4', 'c 5', 'b 6'].map((text) => satellite.ask(target(text[0]!, text)));
    const refused = await satellite.answer(asked[5]!);
    assert.ok('code' in refused && refused.code === 'busy');
    const running = () => work.waiting.map(({ text }) => text);
    assert.deepEqual(running(), ['a 1', 'a 2', 'b 4'], 'b does not wait for a');
    work.waiting[2]?.end(1);
    await satellite.until(() => work.begun === 4 || satellite.received.length < 0);
    assert.deepEqual(running().slice(3), ['c 5'], 'a is full, c is not');
    work.waiting[0]?.end(1);
    await satellite.answer(asked[0]!);
    assert.deepEqual(running().slice(4), ['a 3']);
    // What was refused may be asked again.
    work.waiting.forEach(({ end }) => end(1));
    await Promise.all(asked.slice(0, 5).map((id) => satellite.answer(id)));
    satellite.received.length = 0;
    satellite.ask(target('b', 'b 6'), { id: asked[5]! });
    await satellite.until(() => work.begun === 6);
  });

  it('calls tools of MCP servers, and never one twice that may have changed something', async () => {
    const calls: unknown[] = [];
    let begun: () => void = () => undefined;
    const mcp = {
      ...noMcp,
      call: (server: string, tool: string, args: Record<string, unknown>, { signal }: { signal: AbortSignal }) => {
        calls.push([server, tool, args]);
        begun();
        if (tool === 'quick') return Promise.resolve({ content: [{ type: 'text', text: 'pwd=x' }] });
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    };
    const satellite = await begin({ mcp });
    const quick = satellite.ask({ kind: 'mcp', server: 's', tool: 'quick', arguments: { a: 1 } });
    assert.deepEqual(Object.values(await satellite.answer(quick))[0], {
      content: [{ type: 'text', text: 'pwd=[redacted]' }],
    });
    assert.deepEqual(calls, [['s', 'quick', { a: 1 }]]);
    const started = new Promise<void>((resolve) => (begun = resolve));
    const id = satellite.ask({ kind: 'mcp', server: 's', tool: 'restart', arguments: {} });
    await started;
    satellite.send({ type: 'cancel', id });
    await satellite.answer(id);
    satellite.received.length = 0;
    satellite.ask({ kind: 'mcp', server: 's', tool: 'restart', arguments: {} }, { id });
    assert.deepEqual(await satellite.answer(id), { code: 'cancelled', message: 'the query was cancelled' });
    assert.equal(calls.length, 2);
    // So many answers that the first one is not kept.
    const others = Array.from({ length: 600 }, () => satellite.ask(target('nobody')));
    await satellite.answer(others.at(-1)!);
    satellite.received.length = 0;
    satellite.ask({ kind: 'mcp', server: 's', tool: 'quick', arguments: { a: 1 } }, { id: quick });
    const gone = await satellite.answer(quick);
    assert.ok('code' in gone && gone.code === 'failed' && /not repeated/.test(gone.message));
    assert.equal(calls.length, 2);
  });
});
