import assert from 'node:assert/strict';
import { describeCheck } from '../../../src/features/monitoring-agents/plan/describe.ts';
import type { Check, Plan } from '../../../src/features/monitoring-agents/plan/schema.ts';
import { startOfflineModel, type RunningServer } from '../../../packages/offline-model/index.ts';
import { createModelClient, type ModelClient } from '../../../src/platform/anthropic/index.ts';
import { openChat } from '../support/run-chat.ts';
import { agentTools, newAgent, type Agent } from './agent-tools.ts';
import { shopSources } from './shop.ts';

/** A check in a line: what its description does not say comes behind it. */
function line(check: Check): string {
  const { severity, on_finding: actions, confirmations } = check;
  const more = [
    ...(severity === 'warning' ? [] : [severity]),
    ...(actions.length === 2 ? [] : [`${actions.join()} only`]),
    ...(confirmations === 1 ? [] : [`${confirmations} in a row`]),
  ];
  return [describeCheck(check), ...more].join('; ');
}

const usual = (window: string, history: string, deviations = 4) =>
  `by ${deviations} deviations (mean of ${window}, against ${history} before)`;
const LATENCY = 'http_request_duration_seconds';
const ERRORS = 'http_requests_total:error_ratio';
const HEALTH = 'unusual by 6 deviations against 1 hour before';

/** What is said first in a chat, and the checks it leads to. */
const FIRST: Record<string, string[]> = {
  "Watch checkout's p95 latency and error rate every 5 minutes and open an investigation when something is off": [
    `p95 ${LATENCY} of checkout above what is usual ${usual('5 minutes', '1 hour')}, every 5 minutes`,
    `${ERRORS} of checkout above what is usual ${usual('5 minutes', '1 hour')}, every 5 minutes`,
  ],
  'tell me if the error rate of payments goes above 5% for 10 minutes': [
    `${ERRORS} of payment above 0.05 (min of 10 minutes), every 5 minutes`,
  ],
  "look for 'connection refused' in the logs of orders every minute, critical": [
    'at least 1 log lines in 5 minutes of orders with "connection refused", every minute; critical',
  ],
  'watch the whole shop': [`health of every service of satellite:shop/prometheus ${HEALTH}, every 5 minutes`],
  'watch all services hourly': [
    'health of every service of satellite:shop/prometheus unusual by 6 deviations against 4 hours before, every hour',
  ],
  'Watch everything. Only notify.': [
    `health of every service of satellite:shop/prometheus ${HEALTH}, every 5 minutes; notify only`,
  ],
  'monitor checkout and payments every 30s': [`health of checkout, payment ${HEALTH}, every 30 seconds`],
  'Keep an eye on the gateway, please': [`health of gateway ${HEALTH}, every 5 minutes`],
  'watch chekout': [`health of checkout ${HEALTH}, every 5 minutes`],
  'watch the database': [`health of postgres-catalog ${HEALTH}, every 5 minutes`],
  'every weekday at 9:00 Europe/Berlin check that the error rate of checkout stays below 1%': [
    `${ERRORS} of checkout at or above 0.01 (mean of 1 hour), at 09:00 on weekdays (Europe/Berlin)`,
  ],
  'cron 0 9 * * 1-5 watch payment': [
    'health of payment unusual by 6 deviations against 4 hours before, at 09:00 on weekdays (UTC)',
  ],
  'watch web every 5 minutes, not between 22:00 and 6:00': [
    `health of web ${HEALTH}, every 5 minutes (UTC), not 22:00-06:00`,
  ],
  'watch web every minute on weekdays': [`health of web ${HEALTH}, every minute (UTC), not 00:00-00:00 on weekends`],
  'alert me when p99 of gateway is over 800 ms': [
    `p99 ${LATENCY} of gateway above 0.8 (mean of 5 minutes), every 5 minutes`,
  ],
  'make sure the payment service responds in under 500 ms': [
    `p95 ${LATENCY} of payment at or above 0.5 (mean of 5 minutes), every 5 minutes`,
  ],
  'latency of checkout above 1.5 s twice in a row': [
    `p95 ${LATENCY} of checkout above 1.5 (mean of 5 minutes), every 5 minutes; 2 in a row`,
  ],
  'memory of fraud over 512 MiB for more than half an hour': [
    'process_resident_memory_bytes of fraud above 536870912 (min of 30 minutes), every 5 minutes',
  ],
  'tell me if requests to web drop below 10 req/s': [
    'http_requests_total of web below 10 (mean of 5 minutes), every 5 minutes',
  ],
  'checkout latency and payments error rate': [
    `p95 ${LATENCY} of checkout above what is usual ${usual('5 minutes', '1 hour')}, every 5 minutes`,
    `${ERRORS} of payment above what is usual ${usual('5 minutes', '1 hour')}, every 5 minutes`,
  ],
  'watch memory of checkout, cart and payment daily': ['checkout', 'cart', 'payment'].map(
    (service) =>
      `process_resident_memory_bytes of ${service} above what is usual ${usual('1 hour', '4 hours')}, every day`,
  ),
  'watch the latency of all services': [
    `p95 ${LATENCY} above what is usual ${usual('5 minutes', '1 hour')}, every 5 minutes`,
  ],
  'db_pool_pending of orders above 10': ['db_pool_pending of orders above 10 (mean of 5 minutes), every 5 minutes'],
  'watch `sum(rate(http_requests_total[5m])) > 5` every minute': [
    'sum(rate(http_requests_total[5m])) above 5 (mean of 2 minutes), every minute',
  ],
  'new errors in the logs of orders': [
    'at least 3 error log lines of a new kind in 5 minutes of orders, every 5 minutes',
  ],
  'more than 20 errors in the logs of orders within 10 minutes': [
    'at least 21 error log lines in 10 minutes of orders, every 5 minutes',
  ],
  'search the logs of orders for OOMKilled every hour': [
    'at least 1 log lines in 1 hour of orders with "OOMKilled", every hour',
  ],
  'tell me when a deadlock shows up in the logs': [
    'at least 1 log lines in 5 minutes with "deadlock", every 5 minutes',
  ],
  'look for "timeout" and "refused" in the logs of cart': [
    'at least 1 log lines in 5 minutes of cart with "timeout", every 5 minutes',
    'at least 1 log lines in 5 minutes of cart with "refused", every 5 minutes',
  ],
  'watch latency of checkout and new errors in the logs of orders': [
    `p95 ${LATENCY} of checkout above what is usual ${usual('5 minutes', '1 hour')}, every 5 minutes`,
    'at least 3 error log lines of a new kind in 5 minutes of orders, every 5 minutes',
  ],
  'watch calls from checkout to payment, error rate above 2%': [
    'error ratio of calls from checkout to payment above 0.02 (5 minutes), every 5 minutes',
  ],
  'calls from checkout to payment slower than 300 ms': [
    'p95 latency of calls from checkout to payment above 0.3 s (5 minutes), every 5 minutes',
  ],
  'alert me when checkout stops calling payment': ['no calls from checkout to payment (5 minutes), every 5 minutes'],
  "each morning look whether yesterday's deploys changed memory use": [
    `the agent carries out "Look whether yesterday's deploys changed memory use", at 09:00 (UTC)`,
  ],
  'summarize the recent changes every day at 8': [
    'the agent carries out "Summarize the recent changes", at 08:00 (UTC)',
  ],
  "Watch checkout. Don't investigate, just tell me.": [`health of checkout ${HEALTH}, every 5 minutes; notify only`],
  'watch checkout, severity info, without notifications': [
    `health of checkout ${HEALTH}, every 5 minutes; info; investigate only`,
  ],
  '- latency of web above 1 s\n- error rate of cart above 2 %\nevery minute': [
    `p95 ${LATENCY} of web above 1 (mean of 2 minutes), every minute`,
    `${ERRORS} of cart above 0.02 (mean of 2 minutes), every minute`,
  ],
  'I want you to watch the payment service every two minutes': [`health of payment ${HEALTH}, every 2 minutes`],
  "I'd like you to monitor payment latency; warn if > 300ms for 5m": [
    `p95 ${LATENCY} of payment above 0.3 (min of 5 minutes), every 5 minutes`,
  ],
  'Let me know when traffic drops to zero on web': [
    'http_requests_total of web at or below 0 (mean of 5 minutes), every 5 minutes',
  ],
  "watch checkout every minute and look for 'timeout' in its logs": [
    'health of checkout unusual by 6 deviations against 1 hour before, every minute',
    'at least 1 log lines in 5 minutes of checkout with "timeout", every minute',
  ],
  'error rate > 5 % on payment or checkout → critical': ['payment', 'checkout'].map(
    (service) => `${ERRORS} of ${service} above 0.05 (mean of 5 minutes), every 5 minutes; critical`,
  ),
  'watch checkout every 2 seconds': [`health of checkout ${HEALTH}, every 5 seconds`],
};

/** What is not watched, and what the answer then says. */
const NOTHING: [string, RegExp][] = [
  ['watch billing', /watch nothing new[\s\S]*“billing”[\s\S]*checkout/],
  ['tell me if the latency of billing goes above 1 s', /“billing”/],
  ['hello', /monitoring agent/],
  ['what can you do?', /“Watch all services/],
  ['tell me a joke', /did not understand|nothing new/],
  ['blah blah', /did not understand/],
  ['watch the disk of checkout', /no metric for the disk use of checkout/],
  ['watch checkout at 3:00 every day, not between 2:00 and 4:00', /was refused/],
];

/** What is said to an agent that watches the latency of checkout, the errors of payment and a log. */
const LATER: [string, (plan: Plan, agent: Agent) => unknown, unknown][] = [
  ['check every minute instead', ({ checks }) => checks.map(({ schedule }) => schedule.every_seconds), [60, 60, 60]],
  ['check the logs every hour', ({ checks }) => [checks[2]?.schedule.every_seconds, checks[2]?.check], undefined],
  ['make it critical', ({ checks }) => checks.map(({ severity }) => severity), ['critical', 'critical', 'critical']],
  [
    'make the log check critical',
    ({ checks }) => checks.map(({ severity }) => severity),
    ['warning', 'warning', 'critical'],
  ],
  ['only notify', ({ checks }) => checks.map(({ on_finding: on }) => on.join()), ['notify', 'notify', 'notify']],
  ["don't investigate findings of payments", ({ checks }) => checks.map(({ on_finding: on }) => on.length), [2, 1, 2]],
  [
    'stop watching payments',
    ({ checks }) => checks.map(({ id }) => id),
    ['checkout-latency-p95', 'orders-refused-logs'],
  ],
  ['remove the log check', ({ checks }) => checks.map(({ id }) => id), ['checkout-latency-p95', 'payment-errors']],
  ['remove everything', ({ checks }) => checks, []],
  ['pause', (_, { active }) => active, false],
  ['stop', (_, { active }) => active, false],
  ['pause the log check', ({ checks }) => checks.map(({ enabled }) => enabled), [true, true, false]],
  [
    'raise the threshold of payments to 8 %',
    ({ checks }) => checks[1]?.check.type === 'metric' && checks[1].check.condition,
    { type: 'threshold', operator: '>', value: 0.08 },
  ],
  [
    'lower the latency threshold to 300 ms',
    ({ checks }) => checks[0]?.check.type === 'metric' && checks[0].check.condition,
    { type: 'threshold', operator: '>', value: 0.3 },
  ],
  [
    'not between 22:00 and 6:00 Europe/Berlin',
    ({ checks }) => checks[0]?.schedule,
    { every_seconds: 300, time_zone: 'Europe/Berlin', quiet_hours: [{ from: '22:00', to: '06:00' }] },
  ],
  [
    'also watch cart',
    ({ checks }) => checks.map(({ id }) => id),
    ['checkout-latency-p95', 'payment-errors', 'orders-refused-logs', 'cart-health'],
  ],
  ['run it now', (_, { ran }) => ran, [{}]],
  ['run the log check now', (_, { ran }) => ran, [{ check_ids: ['orders-refused-logs'] }]],
];

describe('offline model: what people say to a monitoring agent', () => {
  let server: RunningServer;
  let model: ModelClient;
  before(async () => {
    server = await startOfflineModel();
    model = createModelClient({ offlineBaseUrl: server.url });
  });
  after(() => server.stop());

  const open = (agent: Agent) => openChat(model, { sources: shopSources(), tools: agentTools(agent) });

  for (const [said, checks] of Object.entries(FIRST)) {
    it(`watches: ${said.replaceAll('\n', ' ')}`, async () => {
      const agent = newAgent();
      const { text } = await open(agent).ask(said);
      assert.deepEqual(agent.plan.checks.map(line), checks, text);
      assert.deepEqual(agent.refused, []);
      for (const { id } of agent.plan.checks) assert.ok(text.includes(`\`${id}\``), text);
      assert.match(text, /No notification channel is set/);
    });
  }

  for (const [said, answer] of NOTHING) {
    it(`watches nothing: ${said}`, async () => {
      const agent = newAgent();
      const { text } = await open(agent).ask(said);
      assert.deepEqual(agent.plan.checks, [], text);
      assert.match(text, answer);
      assert.doesNotMatch(text, /I watch from now on/);
    });
  }

  for (const [said, seen, expected] of LATER) {
    it(`changes: ${said}`, async () => {
      const agent = newAgent();
      const chat = open(agent);
      await chat.ask(
        'watch p95 latency of checkout; error rate of payments above 5%; look for "refused" in the logs of orders',
      );
      assert.equal(agent.plan.checks.length, 3);
      const { text } = await chat.ask(said);
      if (expected === undefined)
        assert.match(JSON.stringify(seen(agent.plan, agent)), /^\[3600,\{.*"window_seconds":3600/);
      else assert.deepEqual(seen(agent.plan, agent), expected, text);
      assert.deepEqual(agent.refused, []);
    });
  }
});
