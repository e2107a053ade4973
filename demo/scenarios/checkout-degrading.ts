import type { Scenario } from '../simulator/model.ts';
import { changesOf, DURATION_SECONDS, repeated, time } from './timeline.ts';

const start = time('2026-03-24T16:30:00Z');
const deploy = time('2026-03-24T17:34:00Z');

/** A memory leak that restarts hide: the guilty deploy was long before the alert, other changes were just before it. */
export const checkoutDegrading: Scenario = {
  id: 'checkout-degrading',
  title: 'Checkout is slow again and again, for a few minutes each time',
  seed: 53,
  start,
  durationSeconds: DURATION_SECONDS,
  onset: deploy,
  effects: (at): ReturnType<Scenario['effects']> => (at < deploy ? {} : { checkout: { leakMb: 0.4 } }),
  changes: changesOf(start, [
    {
      at: time('2026-03-24T16:41:00Z'),
      service: 'gateway',
      kind: 'config',
      summary: 'rate limit of /search 50 -> 80 requests/s',
      author: 's.varga',
    },
    {
      at: deploy - 30,
      service: 'checkout',
      kind: 'deploy',
      summary: 'checkout 9.5.0: order confirmations rendered as PDF',
      author: 'p.moreau',
    },
    {
      at: time('2026-03-24T17:49:12Z'),
      service: 'inventory',
      kind: 'deploy',
      summary: 'inventory 6.1.4: reservation sweep every 5 minutes',
      author: 'j.ferrari',
    },
    {
      at: time('2026-03-24T17:52:48Z'),
      service: 'payment',
      kind: 'config',
      summary: 'acquirer contract: 3-D Secure for orders over 150',
      author: 'm.okafor',
    },
  ]),
  logs: [
    { at: deploy - 12, service: 'checkout', level: 'info', message: 'checkout 9.5.0 started in 9.8 s' },
    ...repeated(deploy + 420, start + DURATION_SECONDS, 330, (i) => ({
      service: 'checkout',
      level: 'warn' as const,
      message: `ConfirmationRenderer: ${1900 + i * 640} documents in renderCache, none evicted (maximumSize not set)`,
    })),
    ...repeated(time('2026-03-24T17:54:20Z'), start + DURATION_SECONDS, 400, (i) => ({
      service: 'payment',
      level: 'info' as const,
      message: `3-D Secure challenge completed in ${4 + ((i * 3) % 9)} s, charge authorized`,
    })),
  ],
  truth: {
    rootCause: {
      service: 'checkout',
      fault: 'memory leak in 9.5.0 (unbounded cache of rendered confirmations), killed for memory again and again',
    },
    explanation:
      'Since 9.5.0 every order leaves its rendered confirmation in a cache without a bound. As the heap fills, the collector takes the CPU and checkout slows down, until the replicas are killed for memory and start afresh.',
    misleading: [
      'the guilty deploy was long before the alert; inventory and payment changed minutes before it',
      'restarts make it recover by itself, so that it looks like a dependency that comes and goes',
      'the alerting service is the cause itself: its callees are healthy',
    ],
  },
};
