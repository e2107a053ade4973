import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { questionAbout, startLiveShop, type LiveShop, type LiveShopStart } from '../../demo/live/index.ts';
import { untilNoAlert } from '../../demo/servers/prometheus.ts';
import { liveIncidents } from '../../demo/shop/incidents.ts';
import { injectFault } from '../../demo/shop/processes.ts';
import { loadConfig } from '../../src/config.ts';
import { silentLog } from '../../src/embedded/log.ts';
import { readPidFile } from '../../src/embedded/pid-file.ts';
import { startEverything, type Running } from '../../src/embedded/up.ts';
import { waitUntil } from '../../src/embedded/wait-until.ts';

interface Investigated {
  status: string;
  report: { root_cause: { service: string | null } } | null;
  citations: { excerpts: { text: string; verified: boolean }[] }[];
  steps: { tool_calls: { name: string; input: { source?: string }; is_error: boolean }[] }[];
}

/**
 * The demo as a whole: real services, a real Prometheus and Loki, a satellite process, Casebook's own processes, and the
 * offline model, which is told of nothing but the alert.
 */
describe('the live demo shop', function () {
  this.timeout(150_000);
  const home = mkdtempSync(join(tmpdir(), 'casebook-live-shop-'));
  const never = new AbortController().signal;
  let starting: LiveShopStart;
  let running: Running;
  let shop: LiveShop;

  before(async () => {
    starting = startLiveShop({ home, log: silentLog, baselineSeconds: 30 });
    const config = loadConfig({ CASEBOOK_HOME: home, HOST: '127.0.0.1', PORT: '0' });
    running = await startEverything({ config, log: silentLog, ports: { postgres: 0, temporal: 0, temporalUi: 0 } });
    shop = await starting.connect(running);
  });

  after(async () => {
    await starting?.stop();
    await running?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const call = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const headers = { 'x-api-key': running.apiKey, 'content-type': 'application/json' };
    const response = await fetch(running.apiUrl + path, { ...init, headers });
    assert.equal(response.status, 200, path);
    return (await response.json()) as T;
  };

  const investigate = async (query: string): Promise<Investigated> => {
    const started = await call<{ investigation_id: string }>('/api/v1/investigate', {
      method: 'POST',
      body: JSON.stringify({ query }),
    });
    const id = started.investigation_id;
    await waitUntil(
      async () => {
        const { status } = await call<{ status: string }>(`/api/v1/investigations/${id}`);
        return status === 'processing' ? undefined : status;
      },
      { what: `the end of investigation ${id}`, timeoutMs: 60_000 },
    );
    return call<Investigated>(`/api/investigations/${id}`);
  };

  /** Health, a fault, the alert, the investigation through the satellite. */
  const findIn = async (name: string): Promise<Investigated> => {
    const incident = liveIncidents[name]!;
    await shop.untilKnown(never);
    const alert = await shop.cause(incident, never);
    const found = await investigate(questionAbout(alert));
    await injectFault(shop.addresses, incident.service, 'none');
    assert.equal(found.status, 'completed');
    assert.equal(found.report?.root_cause.service, incident.service, JSON.stringify(found.report));
    const excerpts = found.citations.flatMap((citation) => citation.excerpts);
    assert.ok(excerpts.length > 0 && excerpts.every(({ verified }) => verified));
    const calls = found.steps.flatMap((step) => step.tool_calls);
    assert.deepEqual(
      calls.filter((made) => made.is_error),
      [],
    );
    return found;
  };

  it('shows a service that leaks database connections for what it is, through the satellite', async () => {
    const { citations, steps } = await findIn('connection-leak');
    const calls = steps.flatMap((step) => step.tool_calls);
    const asked = new Set(calls.flatMap(({ input }) => input.source ?? []));
    assert.deepEqual([...asked].toSorted(), ['satellite:demo-shop/loki', 'satellite:demo-shop/prometheus']);
    // Its own words, from its logs.
    const cited = citations.flatMap(({ excerpts }) => excerpts.map(({ text }) => text)).join('\n');
    assert.match(cited, /connection pool exhausted/);
  });

  it('finds another fault elsewhere, and survives that the satellite and a service are killed meanwhile', async () => {
    await untilNoAlert(shop.prometheusUrl, { timeoutMs: 60_000 });
    const forget = `${shop.prometheusUrl}/api/v1/admin/tsdb/delete_series?match[]={__name__=~".%2B"}`;
    assert.equal((await fetch(forget, { method: 'POST' })).status, 204);
    const killed = ['satellite', 'shop-orders'].map((name) => ({ name, pid: readPidFile(home, name)! }));
    for (const { pid } of killed) process.kill(pid, 'SIGKILL');
    for (const { name, pid } of killed) {
      const back = () => ((now) => (now !== undefined && now !== pid ? now : undefined))(readPidFile(home, name));
      await waitUntil(back, { what: `${name} after it was killed`, timeoutMs: 30_000 });
    }
    await findIn('cpu-burn');
  });
});
