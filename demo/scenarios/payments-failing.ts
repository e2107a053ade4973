import type { Scenario } from '../simulator/model.ts';
import { changesOf, DURATION_SECONDS, ramp, repeated, time } from './timeline.ts';

const start = time('2026-03-26T07:30:00Z');
const config = time('2026-03-26T09:11:00Z');
const campaign = time('2026-03-26T08:55:00Z');

/** A bad configuration: a time-out in the wrong unit makes payment give up on a healthy third party. */
export const paymentsFailing: Scenario = {
  id: 'payments-failing',
  title: 'Half of all orders fail at payment',
  seed: 67,
  start,
  durationSeconds: DURATION_SECONDS,
  onset: config,
  traffic: (at) => 1 + 0.4 * ramp(at, campaign, 900),
  effects: (at): ReturnType<Scenario['effects']> =>
    at < config ? {} : { payment: { timeoutMs: { callee: 'acquirer', value: 250 } } },
  changes: changesOf(start, [
    {
      at: time('2026-03-26T07:58:02Z'),
      service: 'cart',
      kind: 'deploy',
      summary: 'cart 4.0.9: dependency updates',
      author: 'orders-bot',
    },
    { at: campaign, kind: 'campaign', summary: 'flash sale "Deck shoes" announced in the app', author: 'marketing' },
    {
      at: time('2026-03-26T09:04:30Z'),
      service: 'acquirer',
      kind: 'notice',
      summary: 'status page of the acquirer: maintenance of the reporting portal, payments not affected',
      author: 'acquirer',
    },
    {
      at: time('2026-03-26T09:07:15Z'),
      service: 'fraud',
      kind: 'deploy',
      summary: 'fraud 1.43.0: model gbm-42',
      author: 'risk-bot',
    },
    {
      at: config - 8,
      service: 'payment',
      kind: 'config',
      summary: 'http client settings moved to the shared format (acquirer.timeout: 4s -> 250)',
      author: 'm.okafor',
    },
  ]),
  logs: [
    {
      at: config + 0.4,
      service: 'payment',
      level: 'info',
      message:
        'configuration reloaded: acquirer.timeout=250 acquirer.baseUrl=https://eu.acquirer.example fraud.timeout=2500',
    },
    { at: time('2026-03-26T09:07:29Z'), service: 'fraud', level: 'info', message: 'model gbm-42 loaded' },
    ...repeated(config + 70, start + DURATION_SECONDS, 180, (i) => ({
      service: 'payment',
      level: 'warn' as const,
      message: `reversal queued for ch_${(0xa1b2c3 + i * 9173).toString(16)}: acquirer authorized after the client had given up`,
    })),
  ],
  truth: {
    rootCause: { service: 'payment', fault: 'time-out for the acquirer set to 250 ms instead of 4 s' },
    explanation:
      'When the HTTP settings were moved to a shared format, the time-out of the acquirer lost its unit: 250 ms, about what a healthy authorization takes. payment gives up on half of them; the acquirer answers as it always did.',
    misleading: [
      'the errors name the acquirer, which also announced maintenance',
      'fraud was deployed four minutes before',
      'a flash sale raises the traffic',
      'the latency of payment falls, because giving up is fast',
    ],
  },
};
