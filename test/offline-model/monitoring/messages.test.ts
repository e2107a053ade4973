/** Messages as people on call write them: several wishes at once, places to report to, slips, questions beside changes. */
import assert from 'node:assert/strict';
import { startOfflineModel, type RunningServer } from '../../../packages/offline-model/index.ts';
import { createModelClient, type ModelClient } from '../../../src/platform/anthropic/index.ts';
import { openChat } from '../support/run-chat.ts';
import { agentTools, newAgent, type Agent } from './agent-tools.ts';
import { shopSources } from './shop.ts';

const SETUP =
  'watch p95 latency of checkout; error rate of payments above 5%; look for "refused" in the logs of orders';
const ALL = ['checkout-latency-p95', 'payment-errors', 'orders-refused-logs'];

/** Places to report to, and what is watched all the same. */
const REPORTING: [said: string, ids: string[], place: RegExp][] = [
  ['Watch checkout every minute. Tell #ops on Slack.', ['checkout-health'], /`#ops on Slack`/],
  ['watch checkout and email ops@example.com when it breaks', ['checkout-health'], /ops@example\.com/],
  ['watch checkout and post findings to https://hooks.slack.com/x/y', ['checkout-health'], /hooks\.slack\.com/],
  ['Monitor cart; page the on-call via PagerDuty if errors exceed 2%', ['cart-health', 'cart-errors'], /PagerDuty/],
  ['checkout p95 > 500ms for 10m, page me', ['checkout-latency-p95'], /`page me`/],
  ['ping #sre if orders has no traffic for 5 minutes', ['orders-traffic'], /`#sre`/],
  ['watch checkout every minute, tell the team if something looks off', ['checkout-health'], /`the team`/],
];

/** First messages: the checks, how grave they are, and what the answer says, or must not say. */
const FIRST: [said: string, checks: string[], says: RegExp, not?: RegExp][] = [
  ['p99 checkout >1s 5m crit', ['checkout-latency-p99 300 critical 1'], /all through 5 minutes/],
  ['wathc chekout latncy evry minute', ['checkout-latency-p95 60 warning'], /“chekout” to mean checkout/],
  ['err rate payment 5xx > 1% 2m', ['payment-errors 300 warning 0.01'], /all through 2 minutes/],
  [
    'monitor payment error rate < 1% slo',
    ['payment-errors 300 warning 0.01'],
    /at or above 0?\.?1? ?%|at or above 1 %/,
  ],
  [
    'watch checkout, and restart it when it fails',
    ['checkout-health 300 warning'],
    /`restart it when it fails`: I do not do/,
  ],
  [
    'watch everything and open a jira ticket when something breaks',
    ['all-health 300 warning'],
    /jira ticket[^\n]*do not do/,
  ],
  [
    "we're seeing timeouts in checkout, can you watch it for the next 2 hours?",
    ['checkout-health 300 warning'],
    /nothing ends by itself/,
  ],
  [
    'watch checkout, then sing a song for the whole office',
    ['checkout-health 300 warning'],
    /not understand `sing a song/,
  ],
  [
    'watch checkout. Is that ok? Many thanks in advance!',
    ['checkout-health 300 warning'],
    /watch from now on/,
    /not understand|root cause/,
  ],
  [
    'Hi! We are the payments team and had a bad night. Could you please keep an eye on the latency of checkout, every two minutes, and tell #oncall on Slack if something looks off? Thanks a lot!',
    ['checkout-latency-p95 120 warning'],
    /background[^\n]*payments team/,
    /not take on/,
  ],
  ['watch cpu of all services above 80%', ['all-cpu 300 warning'], /cannot compare 80 %/, /above 80 %/],
];

/** To an agent that watches three things: what is so afterwards, and what the answer says. */
const LATER: [said: string[], seen: (agent: Agent) => unknown, expected: unknown, says: RegExp][] = [
  [
    ['Check every minute instead, and not between 22:00 and 6:00 Europe/Berlin. What did you find?'],
    ({ plan }) => plan.checks.map(({ schedule }) => [schedule.every_seconds, schedule.quiet_hours.length]),
    [
      [60, 1],
      [60, 1],
      [60, 1],
    ],
    /Changed[\s\S]*found nothing/,
  ],
  [
    ['check it every minute, and what was found?'],
    ({ plan }) => plan.checks[0]?.schedule.every_seconds,
    60,
    /Changed[\s\S]*found nothing/,
  ],
  [['pause and tell me what you found'], ({ active }) => active, false, /Paused[\s\S]*found nothing/],
  [
    ['make it critical, and run it now'],
    ({ plan, ran }) => [plan.checks[0]?.severity, ran.length],
    ['critical', 1],
    /Running now/,
  ],
  [
    ['stop watching payments and watch cart instead'],
    ({ plan }) => plan.checks.map(({ id }) => id),
    ['checkout-latency-p95', 'orders-refused-logs', 'cart-health'],
    /removed[\s\S]*watch from now on/,
  ],
  [
    ['raise the latency threshold to 800ms and lower the error threshold to 2%'],
    ({ plan }) =>
      plan.checks
        .slice(0, 2)
        .map(({ check }) => 'condition' in check && 'value' in check.condition && check.condition.value),
    [0.8, 0.02],
    /800 ms[\s\S]*2 %/,
  ],
  [
    ['What are you watching? Also watch cart.'],
    ({ plan }) => plan.checks.map(({ id }) => id),
    [...ALL, 'cart-health'],
    /I watch this[\s\S]*watch from now on/,
  ],
  [
    ['make the log check critical and dance on the table'],
    ({ plan }) => plan.checks[2]?.severity,
    'critical',
    /not understand `dance on the table/,
  ],
  [
    ['make the log check hourly, the latency one every 30 seconds'],
    ({ plan }) => plan.checks.map(({ schedule }) => schedule.every_seconds),
    [300, 300, 300],
    /one by one/,
  ],
  [
    ["don't check on weekends"],
    ({ plan }) => plan.checks[0]?.schedule.quiet_hours,
    [{ days: ['sat', 'sun'], from: '00:00', to: '00:00' }],
    /Changed/,
  ],
  [
    ["don't page me at night"],
    ({ plan }) => plan.checks[0]?.schedule.quiet_hours,
    [{ from: '22:00', to: '06:00' }],
    /quiet hours I do not check at all/,
  ],
  [
    ['too noisy'],
    ({ plan }) => plan.checks.length,
    3,
    /6 deviations[\s\S]*`payment-errors` compares with a fixed limit/,
  ],
  [['snooze for 2 hours'], ({ active }) => active, true, /no snooze[\s\S]*“pause”/],
  [['mute payments until 6am'], ({ plan }) => plan.checks[1]?.enabled, true, /no snooze/],
  [
    ['check every minute instead', 'undo that'],
    ({ plan }) => plan.checks[0]?.schedule.every_seconds,
    300,
    /Undone[\s\S]*60/,
  ],
  [['check every minute instead', 'undo', 'undo'], ({ plan }) => plan.checks[0]?.schedule.every_seconds, 60, /Undone/],
  [
    ['check the logs every hour', 'no, i meant 10 minutes'],
    ({ plan }) => plan.checks.map(({ schedule }) => schedule.every_seconds),
    [300, 300, 600],
    /Changed/,
  ],
  [
    ['what changed in the plan yesterday?'],
    ({ written }) => written.length,
    1,
    /2026-11-20[\s\S]*Added checkout-latency[\s\S]*plan\/versions/,
  ],
  [
    ['how much does this cost?'],
    ({ written }) => written.length,
    1,
    /None of my 3 checks needs one[\s\S]*5 US dollars a day/,
  ],
  [['who gets told?'], ({ written }) => written.length, 1, /No notification channel is set/],
  [['How will you tell me?'], ({ written }) => written.length, 1, /No notification channel is set/],
  [['send it to slack #ops instead'], ({ written }) => written.length, 1, /#ops[\s\S]*not set in this conversation/],
  [['only page me for critical'], ({ written }) => written.length, 1, /every severity in the same place/],
  [['ack'], ({ written }) => written.length, 1, /not acknowledged/],
  [
    ['turn off investigations'],
    ({ plan }) => plan.checks.map(({ on_finding: on }) => on.join()),
    ['notify', 'notify', 'notify'],
    /no investigation/,
  ],
  [
    ['ok cool. can you also look at gateway latency > 2s?'],
    ({ plan }) => plan.checks[3]?.id,
    'gateway-latency-p95',
    /from now on/,
  ],
  [['how do i stop you?'], ({ active }) => active, true, /“pause”[\s\S]*DELETE/],
  [['??'], ({ written }) => written.length, 1, /did not understand/],
];

describe('offline model: messages to a monitoring agent', () => {
  let server: RunningServer;
  let model: ModelClient;
  before(async () => {
    server = await startOfflineModel();
    model = createModelClient({ offlineBaseUrl: server.url });
  });
  after(() => server.stop());

  const open = (agent: Agent) => openChat(model, { sources: shopSources(), tools: agentTools(agent) });

  for (const [said, ids, place] of REPORTING) {
    it(`takes no place to report to for a service: ${said}`, async () => {
      const agent = newAgent();
      const { text } = await open(agent).ask(said);
      assert.deepEqual(
        agent.plan.checks.map(({ id }) => id),
        ids,
        text,
      );
      assert.match(text, place);
      assert.match(text, /where I report is not set in this conversation[\s\S]*No notification channel is set/);
      assert.doesNotMatch(text, /What I did not take on|I know no/);
    });
  }

  it('says nothing of where it reports when it reports there', async () => {
    const agent = newAgent({ channel: 'Slack #ops' });
    const { text } = await open(agent).ask('Watch checkout every minute. Tell #ops.');
    assert.match(text, /I report to `?Slack #ops`?\./);
    assert.doesNotMatch(text, /not set in this conversation/);
  });

  for (const [said, checks, says, not] of FIRST) {
    it(`begins: ${said}`, async () => {
      const agent = newAgent();
      const { text } = await open(agent).ask(said);
      const shown = agent.plan.checks.map(({ id, schedule, severity, check }) =>
        [
          id,
          schedule.every_seconds,
          severity,
          'condition' in check && 'value' in check.condition ? check.condition.value : '',
        ]
          .join(' ')
          .trim(),
      );
      assert.deepEqual(shown, checks, text);
      assert.match(text, says);
      if (not) assert.doesNotMatch(text, not);
    });
  }

  for (const [messages, seen, expected, says] of LATER) {
    it(`goes on: ${messages.join(' / ')}`, async () => {
      const agent = newAgent();
      const chat = open(agent);
      await chat.ask(SETUP);
      assert.deepEqual(
        agent.plan.checks.map(({ id }) => id),
        ALL,
      );
      let text = '';
      for (const message of messages) ({ text } = await chat.ask(message));
      assert.deepEqual(seen(agent), expected, text);
      assert.match(text, says);
      assert.deepEqual(agent.refused, []);
    });
  }

  it('says what it watches of what it did not tell, and counts health as errors too', async () => {
    const agent = newAgent();
    const chat = open(agent);
    await chat.ask('watch everything; p95 latency of checkout');
    const { text } = await chat.ask('why did you not tell me about the payment errors?');
    assert.match(text, /What I watch of it: [^\n]*`all-health`/);
    assert.doesNotMatch(text, /None of my checks|`checkout-latency-p95`/);
    const { text: other } = await chat.ask('you missed the latency of checkout');
    assert.match(other, /What I watch of it: [^\n]*`checkout-latency-p95`[^\n]*`all-health`/);
  });

  it('puts no plan back that others have changed since', async () => {
    const agent = newAgent();
    const chat = open(agent);
    await chat.ask(SETUP);
    agent.version += 1;
    const { text } = await chat.ask('undo that');
    assert.equal(agent.plan.checks.length, 3);
    assert.match(text, /Nothing is changed[\s\S]*changed by others/);
  });
});
