import type { LabelledCase } from '../case.ts';

const pod = (name: string, restartCount: number, lastState: unknown) => ({
  metadata: { name, namespace: 'shop', labels: { app: name.split('-')[0] } },
  status: {
    phase: 'Running',
    containerStatuses: [
      { name: name.split('-')[0], ready: true, restartCount, lastState, image: 'registry/app:1.8.2' },
    ],
  },
});

export const jsonCases: LabelledCase[] = [
  {
    name: 'a percentage that the result holds as a fraction',
    toolResult: [
      { service: 'cart', error_rate: 0.0021, rps: 311.2 },
      { service: 'checkout', error_rate: 0.1198, rps: 88.4 },
      { service: 'payment', error_rate: 0.0119, rps: 87.9 },
    ],
    text: 'Checkout is failing **12%** of its requests [2], while the other services look healthy.',
    citationId: 2,
    must: ['"service":"checkout","error_rate":0.1198'],
    never: ['"cart"', '"payment"'],
  },
  {
    name: 'a point of one series of a Prometheus matrix',
    toolResult: JSON.stringify({
      status: 'success',
      data: {
        resultType: 'matrix',
        result: [
          {
            metric: { __name__: 'http_request_duration_seconds', service: 'users', quantile: '0.99' },
            values: [
              [1764583200, '0.080'],
              [1764583260, '0.079'],
              [1764583320, '0.081'],
              [1764583380, '0.083'],
            ],
          },
          {
            metric: { __name__: 'http_request_duration_seconds', service: 'orders', quantile: '0.99' },
            values: [
              [1764583200, '0.212'],
              [1764583260, '0.235'],
              [1764583320, '2.3184'],
              [1764583380, '3.0071'],
            ],
          },
        ],
      },
    }),
    text: 'The p99 latency of orders climbed to 2.3 s at 10:02 UTC [1], and users was not affected [1].',
    citationId: 1,
    must: ['[1764583320,"2.3184"]'],
    may: ['"service":"orders"', '"service":"users"'],
    never: ['"0.235"', '"0.212"'],
  },
  {
    name: 'the state of one container among pods',
    toolResult: {
      items: [
        pod('web-7c9d-q2x', 0, {}),
        pod('search-5f6d-abc', 14, {
          terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: '2026-02-11T03:15:42Z' },
        }),
        pod('mail-66b8-zzp', 1, { terminated: { exitCode: 1, reason: 'Error', finishedAt: '2026-02-09T11:02:10Z' } }),
      ],
    },
    text: 'The search container was OOM-killed (exit code 137) and has restarted 14 times [4].',
    citationId: 4,
    must: ['"restartCount":14', '"reason":"OOMKilled"'],
    may: ['search-5f6d-abc'],
    never: ['"exitCode":1,', '"restartCount":0'],
  },
  {
    name: 'a percentage that the result contradicts',
    toolResult: { service: 'payment', window: '5m', cpu_percent: 41.7, memory_percent: 63.0, replicas: 3 },
    text: "Payment's CPU usage hit 95% during the incident [1].",
    citationId: 1,
    must: [],
  },
  {
    name: 'gibibytes of a number of bytes',
    toolResult: {
      containers: [
        { pod: 'indexer-0', memory_bytes: 1932735283, limit_bytes: 2147483648 },
        { pod: 'indexer-1', memory_bytes: 702545920, limit_bytes: 2147483648 },
      ],
    },
    text: 'indexer-0 was using 1.8 GiB of its 2 GiB limit [3].',
    citationId: 3,
    must: ['"memory_bytes":1932735283'],
    never: ['"indexer-1"'],
  },
  {
    name: 'one deployment among several',
    toolResult: {
      changes: [
        { id: 'dep-811', service: 'gateway', version: 'v3.2.0', at: '2026-01-07T09:12:00Z', author: 'mara' },
        { id: 'dep-812', service: 'gateway', version: 'v3.2.1', at: '2026-01-07T13:40:00Z', author: 'li' },
        { id: 'dep-813', service: 'auth', version: 'v3.2.0', at: '2026-01-07T13:55:00Z', author: 'li' },
      ],
    },
    text: 'Nothing changed overnight. Gateway v3.2.1 was deployed by li at 13:40 UTC [5].',
    citationId: 5,
    must: ['dep-812'],
    never: ['dep-811', 'dep-813'],
  },
  {
    name: 'a time in another time zone',
    toolResult: [
      { at: '2026-01-07T13:40:12Z', kind: 'config', summary: 'max_connections lowered from 200 to 20' },
      { at: '2026-01-07T14:40:05Z', kind: 'deploy', summary: 'web assets, no change of settings' },
    ],
    text: 'At 14:40 CET somebody lowered `max_connections` from 200 to 20 [1].',
    citationId: 1,
    must: ['max_connections lowered from 200 to 20'],
    never: ['web assets'],
  },
  {
    name: 'an empty answer supports no claim',
    toolResult: { query: 'service=mail level=error', matches: [], total: 0, searched: 18211 },
    text: 'The mail service returned 503 errors to its callers [2].',
    citationId: 2,
    must: [],
  },
  {
    name: 'a metric deep below its service',
    toolResult: {
      window: { from: '2026-03-01T10:00:00Z', to: '2026-03-01T11:00:00Z' },
      services: {
        frontend: { latency: { p50_ms: 41.2, p99_ms: 390.4 }, saturation: { cpu: 0.31, threads: 0.2 } },
        catalogue: { latency: { p50_ms: 12.9, p99_ms: 1841.7 }, saturation: { cpu: 0.97, threads: 0.4 } },
        ratings: { latency: { p50_ms: 9.1, p99_ms: 55.0 }, saturation: { cpu: 0.12, threads: 0.1 } },
      },
    },
    text: '- frontend is slow only because it waits\n- catalogue is CPU-bound: its CPU saturation is 97 % [2]\n- ratings is fine [3]',
    citationId: 2,
    must: ['"cpu":0.97'],
    never: ['"cpu":0.31', '"cpu":0.12'],
  },
];
