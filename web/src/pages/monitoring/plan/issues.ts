/** Maps the API's complaints about a plan to the fields they concern. */
import { fieldAt, labelOf } from './form.ts';
import type { PlanDraft } from './draft.ts';
import { isObject, type JsonObject } from './json.ts';

export interface PlanIssue {
  /** The check it concerns; absent if it concerns the plan. */
  checkKey?: string;
  /** Path inside the check; empty for the check itself. */
  path: string;
  message: string;
  /** The place, for people: "Latency: Window". */
  place: string;
}

/** Issues by check and path. */
export interface IssueMap {
  all: readonly PlanIssue[];
  /** Issues of the plan as a whole and of its summary. */
  ofPlan: readonly PlanIssue[];
  /** Issues of a check that no field of its form covers. */
  ofCheck(checkKey: string): readonly PlanIssue[];
  /** All issues at or below a field's path. */
  at(checkKey: string, path: string): string | undefined;
  /** How many issues a check has. */
  count(checkKey: string): number;
}

/**
 * @param issues from an ApiError: paths start with `plan`
 * @param draft what was sent: check indices refer to it
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
  if (!check) return { path: parts.join('.'), message, place: parts[0] === 'summary' ? 'Summary' : 'Plan' };
  const path = parts.slice(2).join('.');
  const title = nameOf(check.value, Number(parts[1]));
  return { checkKey: check.key, path, message, place: path === '' ? title : `${title}: ${labelOf(path, check.value)}` };
}

/** A name for a check in a list, even if incomplete. @param index from 0 */
export function nameOf(check: unknown, index: number): string {
  const { title, id } = isObject(check) ? check : {};
  if (typeof title === 'string' && title.trim() !== '') return title;
  return typeof id === 'string' && id !== '' ? id : `Check ${index + 1}`;
}

/** The id of the element that holds the field at a path. */
export const fieldElementId = (checkKey: string, path: string): string => `${checkKey}-${path.replaceAll('.', '-')}`;

/** The target of an issue's link: the field, otherwise the check. */
export function targetOf({ checkKey, path }: PlanIssue, draft: PlanDraft): string | undefined {
  if (checkKey === undefined) return path === 'summary' ? 'plan-summary' : undefined;
  const field = fieldAt(path, draft.checks.find(({ key }) => key === checkKey)?.value ?? {});
  return field?.path === undefined ? checkKey : fieldElementId(checkKey, field.path);
}
