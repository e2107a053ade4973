import assert from 'node:assert/strict';
import fc from 'fast-check';
import { invalidPlan, parsePlan } from '../../../../src/features/monitoring-agents/plan/parse.ts';
import { MAX_CHECKS, Plan } from '../../../../src/features/monitoring-agents/plan/schema.ts';
import { lines, problemsOf, written } from './written.ts';

const paths = (plan: unknown): string[] => problemsOf(plan).map(({ path }) => path.join('.'));

describe('plan: read from what somebody wrote', () => {
  it('with its defaults', () => {
    const parsed = parsePlan({ checks: [written()] });
    assert.ok('plan' in parsed);
    assert.equal(parsed.plan.checks[0]!.dedup_key, '{check}/{subject}');
    assert.equal(parsed.plan.checks[0]!.schedule.time_zone, 'UTC');
    assert.deepEqual(parsePlan({}), { plan: { summary: '', checks: [] } });
    assert.deepEqual(parsePlan(parsed.plan), parsed);
  });

  it('or every reason at once: of the form, and of checks whose form is right', () => {
    const plan = {
      colour: 'red',
      checks: [
        written({ schedule: { cron: '61 * * * *' }, dedup_key: '{nothing}' }),
        written({ id: 'Bad Id', severity: 'fatal' }),
        7,
        written({ id: 'ghost', check: { type: 'ghost' } }),
        written(),
        { id: 'latency' },
      ],
    };
    assert.deepEqual(
      new Set(paths(plan)),
      new Set([
        'colour',
        'checks.0.schedule.cron',
        'checks.0.dedup_key',
        'checks.1.id',
        'checks.1.severity',
        'checks.2',
        'checks.3.check.type',
        'checks.4.id',
        'checks.5.id',
        'checks.5.title',
        'checks.5.check',
        'checks.5.schedule',
      ]),
    );
  });

  it('bounds what a plan may cost, and keeps to its own keys', () => {
    const often = Array.from({ length: 11 }, (_, index) =>
      written({ id: `c${index}`, schedule: { every_seconds: 5 } }),
    );
    assert.match(
      lines(problemsOf({ checks: often })).join(),
      /checks: .*at most 120 times a minute together; these would 132/,
    );
    assert.deepEqual(problemsOf({ checks: often.slice(0, 10) }), []);
    const instruction = { check: { type: 'instruction', instruction: 'Look.' }, schedule: { every_seconds: 59 } };
    assert.deepEqual(paths({ checks: [written(instruction)] }), ['checks.0.schedule.every_seconds']);
    assert.deepEqual(paths({ checks: [written({ dedup_key: 'agent/health' })] }), ['checks.0.dedup_key']);
  });

  it('names problems as answers to requests do', () => {
    const problems = problemsOf({ checks: [written({ title: undefined, schedule: { cron: '0 0 30 2 *' } })] });
    assert.deepEqual(
      problems.map(({ type, path }) => [type, path.join('.')]),
      [['missing', 'checks.0.title']],
    );
    const error = invalidPlan(
      problemsOf({ checks: [written({ severity: 'fatal' }), written({ id: 'b', schedule: { cron: '0 0 30 2 *' } })] }),
      ['body', 'plan'],
    );
    assert.equal(error.status, 422);
    assert.deepEqual(error.body(), {
      detail: [
        {
          type: 'literal_error',
          loc: ['body', 'plan', 'checks', 0, 'severity'],
          msg: "Input should be 'info' or 'warning' or 'critical'",
          input: 'fatal',
          ctx: { expected: "'info' or 'warning' or 'critical'" },
        },
        {
          type: 'value_error',
          loc: ['body', 'plan', 'checks', 1, 'schedule', 'cron'],
          msg: 'Cron expression should fire in every year: this one leaves out years, or never fires',
          input: '0 0 30 2 *',
        },
      ],
    });
  });

  it('repeats no credential that was put into it', () => {
    const plan = {
      checks: [written({ check: { type: 'mcp_tool', tool: 'X', arguments: { api_key: 's3cret' }, condition: 1 } })],
    };
    assert.ok(problemsOf(plan).length > 0);
    assert.ok(!JSON.stringify(problemsOf(plan)).includes('s3cret'));
  });
});

describe('plan: hostile input', () => {
  const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  const argued = (args: unknown) =>
    written({ check: { type: 'mcp_tool', tool: 'look', arguments: args, condition: { type: 'contains', text: 'x' } } });
  const circular: Record<string, unknown> = {};
  circular.checks = [circular];
  const trapped = new Proxy({}, { ownKeys: () => assert.fail('trap') });

  const hostile: [string, () => unknown, RegExp][] = [
    ['nothing', () => undefined, /^: Field required$/],
    ['null', () => null, /^: Input should be a valid dictionary/],
    ['a list', () => [], /^: Input should be a valid dictionary/],
    ['a function', () => () => 1, /^: Field required$/],
    ['a number that JSON has not', () => ({ checks: [written({ confirmations: NaN })] }), /confirmations/],
    ['a big integer', () => ({ checks: 10n }), /^: Plan should be plain JSON/],
    ['a cycle', () => circular, /^: Plan should be plain JSON/],
    ['an object that throws', () => trapped, /^: Plan should be plain JSON/],
    [
      'a getter that throws',
      () => ({
        get checks() {
          throw new Error('no');
        },
      }),
      /^: Plan should be plain JSON/,
    ],
    ['nesting that exhausts the stack', () => ({ checks: nested(5_000) }), /nested|plain JSON/],
    [
      'nesting in arguments that exhausts the stack',
      () => ({ checks: [argued({ a: nested(4_000) })] }),
      /nested|plain JSON/,
    ],
    ['nesting in arguments', () => ({ checks: [argued({ a: nested(500) })] }), /nested deeper than 100/],
    ['a NUL in the summary', () => ({ summary: 'a\0b' }), /^summary: .*null characters/],
    ['a NUL in arguments', () => ({ checks: [argued({ a: ['\0'] })] }), /^checks\.0\.check\.arguments\.a\.0: .*null/],
    [
      'a NUL in the name of an argument',
      () => ({ checks: [argued({ 'a\0': 1 })] }),
      /^checks\.0\.check\.arguments: .*null/,
    ],
    ['a lone surrogate', () => ({ summary: '\ud800' }), /^summary: .*unicode/],
    ['__proto__', () => JSON.parse('{"__proto__": {"checks": []}}'), /^__proto__: Extra inputs/],
    [
      '__proto__ in a check',
      () => ({ checks: [JSON.parse('{"__proto__": {"id": "x"}}')] }),
      /^checks\.0\.__proto__: Extra inputs/,
    ],
    [
      '__proto__ in arguments',
      () => ({ checks: [argued(JSON.parse('{"__proto__": {"admin": true}}'))] }),
      /arguments\.__proto__: Extra/,
    ],
    ['constructor', () => JSON.parse('{"constructor": {"prototype": {}}}'), /^constructor: Extra inputs/],
    [
      'a hundred thousand checks',
      () => ({ checks: Array(90_000).fill(1) }),
      /^checks: List should have at most 50 items/,
    ],
    [
      'megabytes',
      () => ({ summary: 'x'.repeat(5_000_000) }),
      /^: Plan should have at most 48000 bytes as JSON; it has 5000014$/,
    ],
    [
      'a time zone that is none',
      () => ({ checks: [written({ schedule: { every_seconds: 60, time_zone: '../etc' } })] }),
      /time_zone/,
    ],
    [
      'a pattern made to be slow',
      () => ({ checks: [written({ schedule: { cron: `${'*/1,'.repeat(20)}* * * * *` } })] }),
      /^$/,
    ],
  ];
  for (const [name, make, reason] of hostile) {
    it(`${name} is a problem, no error`, () => {
      const problems = problemsOf(make());
      if (reason.source === '^$') return assert.deepEqual(problems, []);
      assert.ok(
        lines(problems).some((line) => reason.test(line)),
        lines(problems).slice(0, 5).join('\n'),
      );
      assert.ok(problems.length <= 100);
      assert.ok(JSON.stringify(problems).length < 100_000);
    });
  }

  it('does not change what all objects have', () => {
    problemsOf(JSON.parse('{"__proto__": {"polluted": true}, "checks": [{"__proto__": {"polluted": true}}]}'));
    assert.equal('polluted' in {}, false);
  });

  it('a plan that is too long says what else is wrong with it', () => {
    const found = paths({
      checks: Array.from({ length: MAX_CHECKS + 1 }, (_, index) => written({ id: `c${index}`, dedup_key: '{x}' })),
    });
    assert.ok(
      found.includes('checks') && found.includes('checks.0.dedup_key') && found.includes('checks.49.dedup_key'),
    );
  });

  it('whatever is put anywhere into a plan, it is a plan or has problems', () => {
    const junk = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
    });
    const place = fc.constantFrom('id', 'title', 'check', 'schedule', 'severity', 'dedup_key', 'on_finding', 'extra');
    fc.assert(
      fc.property(fc.array(fc.tuple(place, junk), { maxLength: 3 }), junk, (changes, summary) => {
        const parsed = parsePlan({ summary, checks: [written(Object.fromEntries(changes))] });
        if ('plan' in parsed) assert.deepEqual(Plan.parse(parsed.plan), parsed.plan);
        else assert.ok(parsed.problems.length > 0 && parsed.problems.every(({ message }) => message.length > 0));
      }),
      { numRuns: 300 },
    );
  });
});
