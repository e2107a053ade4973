import assert from 'node:assert/strict';
import { applyPatch, mergePlan, PlanPatch } from '../../../../src/features/monitoring-agents/plan/merge.ts';
import type { Check, Plan } from '../../../../src/features/monitoring-agents/plan/schema.ts';
import { lines, planOf, written } from './written.ts';

const current = planOf(
  written(),
  written({
    id: 'logs',
    check: { type: 'log_pattern', source: 'loki', service: 'shop', pattern: 'panic', condition: { type: 'count' } },
    schedule: { cron: '0 9 * * 1-5', time_zone: 'Europe/Berlin', quiet_hours: [{ from: '22:00', to: '06:00' }] },
  }),
);

function patched(patch: unknown): Plan {
  const parsed = applyPatch(current, PlanPatch.parse(patch));
  if ('problems' in parsed) throw new Error(lines(parsed.problems).join('\n'));
  return parsed.plan;
}
const refused = (patch: unknown): string[] => {
  const parsed = applyPatch(current, PlanPatch.parse(patch));
  return 'problems' in parsed ? lines(parsed.problems) : [];
};
const check = (plan: Plan, id: string): Check => plan.checks.find((check) => check.id === id)!;

describe('plan: merging a patch', () => {
  it('what it does not name stays', () => {
    assert.deepEqual(patched({}), current);
    const plan = patched({ checks: [{ id: 'latency', severity: 'critical' }] });
    assert.deepEqual(plan, {
      ...current,
      checks: [{ ...current.checks[0]!, severity: 'critical' }, current.checks[1]],
    });
    assert.equal(patched({ summary: 'New.' }).summary, 'New.');
  });

  it('objects are merged, lists and values replaced', () => {
    const plan = patched({
      checks: [{ id: 'latency', check: { condition: { value: 2 }, labels: { a: 'b' } }, on_finding: ['notify'] }],
    });
    assert.deepEqual(check(plan, 'latency').check, {
      ...current.checks[0]!.check,
      condition: { type: 'threshold', operator: '>', value: 2 },
      labels: { a: 'b' },
    });
    assert.deepEqual(check(plan, 'latency').on_finding, ['notify']);
    const logs = check(patched({ checks: [{ id: 'logs', schedule: { quiet_hours: [] } }] }), 'logs');
    assert.deepEqual(logs.schedule, { cron: '0 9 * * 1-5', time_zone: 'Europe/Berlin', quiet_hours: [] });
  });

  it('null takes an optional member out', () => {
    const plan = patched({ checks: [{ id: 'logs', check: { pattern: null }, severity: null }] });
    assert.ok(!('pattern' in check(plan, 'logs').check));
    assert.equal(check(plan, 'logs').severity, 'warning');
    assert.deepEqual(refused({ checks: [{ id: 'logs', title: null }] }), ['checks.0.title: Field required']);
  });

  it('another type of check or condition replaces it whole', () => {
    const instruction = { type: 'instruction', instruction: 'Look.' };
    assert.deepEqual(check(patched({ checks: [{ id: 'latency', check: instruction }] }), 'latency').check, {
      ...instruction,
      max_steps: 12,
      max_minutes: 5,
    });
    const learned = check(
      patched({ checks: [{ id: 'latency', check: { condition: { type: 'baseline' } } }] }),
      'latency',
    );
    assert.ok(learned.check.type === 'metric' && learned.check.metric === 'latency');
    assert.deepEqual(learned.check.condition, {
      type: 'baseline',
      direction: 'above',
      deviations: 4,
      history_seconds: 3_600,
      least_change: 0,
    });
    const same = patched({ checks: [{ id: 'logs', check: { type: 'log_pattern', level: 'error' } }] });
    assert.ok(check(same, 'logs').check.type === 'log_pattern' && 'pattern' in check(same, 'logs').check);
  });

  it('an argument called type is an argument', () => {
    const tool = {
      type: 'mcp_tool',
      tool: 'look',
      arguments: { where: { type: 'a', deep: 1 } },
      condition: { type: 'contains', text: 'x' },
    };
    const before = planOf(written({ check: tool }));
    const merged = mergePlan(
      before,
      PlanPatch.parse({ checks: [{ id: 'latency', check: { arguments: { where: { type: 'b' } } } }] }),
    );
    assert.deepEqual((merged as Plan).checks[0]!.check, { ...tool, arguments: { where: { type: 'b', deep: 1 } } });
  });

  it('an interval replaces cron and the other way round', () => {
    const interval = check(patched({ checks: [{ id: 'logs', schedule: { every_seconds: 60 } }] }), 'logs');
    assert.equal(interval.schedule.cron, undefined);
    assert.equal(interval.schedule.time_zone, 'Europe/Berlin');
    const cron = check(patched({ checks: [{ id: 'latency', schedule: { cron: '0 9 * * *' } }] }), 'latency');
    assert.equal(cron.schedule.every_seconds, undefined);
    assert.match(
      refused({ checks: [{ id: 'latency', schedule: { cron: '0 9 * * *', every_seconds: 60 } }] })[0]!,
      /exactly one/,
    );
  });

  it('new checks come at the end, removed ones go, the others keep their order', () => {
    const plan = patched({
      checks: [written({ id: 'new' }), { id: 'latency', remove: true }, written({ id: 'newer' })],
    });
    assert.deepEqual(
      plan.checks.map(({ id }) => id),
      ['logs', 'new', 'newer'],
    );
  });

  it('leaves the plan and the patch as they were, and shares nothing with them', () => {
    const before = structuredClone(current);
    const patch = PlanPatch.parse({
      checks: [{ id: 'logs', schedule: { quiet_hours: [{ from: '01:00', to: '02:00' }] } }],
    });
    const copy = structuredClone(patch);
    const merged = mergePlan(current, patch) as { checks: { schedule: { quiet_hours: unknown[] } }[] };
    merged.checks[1]!.schedule.quiet_hours.push('changed');
    merged.checks[0]!.schedule.quiet_hours.push('changed');
    assert.deepEqual([current, patch], [before, copy]);
  });
});

describe('plan: patches that are refused', () => {
  it('one that removes what is not there, with what is', () => {
    assert.deepEqual(refused({ checks: [{ id: 'ghost', remove: true }] }), [
      'checks.0.id: There is no check "ghost" to remove. The plan has latency, logs',
    ]);
  });

  it('one that names a check twice', () => {
    assert.deepEqual(
      refused({
        checks: [
          { id: 'logs', remove: true },
          { id: 'logs', severity: 'info' },
        ],
      }).slice(0, 1),
      ['checks.1.id: A patch should name each check once'],
    );
  });

  it('every reason at once, each at its place in the patch', () => {
    const found = refused({
      checks: [
        { id: 'ghost', remove: true },
        { id: 'new', title: 'New' },
        { id: 'logs', schedule: { cron: '61 * * * *' } },
        { id: 'latency', colour: 'red' },
      ],
    });
    assert.deepEqual(
      new Set(found.map((line) => line.split(':')[0])),
      new Set(['checks.0.id', 'checks.1.check', 'checks.1.schedule', 'checks.2.schedule.cron', 'checks.3.colour']),
    );
  });

  it('by their form', () => {
    for (const patch of [
      null,
      [],
      { colour: 'red' },
      { checks: [{}] },
      { checks: [{ id: 'Bad Id' }] },
      { checks: [{ id: 'logs', remove: false }] },
      { checks: [{ id: 'logs', remove: true, severity: 'info' }] },
      { checks: [{ id: 'logs', check: () => 1 }] },
      { checks: Array.from({ length: 101 }, (_, index) => ({ id: `c${index}` })) },
    ]) {
      assert.equal(PlanPatch.safeParse(patch).success, false, JSON.stringify(patch));
    }
  });

  it('with every reason: of their form, and of what can be merged all the same, at the places where they were written', () => {
    const parsed = applyPatch(current, {
      colour: 'red',
      summary: 7,
      checks: [
        { id: 'Bad Id', title: '', schedule: { every_seconds: 60 } },
        'logs',
        { id: 'logs', remove: false, severity: 'loud' },
        { id: 'nowhere', remove: true },
        { title: 'Nameless' },
      ],
    });
    assert.ok('problems' in parsed);
    const places = parsed.problems.map(({ path, type }) => `${path.join('.')} ${type}`);
    for (const place of [
      'colour extra_forbidden',
      'summary string_type',
      'checks.0.id string_pattern_mismatch',
      'checks.0.title string_too_short',
      'checks.0.check missing',
      'checks.1 model_attributes_type',
      'checks.2.remove literal_error',
      'checks.2.severity literal_error',
      'checks.3.id value_error',
      'checks.4.id missing',
      'checks.4.schedule missing',
    ]) {
      assert.ok(places.includes(place), `${place} is not in ${places.join(', ')}`);
    }
    assert.equal(new Set(places).size, places.length, 'each once');
  });

  it('members called __proto__ pollute nothing', () => {
    const text = '{"checks": [{"id": "logs", "__proto__": {"polluted": 1}, "check": {"__proto__": {"polluted": 1}}}]}';
    const raw = JSON.parse(text) as PlanPatch;
    const parsed = applyPatch(current, raw);
    assert.ok('problems' in parsed && lines(parsed.problems).every((line) => line.includes('__proto__: Extra inputs')));
    const formed = PlanPatch.safeParse(raw);
    if (formed.success) applyPatch(current, formed.data);
    assert.equal('polluted' in {}, false);
  });
});
