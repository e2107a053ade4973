import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { loki as lokiKind } from '@casebook/connectors';
import { createLokiSource, SourceError, type TelemetrySource } from '../../../src/features/sources/index.ts';
import { overHttp } from '../../../src/features/sources/transport.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { addressOf } from '../../support/address.ts';
import { startLoki, type TestLoki } from '../../support/loki.ts';

const options = () => ({ signal: new AbortController().signal });

describe('Loki source', () => {
  let loki: TestLoki;
  let source: TelemetrySource;
  const now = Math.floor(Date.now() / 1000);
  const window = { from: now - 600, to: now };

  before(async function () {
    // Building Loki, where there is none, takes minutes, once.
    this.timeout(45 * 60_000);
    loki = await startLoki();
    source = createLokiSource({ transport: overHttp(lokiKind, loki.url) });
    await loki.push({ service_name: 'checkout', level: 'ERROR' }, [
      { at: now - 300, line: 'payment timed out after 2000 ms' },
      { at: now - 299.5, line: 'a "quoted" \\ path (x+y)*[z] {a|b} costs $5.00' },
    ]);
    await loki.push({ service_name: 'checkout', level: 'info' }, [
      { at: now - 200, line: 'order 1 placed without error' },
      { at: now - 600, line: 'first moment of the window' },
      { at: now, line: 'first moment after the window' },
    ]);
    await loki.push({ service_name: 'cart' }, [
      { at: now - 250, line: '{"level":"error","msg":"redis: connection reset"}' },
      { at: now - 240, line: 'ts=1 level=info msg="no error here"' },
      { at: now - 230, line: 'plain words' },
      { at: now - 220, line: '2026-01-01T00:00:00Z WARN pool nearly full' },
    ]);
    await loki.push({ job: 'batch' }, [{ at: now - 210, line: 'level=error msg="export failed"' }]);
    await waitUntil(
      async () =>
        (await source.searchLogs!({ ...window, limit: 100 }, options())).lines.length === 9 ? true : undefined,
      { what: 'the pushed lines' },
    );
  });

  after(() => loki?.stop());

  it('describes itself and lists the services of every label that names them', async () => {
    const description = await source.describe(options());
    assert.deepEqual(description.capabilities, ['services', 'logs']);
    const services = await source.services!(options());
    assert.deepEqual(
      services.map(({ name }) => name),
      ['batch', 'cart', 'checkout'],
    );
  });

  it('returns lines of all services in time order, within a half-open window', async () => {
    const { lines, truncated } = await source.searchLogs!({ ...window, limit: 100 }, options());
    assert.equal(truncated, false);
    assert.equal(lines[0]?.message, 'first moment of the window');
    assert.ok(!lines.some(({ message }) => message.includes('after the window')));
    const times = lines.map(({ at }) => at);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.equal(lines.find(({ message }) => message.startsWith('a "quoted"'))?.at, now - 299.5);
  });

  it('finds a service by any label that names it', async () => {
    const batch = await source.searchLogs!({ ...window, service: 'batch', limit: 10 }, options());
    assert.deepEqual(
      batch.lines.map(({ service, level }) => [service, level]),
      [['batch', 'error']],
    );
    assert.deepEqual((await source.searchLogs!({ ...window, service: 'nobody', limit: 10 }, options())).lines, []);
  });

  it('takes a text literally, whatever LogQL and regular expressions mean by it', async () => {
    for (const text of ['"QUOTED" \\ PATH', '(x+y)*[z]', '{a|b}', '$5.00']) {
      const { lines } = await source.searchLogs!({ ...window, text, limit: 10 }, options());
      assert.equal(lines.length, 1, text);
    }
    for (const text of ['"} or {job="batch', '.*', 'x\ny', '`', '\ud800', '{{.level}}']) {
      assert.deepEqual((await source.searchLogs!({ ...window, text, limit: 10 }, options())).lines, [], text);
    }
    const service = 'checkout"} or {job="batch';
    assert.deepEqual((await source.searchLogs!({ ...window, service, limit: 10 }, options())).lines, []);
  });

  it('filters by level through the label or what the line states', async () => {
    const errors = await source.searchLogs!({ ...window, level: 'error', limit: 100 }, options());
    assert.deepEqual(
      errors.lines.map(({ service }) => service),
      ['checkout', 'checkout', 'cart', 'batch'],
    );
    const warnings = await source.searchLogs!({ ...window, level: 'warn', limit: 100 }, options());
    assert.deepEqual(
      warnings.lines.map(({ message }) => message.slice(21)),
      ['WARN pool nearly full'],
    );
    const infos = await source.searchLogs!({ ...window, level: 'info', service: 'cart', limit: 100 }, options());
    assert.deepEqual(
      infos.lines.map(({ level }) => level),
      ['info'],
    );
  });

  it('keeps the newest lines of too many, and says so', async () => {
    const some = await source.searchLogs!({ ...window, limit: 2 }, options());
    assert.equal(some.truncated, true);
    assert.deepEqual(
      some.lines.map(({ service }) => service),
      ['batch', 'checkout'],
    );
    const all = await source.searchLogs!({ ...window, limit: 9 }, options());
    assert.equal(all.truncated, false);
    // More than the server's own limit is cut, not refused.
    assert.equal((await source.searchLogs!({ ...window, limit: 1_000_000 }, options())).lines.length, 9);
  });

  it("passes on the server's own words", async () => {
    const year = { from: now - 86_400 * 400, to: now };
    await assert.rejects(source.searchLogs!({ ...year, limit: 5 }, options()), (error: Error) => {
      assert.ok(error instanceof SourceError);
      assert.match(error.message, /Loki at [\d.:]+ answered 400: .*(query length|time range)/s);
      return true;
    });
  });
});

describe('Loki source without a usable server', () => {
  it('says what it could not reach, and stops when the signal fires', async () => {
    const server = createServer((request, response) => {
      if (request.url?.startsWith('/redirect')) response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
      else if (request.url?.startsWith('/html')) response.end('<html>sign in</html>');
      else if (request.url?.startsWith('/shape')) response.end('{"data":[1,2]}');
      // Anything else hangs.
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = addressOf(server);
    const base = `http://user:secret-word@127.0.0.1:${port}`;
    try {
      const describeAt = (path: string, signal = new AbortController().signal) =>
        createLokiSource({ transport: overHttp(lokiKind, base + path) }).describe({ signal });
      await assert.rejects(describeAt('/redirect'), /Loki at 127\.0\.0\.1:\d+ redirects to another URL/);
      await assert.rejects(describeAt('/html'), /is not JSON; is its url right/);
      await assert.rejects(describeAt('/shape'), /unknown form \(0: /);
      const controller = new AbortController();
      const hanging = describeAt('/hang', controller.signal);
      const reason = new Error('cancelled by the test');
      controller.abort(reason);
      await assert.rejects(hanging, reason);
      for (const path of ['/redirect', '/html', '/shape']) {
        await assert.rejects(describeAt(path), (error: Error) => !error.message.includes('secret-word'));
      }
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('says that nothing is listening', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = addressOf(server);
    await new Promise((resolve) => server.close(resolve));
    await assert.rejects(
      createLokiSource({ transport: overHttp(lokiKind, `http://127.0.0.1:${port}`) }).describe(options()),
      (error: Error) => error instanceof SourceError && /did not answer: ECONNREFUSED/.test(error.message),
    );
  });
});
