/** What the API says is wrong with a plan, at the very fields it is about. */
import { fieldAt, labelOf } from './form.ts';
import type { PlanDraft } from './draft.ts';
import { isObject, type JsonObject } from './json.ts';

export interface PlanIssue {
  /** Of the check it is about; absent: it is about the plan. */
  checkKey?: string;
  /** Within the check; empty: the check itself. */
  path: string;
  message: string;
  /** Where it is, for people: "Latency: Window". */
  place: string;
}

/** Issues by check and path. */
export interface IssueMap {
  all: readonly PlanIssue[];
  /** Of the plan as a whole and of its summary. */
  ofPlan: readonly PlanIssue[];
  /** Of a check, what no field of its form is about. */
  ofCheck(checkKey: string): readonly PlanIssue[];
  /** What a field is told: all that is at its path or below. */
  at(checkKey: string, path: string): string | undefined;
  /** How many a check has in all. */
  count(checkKey: string): number;
}

/**
 * @param issues as an ApiError has them: paths begin with `plan`
 * @param draft what was sent: indices of checks are its indices
 */
export function mapIssues(issues: readonly { path: string; message: string }[], draft: PlanDraft): IssueMap {
  const all = issues.map(({ path, message }) => placed(path, message, draft));
  const { checks } = draft;
  const valueOf = (key: string): JsonObject => checks.find((check) => check.key === key)?.value ?? {};
  return {
    all,
    ofPlan: all.filter(({ checkKey }) => checkKey === undefined),
    ofCheck: (key) => all.filter(({ checkKey, path }) => checkKey === key && fieldAt(path, valueOf(key)) === undefined),
    at: (key, path) => {
      const found = all.filter((issue) => issue.checkKey === key && isWithin(issue.path, path));
      return found.length === 0 ? undefined : found.map(({ message }) => message).join('. ');
    },
    count: (key) => all.filter(({ checkKey }) => checkKey === key).length,
  };
}

export const NO_ISSUES: IssueMap = mapIssues([], { summary: '', checks: [] });

const isWithin = (path: string, around: string): boolean => path === around || path.startsWith(`${around}.`);

function placed(whole: string, message: string, draft: PlanDraft): PlanIssue {
  const parts = whole.split('.');
  if (parts[0] === 'plan') parts.shift();
  const check = parts[0] === 'checks' && parts[1] !== undefined ? draft.checks[Number(parts[1])] : undefined;
  if (!check) return { path: parts.join('.'), message, place: parts[0] === 'summary' ? 'Summary' : 'The plan' };
  const path = parts.slice(2).join('.');
  const title = nameOf(check.value, Number(parts[1]));
  return { checkKey: check.key, path, message, place: path === '' ? title : `${title}: ${labelOf(path, check.value)}` };
}

/** How a check is called in a list, whatever it lacks. @param index from 0 */
export function nameOf(check: unknown, index: number): string {
  const { title, id } = isObject(check) ? check : {};
  if (typeof title === 'string' && title.trim() !== '') return title;
  return typeof id === 'string' && id !== '' ? id : `Check ${index + 1}`;
}

/** The id of the element in which the field at a path is. */
export const fieldElementId = (checkKey: string, path: string): string => `${checkKey}-${path.replaceAll('.', '-')}`;

/** Where a link of an issue leads: the field, else the check. */
export function targetOf({ checkKey, path }: PlanIssue, draft: PlanDraft): string | undefined {
  if (checkKey === undefined) return path === 'summary' ? 'plan-summary' : undefined;
  const field = fieldAt(path, draft.checks.find(({ key }) => key === checkKey)?.value ?? {});
  return field?.path === undefined ? checkKey : fieldElementId(checkKey, field.path);
}
