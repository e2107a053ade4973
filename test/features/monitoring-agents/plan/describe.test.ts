import assert from 'node:assert/strict';
import { describeCheck, describePlan, diffPlans } from '../../../../src/features/monitoring-agents/plan/describe.ts';
import { checkOf, planOf, written } from './written.ts';

const subject = (check: Record<string, unknown>): string =>
  describeCheck(checkOf({ check: { source: 's', ...check } }));

describe('plan: in words', () => {
  it('checks of every type, a line each', () => {
    const threshold = { type: 'threshold', operator: '>', value: 0.5 };
    assert.deepEqual(
      [
        subject({ type: 'metric', metric: 'latency', statistic: 'p95', service: 'checkout', condition: threshold }),
        subject({
          type: 'metric',
          promql: 'up{a="b"}',
          aggregate: 'last',
          condition: { ...threshold, operator: '==' },
        }),
        subject({
          type: 'metric',
          metric: 'm',
          labels: { a: 'b' },
          condition: { type: 'baseline', direction: 'both' },
        }),
        subject({
          type: 'log_pattern',
          level: 'error',
          service: 'shop',
          pattern: 'panic*',
          condition: { type: 'count' },
        }),
        subject({ type: 'log_pattern', condition: { type: 'new_pattern' } }),
        subject({ type: 'service_health', services: ['a', 'b'] }),
        subject({ type: 'service_health' }),
        subject({ type: 'dependency', caller: 'a', callee: 'b', condition: { type: 'error_ratio', above: 0.1 } }),
        subject({ type: 'dependency', callee: 'b', condition: { type: 'missing' } }),
        subject({ type: 'dependency', condition: { type: 'p95_seconds', above: 2 } }),
      ],
      [
        'p95 latency of checkout above 0.5 (mean of 5 minutes), every minute',
        'up{a="b"} equal to 0.5 (last of 5 minutes), every minute',
        'm{a="b"} 4σ above or below the previous hour (mean of 5 minutes), every minute',
        'at least 1 error log lines in 5 minutes of shop with "panic*", every minute',
        'at least 3 log lines of a new pattern in 5 minutes, every minute',
        'health of a, b deviates 6σ from the previous hour, every minute',
        'health of every service of s deviates 6σ from the previous hour, every minute',
        'error ratio of calls from a to b above 0.1 (5 minutes), every minute',
        'no calls to b (5 minutes), every minute',
        'p95 latency of calls above 2 s (5 minutes), every minute',
      ],
    );
    const of = (check: Record<string, unknown>): string => describeCheck(checkOf({ check }));
    const tool = (condition: Record<string, unknown>): string => of({ type: 'mcp_tool', tool: 'status', condition });
    assert.equal(tool({ type: 'lacks', text: 'ok' }), 'status answers without "ok", every minute');
    assert.equal(
      tool({ type: 'value', pointer: '/a', operator: '>=', value: 3 }),
      '/a of status at or above 3, every minute',
    );
    assert.equal(
      tool({ type: 'value', pointer: '', operator: '!=', value: 'x' }),
      'the answer of status other than "x", every minute',
    );
    const long = of({ type: 'instruction', instruction: `Look\n\n at ${'x'.repeat(500)}` });
    assert.ok(long.startsWith('instruction "Look at xxx') && long.length < 170 && !long.includes('\n'));
    assert.match(describeCheck(checkOf({ enabled: false })), / \(disabled\)$/);
  });

  it('a plan as a list', () => {
    const plan = planOf(written({ severity: 'critical' }), written({ id: 'b', on_finding: ['notify'], judge: true }));
    assert.equal(
      describePlan(plan),
      [
        'Watches the shop.',
        '',
        '- **Latency of checkout** (`latency`): latency above 0.5 (mean of 5 minutes), every minute; critical, then notify and investigate',
        '- **Latency of checkout** (`b`): latency above 0.5 (mean of 5 minutes), every minute; warning, judged by a model, then notify',
      ].join('\n'),
    );
    assert.equal(describePlan(planOf()), 'Watches the shop.\n\nNo checks.');
  });

  it('text of a plan is text, whatever Markdown it holds', () => {
    const plan = planOf(written({ title: '**x**\n- [a](http://b) <img src=x> `c`' }));
    const line = describePlan(plan).split('\n').at(-1)!;
    assert.ok(line.startsWith('- **\\*\\*x\\*\\* - \\[a\\](http://b) \\<img src=x\\> \\`c\\`** (`latency`)'), line);
  });
});

describe('plan: what has changed', () => {
  it('nothing', () => {
    assert.deepEqual(diffPlans(planOf(written()), planOf(written())), []);
  });

  it('members, from what to what', () => {
    const before = planOf(written(), written({ id: 'gone' }));
    const condition = { type: 'threshold', operator: '>', value: 2 };
    const after = planOf(
      written({
        severity: 'critical',
        schedule: { every_seconds: 300, quiet_hours: [{ from: '22:00', to: '06:00' }] },
        check: { type: 'metric', source: 'prometheus', metric: 'latency', condition, service: 'shop' },
      }),
      written({ id: 'new' }),
    );
    assert.deepEqual(diffPlans(before, { ...after, summary: '' }), [
      'Changed the summary: "Watches the shop." -> ""',
      'Changed latency: check.condition.value 0.5 -> 2; check.service none -> "shop"; schedule.every_seconds 60 -> 300; ' +
        'schedule.quiet_hours [] -> [{"from":"22:00","to":"06:00"}]; severity "warning" -> "critical"',
      'Added new: latency above 0.5 (mean of 5 minutes), every minute',
      'Removed gone: latency above 0.5 (mean of 5 minutes), every minute',
    ]);
  });

  it('another type is another thing, and long values are cut', () => {
    const after = planOf(written({ check: { type: 'instruction', instruction: '\ud83d\ude00'.repeat(2_000) } }));
    const [line, ...others] = diffPlans(planOf(written()), after);
    assert.deepEqual(others, []);
    assert.match(line!, /^Changed latency: check \{"type":"metric".*… -> \{"type":"instruction".*…$/);
    assert.ok(line!.length < 250 && line!.isWellFormed());
  });
});
