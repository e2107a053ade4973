import type { Scenario } from '../simulator/model.ts';
import { changesOf, DURATION_SECONDS, ramp, repeated, time } from './timeline.ts';

const start = time('2026-03-12T09:30:00Z');
const job = time('2026-03-12T11:02:00Z');

/** A loud victim: the storefront is slowest in seconds, while the fault is a blocking command in a cache far below. */
export const storefrontSlow: Scenario = {
  id: 'storefront-slow',
  title: 'The storefront is very slow for customers with a cart',
  seed: 23,
  start,
  durationSeconds: DURATION_SECONDS,
  onset: job,
  effects: (at) => {
    const on = ramp(at, job, 60);
    return { 'redis-cart': { slowdown: 1 + 480 * on, backgroundCpus: 0.75 * on } };
  },
  changes: changesOf(start, [
    {
      at: time('2026-03-12T09:44:10Z'),
      service: 'shipping',
      kind: 'deploy',
      summary: 'shipping 0.88.0: new postal code table',
      author: 'logistics-bot',
    },
    {
      at: time('2026-03-12T10:37:26Z'),
      service: 'web',
      kind: 'deploy',
      summary: 'web 2026.11.0: new product gallery',
      author: 'a.lindqvist',
    },
    {
      at: time('2026-03-12T10:51:00Z'),
      kind: 'campaign',
      summary: 'newsletter "Spring at sea" sent to 180,000 customers',
      author: 'marketing',
    },
    {
      at: job - 2,
      service: 'redis-cart',
      kind: 'job',
      summary: 'cron cart-insights enabled: exports abandoned carts, every minute',
      author: 'n.haddad',
    },
  ]),
  traffic: (at) => 1 + 0.25 * ramp(at, time('2026-03-12T10:52:00Z'), 400),
  logs: [
    ...repeated(job + 3, start + DURATION_SECONDS, 61, (i) => ({
      service: 'redis-cart',
      level: 'warn' as const,
      message: `slowlog id=${5120 + i} duration_us=${281_000 + ((i * 13_577) % 160_000)} command="KEYS cart:*" client=10.4.7.${40 + (i % 3)} name=cart-insights`,
    })),
    ...repeated(job + 30, start + DURATION_SECONDS, 300, (i) => ({
      service: 'cart',
      level: 'warn' as const,
      message: `redis client: ${30 + ((i * 17) % 40)} commands queued, oldest ${600 + ((i * 131) % 500)} ms`,
    })),
  ],
  truth: {
    rootCause: { service: 'redis-cart', fault: 'blocked by KEYS cart:* of the new cron job cart-insights' },
    explanation:
      'Redis runs one command at a time. Every minute the job cart-insights lists all keys again and again, so that commands of cart wait a third of a second each. cart makes three of them per request, checkout calls cart twice, gateway retries: the delay multiplies on its way up, and web alerts.',
    misleading: [
      'web has by far the largest delay in seconds and was deployed 25 minutes before',
      'a newsletter raised the traffic ten minutes before',
      'checkout suffers more than cart because it calls cart twice',
    ],
  },
};
