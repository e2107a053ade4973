import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { describe, it } from 'mocha';
import {
  coalescedChecks,
  currentDeployment,
  runChecks,
  serviceRoom,
  sharedChecks,
  type ServiceDeps,
} from '../../../src/features/service/index.ts';
import type { ReadinessCheck } from '../../../src/http/deps.ts';
import { ManualClock, send, startApi } from '../../http/support/api.ts';

const working: ReadinessCheck = { name: 'event log', check: async () => undefined };
const refused: ReadinessCheck = {
  name: 'postgres',
  check: async () => {
    throw Object.assign(new Error('connect ECONNREFUSED postgres://user:hunter2@10.0.0.7'), { code: 'ECONNREFUSED' });
  },
};

async function withService(
  checks: ReadinessCheck[],
  test: (url: string, lines: { level: number }[]) => Promise<void>,
): Promise<void> {
  const clock = new ManualClock();
  const deps: Partial<ServiceDeps> = {
    clock,
    readiness: checks,
    metrics: new Registry(),
    deployment: currentDeployment({ environment: 'test', startedAt: clock.now() }),
    modelProvider: 'offline',
    sourceKinds: ['recorded'],
    reachability: sharedChecks(checks, () => clock.now().getTime()),
  };
  clock.advance(90_000);
  const api = await startApi<ServiceDeps>(serviceRoom.endpoints, deps);
  try {
    await test(api.url, api.lines);
  } finally {
    await api.stop();
  }
}

describe('service endpoints', () => {
  it('/healthz answers whatever is down; /readyz says what is missing, without addresses', () =>
    withService([working, refused], async (url) => {
      assert.deepEqual((await send(`${url}/healthz`)).json, { status: 'ok' });
      const ready = await send(`${url}/readyz`);
      assert.equal(ready.status, 503);
      assert.equal(ready.json.code, 'not_ready');
      assert.deepEqual(ready.json.missing, ['postgres']);
      assert.deepEqual(
        ready.json.checks.map(({ name, ok, reason }: { name: string; ok: boolean; reason?: string }) => [
          name,
          ok,
          reason,
        ]),
        [
          ['event log', true, undefined],
          ['postgres', false, 'ECONNREFUSED'],
        ],
      );
      assert.ok(!ready.text.includes('hunter2') && !ready.text.includes('10.0.0.7'));
    }));

  it('/readyz is 200 when nothing is missing', () =>
    withService([working], async (url) => {
      const ready = await send(`${url}/readyz`);
      assert.equal(ready.status, 200);
      assert.equal(ready.json.status, 'ready');
    }));

  it('a check that hangs counts as failed after its time', async () => {
    let aborted = false;
    const hanging: ReadinessCheck = {
      name: 'temporal',
      check: (signal) =>
        new Promise(() => {
          signal.addEventListener('abort', () => (aborted = true));
        }),
    };
    const [result] = await runChecks([hanging], 20);
    assert.equal(result?.ok, false);
    assert.equal(result?.reason, 'timeout');
    assert.equal(aborted, true);
  });

  it('/error is a 500 whose id is in the log', () =>
    withService([], async (url, lines) => {
      const reply = await send(`${url}/error`);
      assert.equal(reply.status, 500);
      assert.match(reply.json.error_id, /^[0-9a-f-]{36}$/);
      const logged = lines.filter((line) => JSON.stringify(line).includes(reply.json.error_id));
      assert.equal(logged.length, 1);
      assert.ok(logged[0]!.level >= 50);
    }));

  it('/api/test-eks-deploy says what runs and what it reaches, also when that is nothing', () =>
    withService([working, refused], async (url) => {
      const { status, json, text } = await send(`${url}/api/test-eks-deploy`);
      assert.equal(status, 200);
      assert.equal(json.version, '0.1.0');
      assert.match(json.revision ?? '0'.repeat(40), /^[0-9a-f]{40}/);
      assert.equal(json.node, process.version);
      assert.equal(json.uptime_seconds, 90);
      assert.equal(json.model_provider, 'offline');
      assert.equal(json.healthy, false);
      assert.deepEqual(
        json.reaches.map(({ name, ok }: { name: string; ok: boolean }) => [name, ok]),
        [
          ['event log', true],
          ['postgres', false],
        ],
      );
      assert.ok(!text.includes('hunter2'));
    }));

  it('the smoke test asks what it depends on once for all who ask within a second', async () => {
    let asked = 0;
    const now = { ms: 0 };
    const counting = { name: 'x', check: async () => void asked++ };
    const check = sharedChecks([counting], () => now.ms);
    await Promise.all([check(), check(), check()]);
    assert.equal(asked, 1);
    now.ms = 1_000;
    await check();
    assert.equal(asked, 2);
  });

  it('/readyz asks each dependency once for all who ask at a time, and again for who asks later', async () => {
    let asked = 0;
    const release = Promise.withResolvers<void>();
    const check = coalescedChecks([{ name: 'x', check: () => (asked++, release.promise) }]);
    const all = [check(), check(), check()];
    release.resolve();
    const [first] = await Promise.all(all);
    assert.equal(first?.[0]?.ok, true);
    assert.equal(asked, 1);
    await check();
    assert.equal(asked, 2);
  });

  it('/metrics counts requests by route template', () =>
    withService([working], async (url) => {
      await send(`${url}/healthz`);
      await send(`${url}/some/unknown/path-1`);
      await send(`${url}/some/unknown/path-2`);
      const { status, headers, text } = await send(`${url}/metrics`);
      assert.equal(status, 200);
      assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/);
      assert.match(
        text,
        /casebook_http_request_duration_seconds_count\{method="GET",route="\/healthz",status="200"\} 1/,
      );
      assert.match(
        text,
        /casebook_http_request_duration_seconds_count\{method="GET",route="unmatched",status="404"\} 2/,
      );
      assert.match(text, /casebook_http_requests_in_flight 1/);
      assert.match(text, /casebook_http_event_streams 0/);
      assert.match(text, /nodejs_eventloop_lag_seconds/);
      assert.ok(!text.includes('path-1'));
    }));
});
