import type { LabelledCase } from '../case.ts';

/** Written when the matcher knew the others. */
export const laterCases: LabelledCase[] = [
  {
    name: 'an alert with nested labels',
    toolResult: {
      alerts: [
        {
          labels: { alertname: 'HighMemory', pod: 'reports-5c4', namespace: 'bi' },
          annotations: { summary: 'Memory at 96% of the limit' },
          startsAt: '2026-05-06T07:08:00Z',
        },
        {
          labels: { alertname: 'HighMemory', pod: 'exports-9d1', namespace: 'bi' },
          annotations: { summary: 'Memory at 91% of the limit' },
          startsAt: '2026-05-06T07:30:00Z',
        },
      ],
    },
    text: 'HighMemory fired for exports-9d1 at 07:30 UTC, at 91 % of its limit [2].',
    citationId: 2,
    must: ['exports-9d1'],
    never: ['reports-5c4'],
  },
  {
    name: 'a log of MySQL with a deadlock',
    toolResult: `2026-06-06T06:06:06.000001Z 12 [Note] InnoDB: Transactions deadlock detected, dumping detailed information.
2026-06-06T06:06:06.000101Z 12 [Note] InnoDB: *** WE ROLL BACK TRANSACTION (2)
2026-06-06T06:07:00.000000Z 14 [Warning] Aborted connection 14 to db: 'shop' user: 'app' (Got timeout reading communication packets)`,
    text: 'InnoDB detected a deadlock and rolled back transaction 2 [1].',
    citationId: 1,
    must: ['deadlock detected', 'ROLL BACK TRANSACTION (2)'],
    never: ['Aborted connection'],
  },
  {
    name: 'a histogram as text',
    toolResult: `# TYPE http_requests_total counter
http_requests_total{service="search",code="200"} 88121
http_requests_total{service="search",code="500"} 4410
http_requests_total{service="login",code="500"} 12`,
    text: 'search returned about 4.4k responses with code 500 [3], login only a dozen.',
    citationId: 3,
    must: ['{service="search",code="500"} 4410'],
    never: ['88121', 'login'],
  },
  {
    name: 'a count that the result contradicts',
    toolResult: { repository: 'shop/web', open_pull_requests: 14, failing_checks: 2, default_branch: 'main' },
    text: 'shop/web has 31 failing checks [1].',
    citationId: 1,
    must: [],
  },
  {
    name: 'a comparison of two rows',
    toolResult: `region | p50 | p95
eu | 120 ms | 410 ms
us | 118 ms | 1.9 s
ap | 131 ms | 450 ms`,
    text: 'The p95 is 1.9 s in us but only 410 ms in eu [1].',
    citationId: 1,
    must: ['us | 118 ms | 1.9 s', 'eu | 120 ms | 410 ms'],
    may: ['region | p50 | p95'],
    never: ['ap |'],
  },
  {
    name: 'an answer in words only',
    toolResult:
      'The rollout is paused. Two of ten replicas are updated; the canary analysis failed on latency. Nobody has aborted it yet. The next step would be promotion to 50 percent.',
    text: 'The rollout stands still since its canary analysis failed on latency [5].',
    citationId: 5,
    must: ['canary analysis failed on latency'],
    never: ['Nobody has aborted'],
  },
  {
    name: 'a service that is not in the list',
    toolResult: ['cart 1.2.0 healthy', 'checkout 4.0.1 healthy', 'mail 0.9.9 degraded'],
    text: 'Inventory 2.7.3 is degraded [1].',
    citationId: 1,
    must: [],
  },
  {
    name: 'a point by its epoch in a list of objects',
    toolResult: {
      metric: 'queue_depth',
      values: [
        { t: 1780272000, v: 18 },
        { t: 1780272300, v: 19 },
        { t: 1780272600, v: 9120 },
      ],
    },
    text: 'By 00:10 UTC the depth of the queue had reached 9,120 [1].',
    citationId: 1,
    must: ['9120'],
    may: ['queue_depth'],
    never: ['"v":18', '"v":19'],
  },
  {
    name: 'an exit status in the log of a CI job',
    toolResult: `$ npm ci
added 812 packages in 14s
$ npm test
  211 passing (9s)
  3 failing
npm ERR! Test failed.  See above for more details.
ERROR: Job failed: exit code 1`,
    text: 'The job failed because 3 tests failed while 211 passed [2].',
    citationId: 2,
    must: ['211 passing', '3 failing'],
    may: ['Job failed', 'Test failed'],
    never: ['812 packages'],
  },
  {
    name: 'a change of owner in prose with dates',
    toolResult:
      'Until 12 January 2026 the service was run by team Pluto. Since then team Ceres owns it, and its on-call rotation covers weekdays only.',
    text: 'Team Ceres owns the service and has nobody on call at weekends [1].',
    citationId: 1,
    must: ['team Ceres owns it'],
    never: ['team Pluto'],
  },
];
