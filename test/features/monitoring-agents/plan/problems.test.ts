import assert from 'node:assert/strict';
import { planProblems } from '../../../../src/features/monitoring-agents/plan/problems.ts';
import { MAX_PLAN_BYTES, Plan } from '../../../../src/features/monitoring-agents/plan/schema.ts';
import { lines, written } from './written.ts';

/** What the rules say of a check whose form is right. */
const said = (changes: Record<string, unknown>): string[] =>
  lines(planProblems(Plan.parse({ checks: [written(changes)] })));

const metric = (changes: Record<string, unknown>) => ({
  check: { type: 'metric', source: 's', condition: { type: 'threshold', operator: '>', value: 1 }, ...changes },
});
const every = { every_seconds: 60 };
const night = { from: '22:00', to: '06:00' };
const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const value = (pointer: string, operator: string, value: unknown) => ({
  check: { type: 'mcp_tool', tool: 'status', condition: { type: 'value', pointer, operator, value } },
});

describe('plan: what keeps a check from being carried out', () => {
  const refused: [string, Record<string, unknown>, RegExp][] = [
    ['neither interval nor cron', { schedule: {} }, /^checks\.0\.schedule: .*exactly one.*neither/],
    ['interval and cron', { schedule: { ...every, cron: '* * * * *' } }, /^checks\.0\.schedule: .*exactly one.*both/],
    ['seconds in cron', { schedule: { cron: '* * * * * *' } }, /^checks\.0\.schedule\.cron: .*five fields.*has 6/],
    ['a name instead of cron', { schedule: { cron: '@hourly' } }, /^checks\.0\.schedule\.cron: .*has 1 field/],
    ['minute 60', { schedule: { cron: '60 * * * *' } }, /^checks\.0\.schedule\.cron: .*minute: 60/],
    ['30 February', { schedule: { cron: '0 0 30 2 *' } }, /^checks\.0\.schedule\.cron: .*every year/],
    ['29 February', { schedule: { cron: '0 0 29 2 *' } }, /^checks\.0\.schedule\.cron: .*every year/],
    [
      'quiet whenever it fires',
      { schedule: { cron: '0 3 * * *', quiet_hours: [night] } },
      /^checks\.0\.schedule\.quiet_hours: .*cover all/,
    ],
    [
      'quiet but for the jump of the clocks',
      { schedule: { cron: '30 2 * * *', time_zone: 'Europe/Berlin', quiet_hours: [{ from: '02:00', to: '03:00' }] } },
      /^checks\.0\.schedule\.quiet_hours: .*cover all/,
    ],
    [
      'quiet on its day of the week',
      { schedule: { cron: '0 9 * * sun', quiet_hours: [{ days: ['sat'], from: '12:00', to: '11:59' }] } },
      /^checks\.0\.schedule\.quiet_hours: .*cover all/,
    ],
    [
      'quiet all day',
      { schedule: { ...every, quiet_hours: [{ from: '09:00', to: '09:00' }] } },
      /quiet_hours: .*never runs/,
    ],
    [
      'quiet on all days',
      { schedule: { ...every, quiet_hours: [{ days: WEEK, from: '00:00', to: '00:00' }] } },
      /quiet_hours: .*never runs/,
    ],
    [
      'quiet all week in parts',
      {
        schedule: {
          cron: '* * * * *',
          quiet_hours: [
            { from: '20:00', to: '08:00' },
            { from: '08:00', to: '20:00' },
          ],
        },
      },
      /quiet_hours: .*never runs/,
    ],
    [
      'an interval that may always fall in quiet hours',
      { schedule: { every_seconds: 86_400, quiet_hours: [night] } },
      /^checks\.0\.schedule\.every_seconds: .*at most.*16 hours.*cron/,
    ],
    ['neither metric nor promql', metric({}), /^checks\.0\.check: .*exactly one.*neither/],
    ['metric and promql', metric({ metric: 'm', promql: 'up' }), /^checks\.0\.check: .*exactly one.*both/],
    ['promql and service', metric({ promql: 'up', service: 'x' }), /^checks\.0\.check\.service: .*left out/],
    ['promql and statistic', metric({ promql: 'up', statistic: 'p95' }), /^checks\.0\.check\.statistic: .*left out/],
    ['promql and labels', metric({ promql: 'up', labels: { a: 'b' } }), /^checks\.0\.check\.labels: .*left out/],
    [
      'little history of a metric',
      metric({ metric: 'm', window_seconds: 600, condition: { type: 'baseline', history_seconds: 1_199 } }),
      /^checks\.0\.check\.condition\.history_seconds: .*1200/,
    ],
    [
      'little history of logs',
      {
        check: {
          type: 'log_pattern',
          source: 's',
          window_seconds: 600,
          condition: { type: 'new_pattern', history_seconds: 599 },
        },
      },
      /^checks\.0\.check\.condition\.history_seconds: .*600/,
    ],
    [
      'little history of services',
      { check: { type: 'service_health', source: 's', window_seconds: 600, history_seconds: 599 } },
      /^checks\.0\.check\.history_seconds: .*600/,
    ],
    [
      'no call that may be missing',
      { check: { type: 'dependency', source: 's', condition: { type: 'missing' } } },
      /^checks\.0\.check: .*caller, the callee or both/,
    ],
    ['a pointer with a bare tilde', value('/a~b', '==', 1), /^checks\.0\.check\.condition\.pointer: .*6901/],
    ['a pointer that ends in a tilde', value('/a/~', '==', 1), /pointer: /],
    ['a pointer with an unknown escape', value('/~2', '==', 1), /pointer: /],
    ['text that is greater', value('/a', '>', 'b'), /^checks\.0\.check\.condition\.operator: /],
    ['truth that is less', value('/a', '<=', true), /operator: /],
    ['an unknown placeholder', { dedup_key: '{check}/{service}' }, /^checks\.0\.dedup_key: .*\{service\}/],
    ['a placeholder without an end', { dedup_key: '{check}/{subject' }, /^checks\.0\.dedup_key: /],
    ['a placeholder in another case', { dedup_key: '{Check}' }, /^checks\.0\.dedup_key: /],
  ];
  for (const [name, changes, reason] of refused) {
    it(name, () => {
      const found = said(changes);
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found[0]!, reason);
    });
  }

  const accepted: [string, Record<string, unknown>][] = [
    ['an interval with nights', { schedule: { every_seconds: 16 * 3_600, quiet_hours: [night] } }],
    [
      'a day of every week that is quiet',
      { schedule: { ...every, quiet_hours: [{ days: ['sun'], from: '00:00', to: '00:00' }] } },
    ],
    ['the rarest cron: once a year', { schedule: { cron: '0 0 24 12 *' } }],
    ['Friday the 13th', { schedule: { cron: '0 12 13 * +FRI' } }],
    [
      'cron that is quiet on six days',
      { schedule: { cron: '0 3 * * *', quiet_hours: [{ ...night, days: WEEK.slice(1) }] } },
    ],
    ['promql alone', metric({ promql: 'up' })],
    [
      'just enough history',
      metric({ metric: 'm', window_seconds: 600, condition: { type: 'baseline', history_seconds: 1_200 } }),
    ],
    [
      'a callee that may be missing',
      { check: { type: 'dependency', source: 's', callee: 'x', condition: { type: 'missing' } } },
    ],
    ['the whole answer', value('', '==', 'ok')],
    ['an escaped pointer', value('/a~1b/~0/0/', '!=', false)],
    ['a key without placeholders', { dedup_key: 'shop is down' }],
    [
      'a check that takes longer than its interval',
      { check: { type: 'instruction', instruction: 'Look.', max_minutes: 30 } },
    ],
  ];
  for (const [name, changes] of accepted) {
    it(`but not ${name}`, () => assert.deepEqual(said(changes), []));
  }
});

describe('plan: what keeps a plan from being carried out', () => {
  it('two checks of one id, said at the later one', () => {
    const checks = [written(), written({ id: 'other' }), written(), written()];
    assert.deepEqual(
      planProblems(Plan.parse({ checks })).map(({ path }) => path.join('.')),
      ['checks.2.id', 'checks.3.id'],
    );
  });

  it('more bytes than travel in a signal, counted in UTF-8', () => {
    const instruction = (text: string) => written({ check: { type: 'instruction', instruction: text } });
    const plan = (text: string) =>
      Plan.parse({ checks: Array.from({ length: 8 }, (_, index) => ({ ...instruction(text), id: `check${index}` })) });
    assert.deepEqual(planProblems(plan('e'.repeat(5_000))), []);
    const [problem, ...others] = planProblems(plan('é'.repeat(5_000)));
    assert.deepEqual([problem?.path, others], [[], []]);
    assert.match(problem!.message, new RegExp(`at most ${MAX_PLAN_BYTES} bytes as JSON; it has 8\\d{4}$`));
  });
});
