/** What the agent watches now, as `read_monitoring_plan` says. */
import type { Check } from '../../../../src/features/monitoring-agents/plan/schema.ts';
import type { Call } from '../../transcript.ts';
import { isRecord, lastCall } from '../conversation/calls.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { parsePartialJson } from '../investigation/partial-json.ts';
import { wholeItems } from '../investigation/whole-items.ts';

/** A check as far as it was read; only what every check has is sure. */
export interface CurrentCheck extends Pick<Check, 'id' | 'title'> {
  check: Partial<Record<string, unknown>> & { type: string };
  schedule: Partial<Check['schedule']>;
  severity?: string;
  on_finding?: string[];
  /** false: it is switched off. */
  enabled?: boolean;
  judge?: boolean;
  /** In words. */
  description?: string;
  nextAt?: string;
}

export interface CurrentPlan {
  call: Call;
  active: boolean;
  checks: CurrentCheck[];
  /** `active`, `paused` or `degraded`, and why. */
  status?: string;
  reasons: string[];
  /** The channel, in words; undefined: none. */
  reportsTo?: string;
  lastResultAt?: string;
  version?: number;
}

/** @returns undefined when it was not read, or could not be */
export function currentPlan(file: CaseFile): CurrentPlan | undefined {
  const call = lastCall(file, 'read_monitoring_plan');
  if (!call || call.isError) return undefined;
  const value: unknown = wholeItems(parsePartialJson(call.body));
  if (!isRecord(value)) return undefined;
  const { plan, checks: described, active, reasons, plan_version: version } = value;
  const listed: unknown[] = isRecord(plan) && Array.isArray(plan['checks']) ? plan['checks'] : [];
  const words = new Map(rows(described).map((row) => [textOf(row, 'id'), row]));
  return {
    call,
    active: active !== false,
    checks: rows(listed).flatMap((row) => checkOf(row, words)),
    ...optional('status', textOf(value, 'status')),
    reasons: Array.isArray(reasons) ? reasons.filter((one) => typeof one === 'string') : [],
    ...optional('reportsTo', textOf(value, 'reports_to')),
    ...optional('lastResultAt', textOf(value, 'last_result_at')),
    ...(typeof version === 'number' && { version }),
  };
}

function checkOf(
  row: Record<string, unknown>,
  words: Map<string | undefined, Record<string, unknown>>,
): CurrentCheck[] {
  const { check, schedule, on_finding: actions, enabled, judge } = row;
  const id = textOf(row, 'id');
  if (id === undefined || !isRecord(check) || typeof check['type'] !== 'string') return [];
  const said = words.get(id);
  return [
    {
      id,
      title: textOf(row, 'title') ?? id,
      check: { ...check, type: check['type'] },
      schedule: isRecord(schedule) ? schedule : {},
      ...optional('severity', textOf(row, 'severity')),
      ...(Array.isArray(actions) && { on_finding: actions.filter((one) => typeof one === 'string') }),
      ...(typeof enabled === 'boolean' && { enabled }),
      ...(typeof judge === 'boolean' && { judge }),
      ...(said && optional('description', textOf(said, 'description'))),
      ...(said && optional('nextAt', textOf(said, 'next_scheduled_at'))),
    },
  ];
}

/** The rows of a list in an answer of a tool. */
export function rows(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function textOf(row: Record<string, unknown>, key: string): string | undefined {
  const value = row[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

type Words = { [K in 'status' | 'reportsTo' | 'lastResultAt' | 'severity' | 'description' | 'nextAt']?: string };

function optional(key: keyof Words, value: string | undefined): Words {
  return value === undefined ? {} : { [key]: value };
}
