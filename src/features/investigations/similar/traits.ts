/** What an investigation can be recognized by, and how alike two of them are. Pure. */
import type { StoredEvidence } from '../../tools/index.ts';
import type { Report } from '../report/schema.ts';
import { lastRanking, readLogs } from '../report/stored-results.ts';

export interface Traits {
  /** At fault, or the first candidate. */
  service: string | null;
  /** Fingerprint of the alert: its service and metric. */
  alert: string | null;
  /** Error patterns of that service's log; `<*>` marks variable parts. */
  templates: string[];
}

const MAX_TEMPLATES = 10;
const TEMPLATE_CHARACTERS = 300;

/** What two investigations share, in words; the most telling first. */
export type Likeness = 'service' | 'alert' | 'log template';

/** @returns the traits of an ended investigation, from its report and what its tools returned */
export function traitsOf(report: Pick<Report, 'root_cause'>, evidence: readonly StoredEvidence[]): Traits {
  const ranking = lastRanking(evidence)?.ranking;
  const service = report.root_cause.service ?? ranking?.causes[0]?.service ?? null;
  const patterns = evidence
    .flatMap((stored) => readLogs(stored)?.patterns ?? [])
    .filter(({ level, services }) => level === 'error' && service !== null && services.includes(service))
    .map(({ pattern }) => pattern.slice(0, TEMPLATE_CHARACTERS));
  const alert = ranking && fingerprint(ranking.alert);
  return { service, alert: alert ?? null, templates: [...new Set(patterns)].slice(0, MAX_TEMPLATES) };
}

/** The same for every firing of an alert. */
export function fingerprint({ service, metric }: { service: string; metric?: string }): string {
  return JSON.stringify([service, metric ?? null]);
}

export function likeness(wanted: Traits, other: Traits): Likeness[] {
  const shared: Likeness[] = [];
  if (wanted.templates.some((template) => other.templates.includes(template))) shared.push('log template');
  if (wanted.service !== null && wanted.service === other.service) shared.push('service');
  if (wanted.alert !== null && wanted.alert === other.alert) shared.push('alert');
  return shared;
}
