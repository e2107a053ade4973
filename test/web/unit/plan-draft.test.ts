import assert from 'node:assert/strict';
import { parsePlan } from '../../../src/features/monitoring-agents/plan/parse.ts';
import { planDifferences } from '../../../web/src/pages/monitoring/plan/differences.ts';
import * as drafts from '../../../web/src/pages/monitoring/plan/draft.ts';
import { mapIssues, targetOf } from '../../../web/src/pages/monitoring/plan/issues.ts';
import { valueAt, withValue } from '../../../web/src/pages/monitoring/plan/json.ts';
import { readers } from '../../../web/src/pages/monitoring/plan/text-values.ts';
import { periodWords, scheduleWords } from '../../../web/src/pages/monitoring/plan/words.ts';

const check = (id: string, title = id) => ({
  id,
  title,
  check: {
    type: 'metric',
    source: 'prometheus',
    metric: 'up',
    condition: { type: 'threshold', operator: '>', value: 1 },
  },
  schedule: { every_seconds: 60 },
});
const ids = (draft: drafts.PlanDraft): unknown[] => draft.checks.map(({ value }) => value['id']);

describe('a plan while it is written', () => {
  const draft = drafts.draftOf({ summary: 's', checks: [check('a'), check('b'), check('c')] });
  const [a, b, c] = draft.checks.map(({ key }) => key) as [string, string, string];

  it('is moved, copied, removed and added to; nothing is changed in place', () => {
    assert.deepEqual(ids(drafts.moveCheck(draft, c, -1)), ['a', 'c', 'b']);
    assert.deepEqual(ids(drafts.moveCheck(draft, a, 1)), ['b', 'a', 'c']);
    assert.equal(drafts.moveCheck(draft, a, -1), draft);
    assert.equal(drafts.moveCheck(draft, c, 1), draft);
    assert.deepEqual(ids(drafts.removeCheck(draft, b)), ['a', 'c']);
    const twice = drafts.duplicateCheck(drafts.duplicateCheck(draft, a)!.draft, a)!;
    assert.deepEqual(ids(twice.draft), ['a', 'a-3', 'a-2', 'b', 'c']);
    assert.equal(twice.added.value['title'], 'Copy of a');
    const added = drafts.addCheck(drafts.addCheck(draft, 'log_pattern').draft, 'log_pattern');
    assert.deepEqual(ids(added.draft).slice(3), ['log-pattern', 'log-pattern-2']);
    assert.deepEqual(ids(draft), ['a', 'b', 'c']);
  });

  it('is the same plan in another order of members, and not in another order of checks', () => {
    const { schedule, ...rest } = check('a');
    assert.ok(
      drafts.isSamePlan(drafts.draftOf({ checks: [check('a')] }), drafts.draftOf({ checks: [{ schedule, ...rest }] })),
    );
    assert.ok(!drafts.isSamePlan(draft, drafts.moveCheck(draft, a, 1)));
  });

  it('keeps the keys of checks when another version is taken', () => {
    const taken = drafts.draftOf({ checks: [check('c'), check('new'), check('a'), check('a')] }, draft);
    assert.deepEqual([taken.checks[0]!.key, taken.checks[2]!.key], [c, a]);
    assert.equal(new Set(taken.checks.map(({ key }) => key)).size, 4);
  });

  it('is read from JSON, or says why it cannot be', () => {
    const read = drafts.readDraft(JSON.stringify({ checks: [check('b')] }), draft);
    assert.ok('draft' in read && read.draft.checks[0]!.key === b);
    for (const [text, why] of [
      ['{', /not valid JSON/],
      ['[]', /an object/],
      ['{"checks": [1]}', /list of objects/],
      ['{"summary": 1}', /"summary" must be a string/],
      ['{"active": true}', /Unknown property "active"/],
    ] as const) {
      const refused = drafts.readDraft(text, draft);
      assert.match('problem' in refused ? refused.problem : '', why, text);
    }
  });
});

describe('what is wrong with a plan', () => {
  const wrong = drafts.draftOf({
    summary: 'x'.repeat(2_001),
    checks: [
      { ...check('A B'), schedule: { every_seconds: 1, quiet_hours: [{ from: 'noon', to: '06:00' }] } },
      {
        ...check('b', 'Second'),
        check: { type: 'metric', source: 'p', condition: { type: 'threshold', operator: '>', value: 'much' } },
      },
      { ...check('b', 'Third'), check: { type: 'unheard' }, odd: 1 },
    ],
  });
  const parsed = parsePlan(drafts.planIn(wrong));
  assert.ok('problems' in parsed);
  const told = parsed.problems.map(({ path, message }) => ({ path: ['plan', ...path].join('.'), message }));
  const issues = mapIssues(told, wrong);
  const [first, second, third] = wrong.checks.map(({ key }) => key) as [string, string, string];

  it('is shown at its field, in the words of the API', () => {
    assert.match(issues.at(first, 'id') ?? '', /only a-z/);
    assert.match(issues.at(first, 'schedule.every_seconds') ?? '', /greater than or equal to 5/);
    assert.match(issues.at(first, 'schedule.quiet_hours') ?? '', /time of day/, 'below the field');
    assert.match(issues.at(second, 'check.condition.value') ?? '', /valid number/);
    assert.match(issues.at(third, 'check.type') ?? '', /discriminator/);
    assert.equal(issues.at(second, 'title'), undefined);
    assert.equal(issues.at(first, 'check'), undefined);
  });

  it('is shown at the check, or at the plan, where no field is about it; nothing is lost', () => {
    assert.match(
      issues
        .ofCheck(third)
        .map(({ path }) => path)
        .join(),
      /odd/,
    );
    assert.deepEqual(
      issues.ofPlan.map(({ path, place }) => [path, place]),
      [['summary', 'Summary']],
    );
    assert.equal(issues.all.length, told.length);
    const counted = [first, second, third].reduce((sum, key) => sum + issues.count(key), issues.ofPlan.length);
    assert.equal(counted, told.length);
  });

  it('is called as the field is, and leads there', () => {
    const value = issues.all.find(({ path }) => path === 'check.condition.value')!;
    assert.equal(value.place, 'Second: Threshold');
    assert.equal(targetOf(value, wrong), `${second}-check-condition-value`);
    assert.equal(targetOf(issues.ofCheck(third)[0]!, wrong), third);
    assert.equal(targetOf(issues.ofPlan[0]!, wrong), 'plan-summary');
    assert.equal(targetOf({ path: '', message: '', place: '' }, wrong), undefined);
  });

  it('stays with its check when checks are moved', () => {
    const moved = drafts.moveCheck(wrong, third, -1);
    assert.equal(targetOf(issues.ofCheck(third)[0]!, moved), third);
  });
});

describe('the difference of two plans', () => {
  it('names what was added, removed, changed and moved, with its fields', () => {
    const changed = withValue(withValue(check('a', 'Up'), 'schedule.every_seconds', 300), 'check.condition.value', 2);
    const before = { summary: 'One', checks: [check('a', 'Up'), check('b'), check('gone')] };
    const after = {
      summary: 'Two',
      checks: [check('b'), changed, { ...check('new'), enabled: true, on_finding: ['notify', 'investigate'] }],
    };
    const differences = planDifferences(before, after);
    assert.deepEqual(
      differences.map(({ title, kind }) => `${kind} ${title}`),
      ['changed Summary', 'moved b', 'changed Up', 'added new', 'removed gone'],
    );
    assert.deepEqual(differences[2]!.changes, [
      { place: 'Threshold', before: '1', after: '2' },
      { place: 'Every', before: '1 minute', after: '5 minutes' },
    ]);
    assert.deepEqual(planDifferences(before, structuredClone(before)), []);
    const words = new Map(differences[3]!.changes.map((change) => [change.place, change.after]));
    assert.deepEqual(
      ['Type', 'Response', 'Enabled', 'Condition'].map((place) => words.get(place)),
      ['Metric', 'Notify the channel, Start an investigation', 'yes', 'Threshold'],
    );
    assert.ok(differences[3]!.changes.every((change) => !('before' in change)));
  });
});

describe('values as people write them', () => {
  it('are read, shown, and read again as the same', () => {
    const cases = [
      ['number', '0.05', 0.05],
      ['number', '1e3', 1000],
      ['number', '', undefined],
      ['number', 'much', 'much'],
      ['lines', ' a \n\nb', ['a', 'b']],
      ['lines', ' \n', undefined],
      ['labels', 'job=a=b\nenv = live\nbare', { job: 'a=b', env: 'live', bare: '' }],
      ['json', '{"a": [1]}', { a: [1] }],
      ['json', '{"a"', '{"a"'],
      ['scalar', '5', 5],
      ['scalar', '"5"', '5'],
      ['scalar', 'true', true],
      ['scalar', 'up', 'up'],
      ['text', '', undefined],
    ] as const;
    for (const [kind, text, value] of cases) {
      const { read, show } = readers[kind];
      assert.deepEqual(read(text, {}), value, `${kind} ${text}`);
      assert.deepEqual(read(show(value), {}), value, `${kind} ${text} shown`);
    }
    assert.equal(readers.text.read('', { standard: '' }), '', 'what a check must have stays');
  });

  it('are taken by path, and nothing else is touched', () => {
    const plan = { a: { b: 1 }, c: [1] };
    assert.deepEqual(withValue(plan, 'a.x.y', 2), { a: { b: 1, x: { y: 2 } }, c: [1] });
    assert.deepEqual(withValue(plan, 'a.b', undefined), { a: {}, c: [1] });
    assert.equal(withValue(plan, 'n.o', undefined), plan);
    assert.equal(valueAt(plan, 'c.0'), undefined);
    assert.deepEqual(plan, { a: { b: 1 }, c: [1] });
  });
});

describe('a schedule in words', () => {
  it('says a rhythm, or that there is none yet', () => {
    assert.deepEqual([90, 60, 3_600, 172_800].map(periodWords), ['90 seconds', '1 minute', '1 hour', '2 days']);
    assert.equal(scheduleWords({ every_seconds: 60, quiet_hours: [{}] }), 'every minute, with quiet hours');
    assert.equal(scheduleWords({ cron: '0 9 * * *', time_zone: 'Europe/Berlin' }), 'cron 0 9 * * * (Europe/Berlin)');
    assert.equal(scheduleWords({ every_seconds: 'x' }), 'no schedule');
    assert.equal(scheduleWords(undefined), 'no schedule');
  });
});
