/** The differences between two plans, property by property. */
import type { Field } from './field-types.ts';
import { fieldAt } from './form.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { periodWords } from './words.ts';

export interface Change {
  /** The label of the field, or its path. */
  place: string;
  /** Absent if it did not exist. */
  before?: string;
  after?: string;
}

export interface Difference {
  title: string;
  kind: 'added' | 'removed' | 'changed' | 'moved';
  changes: readonly Change[];
}

interface PlanLike {
  summary?: unknown;
  checks?: readonly unknown[];
}

/** In the order of the newer plan, removals last; empty for equal plans. */
export function planDifferences(before: PlanLike, after: PlanLike): Difference[] {
  const old = checksOf(before);
  const fresh = checksOf(after);
  const summary =
    text(before.summary) === text(after.summary)
      ? []
      : [
          {
            title: 'Summary',
            kind: 'changed' as const,
            changes: [{ place: 'Summary', ...sides(before.summary, after.summary) }],
          },
        ];
  const kept = [...fresh.keys()].filter((id) => old.has(id));
  const order = [...old.keys()].filter((id) => fresh.has(id));
  const differences = [...fresh].flatMap(([id, check]): Difference[] => {
    const earlier = old.get(id);
    if (!earlier) return [{ title: titleOf(check), kind: 'added', changes: changesOf({}, check) }];
    const changes = changesOf(earlier, check);
    if (changes.length > 0) return [{ title: titleOf(check), kind: 'changed', changes }];
    const [from, to] = [order.indexOf(id), kept.indexOf(id)];
    const place = { place: 'Position', before: String(from + 1), after: String(to + 1) };
    return from === to ? [] : [{ title: titleOf(check), kind: 'moved', changes: [place] }];
  });
  const removed = [...old]
    .filter(([id]) => !fresh.has(id))
    .map(([, check]): Difference => ({ title: titleOf(check), kind: 'removed', changes: changesOf(check, {}) }));
  return [...summary, ...differences, ...removed];
}

const checksOf = ({ checks = [] }: PlanLike): Map<string, JsonObject> =>
  new Map(checks.filter(isObject).map((check) => [text(check['id']), check]));

const titleOf = (check: JsonObject): string => text(check['title']) || text(check['id']);

function changesOf(before: JsonObject, after: JsonObject): Change[] {
  const [old, fresh] = [leaves(before, before), leaves(after, after)];
  const paths = [...new Set([...old.keys(), ...fresh.keys()])];
  return paths.flatMap((path): Change[] => {
    const [was, is] = [old.get(path), fresh.get(path)];
    if (was?.value === is?.value) return [];
    const place = is?.label ?? was?.label ?? path;
    return [{ place, ...(was && { before: was.value }), ...(is && { after: is.value }) }];
  });
}

/** The values of a check by path, as their fields show them. */
function leaves(value: JsonObject, check: JsonObject, at = ''): Map<string, { label: string; value: string }> {
  const found = new Map<string, { label: string; value: string }>();
  for (const [member, inner] of Object.entries(value)) {
    const path = at === '' ? member : `${at}.${member}`;
    const field = fieldAt(path, check);
    if (isObject(inner) && field === undefined)
      for (const [below, leaf] of leaves(inner, check, path)) found.set(below, leaf);
    else {
      found.set(path, { label: field?.label ?? path, value: shown(inner, field) });
    }
  }
  return found;
}

const sides = (before: unknown, after: unknown) => ({ before: text(before), after: text(after) });
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A value as its field shows it; JSON if it has no field. */
function shown(value: Json, field?: Field): string {
  if (typeof value === 'number' && field?.kind === 'duration') return periodWords(value);
  if (typeof value === 'boolean' && field?.kind === 'switch') return value ? 'yes' : 'no';
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) {
    return value.length === 0 ? 'none' : value.map((each) => shown(each, field)).join(', ');
  }
  if (typeof value !== 'string') return JSON.stringify(value) === '[]' ? 'none' : JSON.stringify(value);
  const ways = field?.kind === 'choice' ? field.variants : field?.options;
  return ways?.find((way) => way.value === value)?.title ?? value;
}
