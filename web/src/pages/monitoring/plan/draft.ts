/** A plan being edited. Checks have keys of their own, because their ids can be edited too. */
import { newCheck } from './form.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

export interface DraftCheck {
  /** Stable while the check is in the draft. */
  key: string;
  value: JsonObject;
}

export interface PlanDraft {
  summary: string;
  checks: readonly DraftCheck[];
}

let lastKey = 0;
const keyed = (value: JsonObject): DraftCheck => ({ key: `check-${++lastKey}`, value });

/**
 * @param plan from the API or typed as JSON; anything but an object is not a check
 * @param like the previous draft: checks with the same id keep their key and stay expanded
 */
export function draftOf(plan: unknown, like?: PlanDraft): PlanDraft {
  const { summary, checks } = isObject(plan) ? plan : {};
  const keys = new Map(like?.checks.map(({ key, value }) => [value['id'], key]));
  const known = (value: JsonObject): DraftCheck => {
    const key = keys.get(value['id']);
    if (key === undefined) return keyed(value);
    // While editing, two checks may share an id.
    keys.delete(value['id']);
    return { key, value };
  };
  return {
    summary: typeof summary === 'string' ? summary : '',
    checks: Array.isArray(checks) ? checks.filter(isObject).map(known) : [],
  };
}

/**
 * Parses a plan typed as JSON.
 * @returns the draft, or what is wrong with it
 */
export function readDraft(text: string, like: PlanDraft): { draft: PlanDraft } | { problem: string } {
  let plan: unknown;
  try {
    plan = JSON.parse(text);
  } catch (error) {
    return { problem: `This is not valid JSON: ${error instanceof Error ? error.message : 'unreadable'}.` };
  }
  if (!isObject(plan)) return { problem: 'A plan must be an object with "summary" and "checks".' };
  const other = Object.keys(plan).find((member) => member !== 'summary' && member !== 'checks');
  if (other !== undefined) return { problem: `Unknown property "${other}": a plan has only "summary" and "checks".` };
  const { summary = '', checks = [] } = plan;
  if (typeof summary !== 'string') return { problem: '"summary" must be a string.' };
  if (!Array.isArray(checks) || !checks.every(isObject)) return { problem: '"checks" must be a list of objects.' };
  return { draft: draftOf(plan, like) };
}

export const planIn = ({ summary, checks }: PlanDraft): { summary: string; checks: JsonObject[] } => ({
  summary,
  checks: checks.map(({ value }) => value),
});

/** Whether two drafts are the same plan, regardless of property order. */
export const isSamePlan = (a: PlanDraft, b: PlanDraft): boolean => canonical(planIn(a)) === canonical(planIn(b));

export const withCheck = (draft: PlanDraft, key: string, value: JsonObject): PlanDraft => ({
  ...draft,
  checks: draft.checks.map((check) => (check.key === key ? { key, value } : check)),
});

/** @returns the draft with a new check of the kind at its end, and that check */
export function addCheck(draft: PlanDraft, type: string): { draft: PlanDraft; added: DraftCheck } {
  const added = keyed(newCheck(type, freeId(draft, type.replaceAll('_', '-'))));
  return { draft: { ...draft, checks: [...draft.checks, added] }, added };
}

/** @returns the draft with a copy right after the check, and the copy */
export function duplicateCheck(draft: PlanDraft, key: string): { draft: PlanDraft; added: DraftCheck } | undefined {
  const index = draft.checks.findIndex((check) => check.key === key);
  const original = draft.checks[index];
  if (!original) return undefined;
  const { id, title } = original.value;
  const added = keyed({
    ...original.value,
    id: freeId(draft, typeof id === 'string' ? id : 'check'),
    title: `Copy of ${typeof title === 'string' ? title : 'a check'}`.slice(0, 200),
  });
  return { draft: { ...draft, checks: draft.checks.toSpliced(index + 1, 0, added) }, added };
}

export const removeCheck = (draft: PlanDraft, key: string): PlanDraft => ({
  ...draft,
  checks: draft.checks.filter((check) => check.key !== key),
});

/** @param by -1 moves up, 1 down; nothing moves beyond the ends */
export function moveCheck(draft: PlanDraft, key: string, by: -1 | 1): PlanDraft {
  const index = draft.checks.findIndex((check) => check.key === key);
  const check = draft.checks[index];
  const place = index + by;
  if (!check || place < 0 || place >= draft.checks.length) return draft;
  return { ...draft, checks: draft.checks.toSpliced(index, 1).toSpliced(place, 0, check) };
}

/** The wanted id, or the first free one of wanted-2, wanted-3, … */
function freeId({ checks }: PlanDraft, wanted: string): string {
  const taken = new Set(checks.map(({ value }) => value['id']));
  const base = wanted.replace(/-\d+$/, '').slice(0, 60);
  let id = wanted;
  for (let number = 2; taken.has(id); number++) id = `${base}-${number}`;
  return id;
}

function canonical(value: Json | readonly JsonObject[] | { summary: string; checks: JsonObject[] }): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}
