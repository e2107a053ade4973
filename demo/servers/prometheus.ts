import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { freePort } from '../../src/embedded/free-port.ts';
import type { ChildSpec } from '../../src/embedded/supervisor.ts';
import { waitUntil } from '../../src/embedded/wait-until.ts';

const USUAL_PORT = 9090;

/** The alert rules of the shop: what customers notice, for its two customer-facing services. */
const rules = {
  groups: [
    {
      name: 'shop',
      rules: [
        {
          alert: 'HighErrorRate',
          expr:
            'sum by (service) (rate(http_requests_total{service=~"storefront|checkout",status=~"5.."}[15s])) / ' +
            'sum by (service) (rate(http_requests_total{service=~"storefront|checkout"}[15s])) > 0.05',
          for: '4s',
          labels: { severity: 'page' },
          annotations: {
            summary: '{{ $value | humanizePercentage }} of the requests to {{ $labels.service }} fail',
          },
        },
        {
          alert: 'HighLatency',
          expr:
            'histogram_quantile(0.95, sum by (service, le) (rate(http_request_duration_seconds_bucket' +
            '{service=~"storefront|checkout"}[15s]))) > 0.35',
          for: '4s',
          labels: { severity: 'page' },
          annotations: {
            summary: 'the p95 latency of {{ $labels.service }} is {{ $value | humanizeDuration }}',
          },
        },
      ],
    },
  ],
};

/**
 * A Prometheus that scrapes each target every second. It starts empty: earlier data belongs to a shop that is gone.
 * @param options.binary path of Prometheus
 * @param options.targets base URLs by service name
 */
export async function prometheusProcess(options: {
  binary: string;
  home: string;
  targets: Record<string, string>;
  port?: number;
}): Promise<{ spec: ChildSpec; url: string }> {
  const { binary, home, targets } = options;
  const folder = join(home, 'demo', 'prometheus');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'prometheus.yml');
  // JSON is YAML.
  writeFileSync(join(folder, 'rules.yml'), JSON.stringify(rules, null, 2));
  writeFileSync(
    config,
    JSON.stringify(
      {
        global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
        rule_files: ['rules.yml'],
        scrape_configs: [
          {
            job_name: 'shop',
            honor_labels: true,
            static_configs: Object.entries(targets).map(([service, url]) => ({
              targets: [new URL(url).host],
              labels: { service },
            })),
          },
        ],
      },
      null,
      2,
    ),
  );
  const port = await freePort(options.port ?? USUAL_PORT);
  const url = `http://127.0.0.1:${port}`;
  const data = join(folder, 'data');
  return {
    url,
    spec: {
      name: 'prometheus',
      marks: [`--storage.tsdb.path=${data}\n`],
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 5_000,
      command: binary,
      args: [
        `--config.file=${config}`,
        `--storage.tsdb.path=${data}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=warn',
        // Enables deletion, so that a second fault is compared with health alone.
        '--web.enable-admin-api',
      ],
      ready: async (signal) => {
        await waitUntil(async () => (await fetch(`${url}/-/ready`, { signal })).ok || undefined, {
          what: `Prometheus at ${url}`,
          timeoutMs: 30_000,
          signal,
        });
      },
    },
  };
}

const vector = z.object({
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
});
const alerts = z.object({
  data: z.object({
    alerts: z.array(
      z.object({
        state: z.string(),
        activeAt: z.string(),
        labels: z.record(z.string(), z.string()),
        annotations: z.record(z.string(), z.string()),
      }),
    ),
  }),
});

/** Waits until every target has been scraped this many times. */
export async function untilScraped(
  url: string,
  times: number,
  options: { timeoutMs: number; signal?: AbortSignal; onProgress?: (times: number) => void },
): Promise<void> {
  const query = encodeURIComponent('min(sum_over_time(up{job="shop"}[1h]))');
  await waitUntil(
    async () => {
      const response = await fetch(`${url}/api/v1/query?query=${query}`, { signal: options.signal });
      const { data } = vector.parse(await response.json());
      const scraped = Number(data.result[0]?.value[1] ?? 0);
      options.onProgress?.(scraped);
      return scraped >= times || undefined;
    },
    { what: `${times} scrapes of each service`, intervalMs: 500, ...options },
  );
}

export interface FiringAlert {
  name: string;
  service: string;
  /** ISO time at which its condition became true. */
  at: string;
  summary: string;
}

async function readAlerts(url: string, signal: AbortSignal | undefined) {
  const response = await fetch(`${url}/api/v1/alerts`, { signal });
  return alerts.parse(await response.json()).data.alerts;
}

/** Waits until Prometheus reports a firing alert; of several, the one that started first. */
export function untilAlert(url: string, options: { timeoutMs: number; signal?: AbortSignal }): Promise<FiringAlert> {
  return waitUntil(
    async () => {
      const [first] = (await readAlerts(url, options.signal))
        .filter(({ state }) => state === 'firing')
        .toSorted((a, b) => Date.parse(a.activeAt) - Date.parse(b.activeAt));
      return (
        first && {
          name: first.labels['alertname'] ?? '',
          service: first.labels['service'] ?? '',
          at: first.activeAt,
          summary: first.annotations['summary'] ?? '',
        }
      );
    },
    { what: 'an alert', intervalMs: 250, ...options },
  );
}

/** Waits until no alert is firing or pending. */
export async function untilNoAlert(url: string, options: { timeoutMs: number; signal?: AbortSignal }): Promise<void> {
  await waitUntil(async () => (await readAlerts(url, options.signal)).length === 0 || undefined, {
    what: 'the end of the alerts',
    intervalMs: 250,
    ...options,
  });
}

/** Deletes all data; scraping starts afresh. */
export async function forgetSeries(url: string, signal?: AbortSignal): Promise<void> {
  const every = encodeURIComponent('{__name__=~".+"}');
  const response = await fetch(`${url}/api/v1/admin/tsdb/delete_series?match[]=${every}`, { method: 'POST', signal });
  if (!response.ok) throw new Error(`Prometheus did not delete its series: ${await response.text()}`);
}
