import type { Scenario } from '../simulator/model.ts';
import { changesOf, DURATION_SECONDS, ramp, repeated, time } from './timeline.ts';

const start = time('2026-03-19T16:00:00Z');
const resized = time('2026-03-19T17:33:40Z');

/** A slow dependency two hops down: checkout -> payment -> fraud, whose CPU limit was cut. */
export const ordersSlow: Scenario = {
  id: 'orders-slow',
  title: 'Placing an order takes many seconds, some orders fail',
  seed: 41,
  start,
  durationSeconds: DURATION_SECONDS,
  onset: resized,
  // The two replicas are replaced one after the other.
  effects: (at) => ({
    fraud: { cpuLimit: 1 - 0.91 * (0.5 * ramp(at, resized, 10) + 0.5 * ramp(at, resized + 60, 10)) },
  }),
  changes: changesOf(start, [
    {
      at: time('2026-03-19T16:20:18Z'),
      service: 'catalog',
      kind: 'deploy',
      summary: 'catalog 7.3.2: facet counts',
      author: 'discovery-bot',
    },
    {
      at: time('2026-03-19T17:10:00Z'),
      service: 'checkout',
      kind: 'deploy',
      summary: 'checkout 9.4.0: gift messages',
      author: 'p.moreau',
    },
    {
      at: time('2026-03-19T17:25:31Z'),
      service: 'postgres-orders',
      kind: 'maintenance',
      summary: 'minor version 16.8 -> 16.9, replica switched',
      author: 'dba',
    },
    {
      at: resized - 20,
      service: 'fraud',
      kind: 'config',
      summary: 'rightsizing recommendation applied: resources.limits.cpu 2 -> 180m',
      author: 'rightsizer-bot',
    },
  ]),
  logs: [
    {
      at: resized + 4,
      service: 'fraud',
      level: 'info',
      message: 'worker starting, OMP_NUM_THREADS=1, cpu quota 18000/100000',
    },
    {
      at: resized + 64,
      service: 'fraud',
      level: 'info',
      message: 'worker starting, OMP_NUM_THREADS=1, cpu quota 18000/100000',
    },
    ...repeated(resized + 95, start + DURATION_SECONDS, 85, (i) => ({
      service: 'fraud',
      level: 'warn' as const,
      message: `slow scoring: ${700 + ((i * 271) % 1900)} ms (features ${30 + ((i * 11) % 20)} ms, predict ${400 + ((i * 193) % 700)} ms, queued ${200 + ((i * 151) % 1100)} ms)`,
    })),
    {
      at: time('2026-03-19T17:25:40Z'),
      service: 'postgres-orders',
      level: 'info',
      message: 'received fast shutdown request',
    },
    {
      at: time('2026-03-19T17:25:44Z'),
      service: 'postgres-orders',
      level: 'info',
      message: 'database system is ready to accept connections',
    },
  ],
  truth: {
    rootCause: { service: 'fraud', fault: 'CPU throttled after its limit was lowered from 2 CPUs to 180m' },
    explanation:
      'A rightsizing bot cut the CPU limit of fraud to 180m on the strength of its average use. Scoring needs 70 ms of CPU per order, so it is throttled and queues; payment waits for it, checkout waits for payment.',
    misleading: [
      'checkout alerts and was deployed 23 minutes before',
      'postgres-orders had maintenance eight minutes before',
      'payment shows the same delay as fraud',
    ],
  },
};
