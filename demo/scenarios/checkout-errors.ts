import type { Scenario } from '../simulator/model.ts';
import { changesOf, DURATION_SECONDS, ramp, repeated, time } from './timeline.ts';

const start = time('2026-03-10T15:00:00Z');
const flag = time('2026-03-10T16:36:20Z');
const full = flag + 240;

/** A saturated connection pool: a feature flag makes `inventory` keep its connections while it waits for an audit. */
export const checkoutErrors: Scenario = {
  id: 'checkout-errors',
  title: 'Checkout fails for many customers and the storefront is slow',
  seed: 11,
  start,
  durationSeconds: DURATION_SECONDS,
  onset: flag,
  effects: (at) => ({
    inventory: { connectionHold: 1 + 52 * (0.25 * ramp(at, flag, 30) + 0.75 * ramp(at, full, 60)) },
  }),
  changes: changesOf(start, [
    {
      at: time('2026-03-10T15:12:41Z'),
      service: 'web',
      kind: 'deploy',
      summary: 'web 2026.10.2: footer links, translations',
      author: 'a.lindqvist',
    },
    {
      at: time('2026-03-10T15:49:03Z'),
      service: 'fraud',
      kind: 'deploy',
      summary: 'fraud 1.41.0: dependency updates',
      author: 'risk-bot',
    },
    {
      at: time('2026-03-10T16:29:55Z'),
      service: 'payment',
      kind: 'deploy',
      summary: 'payment 5.7.1: log the acquirer response code',
      author: 'm.okafor',
    },
    {
      at: flag - 5,
      service: 'inventory',
      kind: 'flag',
      summary: 'flag stock-audit-inline: 0 % -> 25 %',
      author: 'j.ferrari',
    },
    {
      at: full - 3,
      service: 'inventory',
      kind: 'flag',
      summary: 'flag stock-audit-inline: 25 % -> 100 %',
      author: 'j.ferrari',
    },
    {
      at: time('2026-03-10T17:20:30Z'),
      service: 'web',
      kind: 'scale',
      summary: 'autoscaler: maximum replicas of web 8 -> 12',
      author: 'platform-bot',
    },
  ]),
  logs: [
    { at: flag + 1.2, service: 'inventory', level: 'info', message: 'feature flags refreshed: stock-audit-inline=25%' },
    {
      at: full + 1.7,
      service: 'inventory',
      level: 'info',
      message: 'feature flags refreshed: stock-audit-inline=100%',
    },
    ...repeated(flag + 40, start + DURATION_SECONDS, 95, (i) => ({
      service: 'inventory',
      level: 'warn' as const,
      message: `Connection leak detection triggered for PgConnection@${(0x4f3a21 + i * 7717).toString(16)} on thread http-exec-${1 + (i % 24)}: held for more than 150 ms in StockAuditor.appendInTransaction`,
    })),
    ...repeated(full + 90, start + DURATION_SECONDS, 240, (i) => ({
      service: 'postgres-inventory',
      level: 'info' as const,
      message: `${20 + (i % 5)} sessions idle in transaction, oldest ${180 + ((i * 37) % 90)} ms, application_name=inventory`,
    })),
  ],
  truth: {
    rootCause: {
      service: 'inventory',
      fault: 'database connection pool saturated after the flag stock-audit-inline was rolled out',
    },
    explanation:
      'With stock-audit-inline, inventory appends an audit record inside the transaction and keeps its database connection about sixty times as long. At full rollout its pool of 24 connections is used up; stock reads and reservations wait or fail, which fails checkout and slows every catalog page. postgres-inventory itself is idle: its sessions are idle in transaction.',
    misleading: [
      'payment was deployed six minutes before and has nothing to do with it; its traffic falls because checkout fails earlier',
      'postgres-inventory shows many sessions',
      'web, gateway and catalog are loud victims',
    ],
  },
};
