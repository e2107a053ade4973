/** The form of a plan beside the schema that the API takes. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { checkProblems } from '../../../src/features/monitoring-agents/plan/problems.ts';
import { Check, CHECK_TYPES } from '../../../src/features/monitoring-agents/plan/schema.ts';
import type { Field, ValueField } from '../../../web/src/pages/monitoring/plan/field-types.ts';
import { CHECK_FORM } from '../../../web/src/pages/monitoring/plan/fields.ts';
import { choose, labelOf, newCheck, shownFields, variantOf } from '../../../web/src/pages/monitoring/plan/form.ts';
import { valueAt, withValue, type JsonObject } from '../../../web/src/pages/monitoring/plan/json.ts';
import { CHECK_KINDS } from '../../../web/src/pages/monitoring/plan/kinds.ts';

interface Leaf {
  default?: unknown;
  minimum?: number;
  maximum?: number;
  enum?: unknown[];
  type?: string;
}
type Node = Leaf & {
  properties?: Record<string, Node>;
  oneOf?: Node[];
  anyOf?: Node[];
  const?: unknown;
  $ref?: string;
};

const document = z.toJSONSchema(Check, { io: 'input', unrepresentable: 'any' }) as Node & {
  $defs?: Record<string, Node>;
};
const resolve = (node: Node): Node =>
  node.$ref === undefined ? node : resolve(document.$defs![node.$ref.replace('#/$defs/', '')]!);

/** Every member that a check can have, by kind of check and path; the values of quiet hours are one member. */
function members(node: Node, path: string, kind: string): Map<string, Leaf> {
  const { properties, oneOf } = resolve(node);
  if (path === 'schedule.quiet_hours') return new Map([[`${kind} ${path}`, resolve(node)]]);
  if (oneOf)
    return new Map(oneOf.flatMap((option) => [...members(option, path, path === 'check' ? typeOf(option) : kind)]));
  if (!properties) return new Map([[`${kind} ${path}`, { ...resolve(node), ...node }]]);
  return new Map(
    Object.entries(properties).flatMap(([name, inner]) => [
      ...members(inner, path === '' ? name : `${path}.${name}`, kind),
    ]),
  );
}
const typeOf = (option: Node): string => String(resolve(option).properties!['type']!.const);

/** What the form can set, in the same way. */
function formed(fields: readonly Field[], kind: string): [string, ValueField | undefined][] {
  return fields.flatMap((field): [string, ValueField | undefined][] => {
    if (field.kind !== 'choice') return [[`${kind} ${field.path}`, field]];
    const isKind = field.path === 'check.type';
    return field.variants.flatMap((variant): [string, ValueField | undefined][] => {
      const inner = isKind ? variant.value : kind;
      return [
        ...(field.path === undefined ? [] : [[`${inner} ${field.path}`, undefined] as [string, undefined]]),
        ...formed(variant.fields, inner),
      ];
    });
  });
}

const wanted = members(document, '', '');
const shown = formed(
  CHECK_FORM.flatMap(({ fields }) => fields),
  '',
);

describe('the form of a plan', () => {
  it('has a field for every member that the API takes, and no other', () => {
    const had = new Set(shown.map(([path]) => path));
    assert.deepEqual([...had].toSorted(), [...wanted.keys()].toSorted());
    assert.ok(had.size > 50);
    assert.deepEqual(
      CHECK_KINDS.map(({ value }) => value),
      CHECK_TYPES,
    );
  });

  it('has the bounds, the choices and the defaults of the API', () => {
    // Members that kinds or conditions share are looked at once: any of them may be the one of the field.
    let compared = 0;
    for (const [path, field] of shown) {
      const leaf = wanted.get(path);
      if (!field || !leaf) continue;
      if (field.options && leaf.enum)
        assert.deepEqual(
          field.options.map(({ value }) => value),
          leaf.enum,
          path,
        );
      if (leaf.default !== undefined && !path.endsWith('at_least') && !path.endsWith('condition.history_seconds')) {
        assert.deepEqual(field.standard, leaf.default, path);
        compared++;
      }
      if (field.kind === 'duration' && !path.endsWith('condition.history_seconds')) {
        assert.deepEqual([field.least, field.most], [leaf.minimum, leaf.maximum], path);
      }
    }
    assert.ok(compared > 20);
  });

  for (const type of CHECK_TYPES) {
    it(`begins a check of the kind ${type} with what the API would fill in`, () => {
      const blank = newCheck(type, 'new');
      const required = [
        'title',
        'check.source',
        'check.metric',
        'check.tool',
        'check.condition.text',
        'check.instruction',
      ];
      const filled = required.reduce<JsonObject>(
        (check, path) =>
          valueAt(check, path) === '' ? withValue(check, path, path === 'check.tool' ? 'a_tool' : 'x') : check,
        blank,
      );
      const parsed = Check.parse(filled);
      assert.deepEqual(checkProblems(parsed), []);
      assert.deepEqual(parsed, filled, 'nothing is left to fill in');
    });

    it(`shows each member of a check of the kind ${type} at one field, whichever ways are taken`, () => {
      const ways = (check: JsonObject, fields: readonly Field[]): JsonObject[] =>
        fields.flatMap((field) => {
          if (field.kind !== 'choice' || field.path === 'check.type') return [];
          return field.variants.map(({ value }) => choose(field, value, check));
        });
      const kind = CHECK_KINDS.find(({ value }) => value === type)!;
      const fresh = newCheck(type, 'new');
      for (const check of [fresh, ...ways(fresh, kind.fields), ...ways(fresh, CHECK_FORM[2]!.fields)]) {
        const paths = shownFields(
          CHECK_FORM.flatMap(({ fields }) => fields),
          check,
        ).map(({ path }) => path);
        assert.equal(new Set(paths).size, paths.length, paths.join());
        for (const path of paths) assert.notEqual(labelOf(path, check), path);
      }
    });
  }

  it('takes another way: what only the other had goes, what both have stays', () => {
    const condition = CHECK_KINDS[0]!.fields.find((field) => field.kind === 'choice' && field.path !== undefined)!;
    assert.ok(condition.kind === 'choice');
    const fresh = newCheck('metric', 'a');
    const learned = choose(condition, 'baseline', fresh);
    assert.deepEqual(learned['check'] && valueAt(learned, 'check.condition'), {
      type: 'baseline',
      direction: 'above',
      deviations: 4,
      history_seconds: 3600,
      least_change: 0,
    });
    assert.deepEqual(
      valueAt(choose(condition, 'threshold', learned), 'check.condition'),
      valueAt(fresh, 'check.condition'),
    );
    const kind = CHECK_FORM[1]!.fields[0]!;
    assert.ok(kind.kind === 'choice');
    const named = withValue(withValue(fresh, 'check.source', 'prometheus'), 'check.labels', { job: 'a' });
    const logs = choose(kind, 'log_pattern', named);
    assert.equal(valueAt(logs, 'check.source'), 'prometheus');
    assert.equal(valueAt(logs, 'check.labels'), undefined);
    assert.equal(variantOf(kind, { check: { type: 'unheard of' } }), undefined);
  });
});
