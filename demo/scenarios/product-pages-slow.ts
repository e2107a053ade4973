import type { Scenario } from '../simulator/model.ts';
import { changesOf, DURATION_SECONDS, ramp, repeated, time } from './timeline.ts';

const start = time('2026-03-17T13:00:00Z');
const analyzed = time('2026-03-17T14:41:30Z');

/** An innocent deploy: the gateway was deployed minutes before a query plan in the catalog's database flipped. */
export const productPagesSlow: Scenario = {
  id: 'product-pages-slow',
  title: 'Product pages fail or take many seconds',
  seed: 37,
  start,
  durationSeconds: DURATION_SECONDS,
  onset: analyzed,
  effects: (at) => {
    const on = ramp(at, analyzed, 90);
    return { 'postgres-catalog': { cpuCost: 1 + 9 * on, slowdown: 1 + 44 * on, diskReads: 1 + 35 * on } };
  },
  changes: changesOf(start, [
    {
      at: time('2026-03-17T13:21:09Z'),
      service: 'recommendation',
      kind: 'deploy',
      summary: 'recommendation 3.2.0: model als-2026w11',
      author: 'discovery-bot',
    },
    {
      at: time('2026-03-17T14:05:00Z'),
      service: 'catalog',
      kind: 'job',
      summary: 'supplier import "Nordic Outdoor": 61,000 product attributes added',
      author: 'import-bot',
    },
    {
      at: time('2026-03-17T14:37:12Z'),
      service: 'gateway',
      kind: 'deploy',
      summary: 'gateway 4.12.0: session cookie renamed, Go 1.26.1',
      author: 's.varga',
    },
    {
      at: time('2026-03-17T14:58:40Z'),
      service: 'gateway',
      kind: 'rollback',
      summary: 'gateway 4.12.0 -> 4.11.3: suspected cause of slow pages',
      author: 's.varga',
    },
  ]),
  logs: [
    {
      at: time('2026-03-17T14:05:04Z'),
      service: 'catalog',
      level: 'info',
      message: 'import job nordic-outdoor: started, 61,204 rows',
    },
    {
      at: time('2026-03-17T14:19:47Z'),
      service: 'catalog',
      level: 'info',
      message: 'import job nordic-outdoor: finished, 61,204 rows inserted into product_attributes',
    },
    {
      at: analyzed - 6.4,
      service: 'postgres-catalog',
      level: 'info',
      message:
        'automatic analyze of table "catalog.public.product_attributes": system usage: CPU: user: 1.92 s, system: 0.31 s, elapsed: 6.10 s',
    },
    ...repeated(analyzed + 45, start + DURATION_SECONDS, 210, (i) => ({
      service: 'postgres-catalog',
      level: 'info' as const,
      message: `auto_explain: duration: ${(310 + ((i * 97) % 420)).toFixed(1)} ms plan: Limit -> Sort -> Hash Join -> Seq Scan on product_attributes a (rows=${118_000 + ((i * 313) % 900)}) Filter: (value = $2) Rows Removed by Filter: ${117_000 + ((i * 171) % 800)}`,
    })),
    { at: time('2026-03-17T14:58:52Z'), service: 'gateway', level: 'info', message: 'gateway 4.11.3 starting' },
    { at: time('2026-03-17T14:37:25Z'), service: 'gateway', level: 'info', message: 'gateway 4.12.0 starting' },
  ],
  truth: {
    rootCause: {
      service: 'postgres-catalog',
      fault: 'query plan flipped to a sequential scan after autoanalyze of product_attributes',
    },
    explanation:
      'A supplier import tripled product_attributes. When autovacuum analyzed the table half an hour later, the planner chose a sequential scan for the product query: CPU of the database saturates, catalog waits for it with its whole connection pool, and every page that shows products is slow.',
    misleading: [
      'gateway was deployed four minutes before and rolled back without effect',
      'the connection pool of catalog fills up because the database is slow, not because it is too small',
      'the import ended twenty minutes before the onset',
    ],
  },
};
