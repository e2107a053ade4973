import type { LabelledCase } from '../case.ts';

/** Written when the matcher was done; nothing was changed for them. */
export const freshCases: LabelledCase[] = [
  {
    name: 'an EXPLAIN with one bad node',
    toolResult: `Nested Loop  (cost=0.43..918.22 rows=12 width=40) (actual time=0.05..8123.40 rows=311 loops=1)
  ->  Seq Scan on line_items  (cost=0.00..812.00 rows=9000 width=16) (actual time=0.01..7990.12 rows=2100331 loops=1)
        Filter: (order_id IS NOT NULL)
  ->  Index Scan using orders_pkey on orders  (cost=0.43..8.45 rows=1 width=24) (actual time=0.00..0.00 rows=0 loops=2100331)`,
    text: 'The time goes into a sequential scan of `line_items`, which reads 2.1 million rows [1].',
    citationId: 1,
    must: ['Seq Scan on line_items'],
    never: ['Index Scan'],
  },
  {
    name: 'the load of a host',
    toolResult: ' 14:02:11 up 41 days,  3:17,  2 users,  load average: 38.20, 31.07, 12.90',
    text: 'The load average of the last minute is 38 [2].',
    citationId: 2,
    must: ['load average: 38.20'],
  },
  {
    name: 'events of a cluster',
    toolResult: `LAST SEEN   TYPE      REASON             OBJECT                MESSAGE
3m          Warning   FailedScheduling   pod/batch-7-x2k       0/6 nodes are available: 6 Insufficient memory.
9m          Normal    Pulled             pod/web-6d-p1q        Container image already present on machine
12m         Warning   BackOff            pod/ledger-0          Back-off restarting failed container`,
    text: 'batch-7-x2k cannot be scheduled since all 6 nodes lack memory [4].',
    citationId: 4,
    must: ['6 Insufficient memory'],
    may: ['LAST SEEN   TYPE'],
    never: ['Pulled', 'BackOff'],
  },
  {
    name: 'a member in an object of services',
    toolResult: {
      billing: { version: '3.3.0', healthy: true, instances: 6 },
      ledger: { version: '1.9.4', healthy: false, instances: 2 },
      mailer: { version: '0.8.1', healthy: true, instances: 1 },
    },
    text: 'Ledger runs version 1.9.4 on 2 instances [1] and is unhealthy [1].',
    citationId: 1,
    must: ['"version":"1.9.4"'],
    never: ['3.3.0', '0.8.1'],
  },
  {
    name: 'a rate that fell',
    toolResult: JSON.stringify({
      query: 'sum(rate(orders_total[5m]))',
      points: [
        ['2026-09-01T18:00:00Z', 41.8],
        ['2026-09-01T18:05:00Z', 42.3],
        ['2026-09-01T18:10:00Z', 3.9],
      ],
    }),
    text: 'Orders fell from 42.3 to 3.9 per second at 18:10 UTC [1].',
    citationId: 1,
    must: ['42.3', '3.9'],
    never: ['41.8'],
  },
  {
    name: 'the wrong pod with the right number',
    toolResult: `pod            restarts
cache-0        0
cache-1        44
cache-2        1`,
    text: 'cache-2 has restarted 44 times [1].',
    citationId: 1,
    must: [],
  },
  {
    name: 'a message that is quoted with other capitals and spaces',
    toolResult: `level=error ts=12:01:07 msg="FATAL: too many connections for role \\"app\\""
level=info ts=12:01:08 msg="retrying in 2s"`,
    text: 'PostgreSQL refuses the role app with “too many connections” [2].',
    citationId: 2,
    must: ['too many connections for role'],
    never: ['retrying'],
  },
  {
    name: 'a commit among commits',
    toolResult: `8c1f2aa 2026-02-27 Bump lodash
41d0e9b 2026-02-28 Cache the price list for an hour instead of a minute
e77b3c0 2026-03-01 Fix a typo`,
    text: 'Since 28 February the price list is cached for an hour [6], see 41d0e9b.',
    citationId: 6,
    must: ['41d0e9b'],
    never: ['lodash', 'typo'],
  },
  {
    name: 'nothing about the cause',
    toolResult: {
      service: 'search',
      p99_ms: [210, 214, 2209, 2310],
      note: 'p99 rose at the third point',
    },
    text: 'A garbage collection of 12 seconds stopped the indexer [3].',
    citationId: 3,
    must: [],
  },
  {
    name: 'two thresholds in a configuration file',
    toolResult: `[queue]
max_length = 5000
overflow = "drop-head"

[consumer]
prefetch = 250
timeout = "90s"`,
    text: 'The consumer prefetches 250 messages and gives up after 90 seconds [1].',
    citationId: 1,
    must: ['prefetch = 250', 'timeout = "90s"'],
    may: ['[consumer]'],
    never: ['max_length', 'overflow'],
  },
  {
    name: 'French',
    toolResult: `09:12:00 INFO passerelle: démarrage terminé
09:14:31 ERREUR paiement: délai dépassé après 8000 ms
09:15:02 INFO catalogue: index reconstruit`,
    text: 'Le paiement a dépassé son délai de 8 s à 09:14 [1].',
    citationId: 1,
    must: ['délai dépassé après 8000 ms'],
    never: ['passerelle', 'catalogue'],
  },
  {
    name: 'a difference that the text computes',
    toolResult: { before: { replicas: 8, p95_ms: 180 }, after: { replicas: 5, p95_ms: 690 } },
    text: 'Three replicas were removed: 8 before, 5 after [2].',
    citationId: 2,
    must: ['"replicas":8', '"replicas":5'],
  },
];
