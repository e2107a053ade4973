/** The closer look at suspects: their strongest signals, logs, traces and changes. */
import type { PlannedCall, Turn } from '../../decide.ts';
import { call, wasMade } from '../calls.ts';
import { wasCalled, type CaseFile } from './case-file.ts';
import { anomalousCauses, namedByPeople, onsetOf, onsetTime, type RankedCause } from './conclusion.ts';
import { newlyFailing } from './log-evidence.ts';
import type { SourceChoice, Symptom } from './sources.ts';
import { readTraces } from './trace-evidence.ts';
import { iso, name } from '../wording.ts';

const MAX_SUSPECTS = 3;
/** Services outside the suspects whose logs show new errors. */
const MAX_FAILING = 2;
const BEFORE_ONSET_MS = 30 * 60_000;
const LOG_LINES = 10;
const MAX_CHANGES = 30;

export function examine(file: CaseFile, choice: SourceChoice, symptom: Symptom): Turn {
  const suspects = suspectsOf(file, symptom).filter((service) => !wasExamined(file, choice, service));
  const [first] = anomalousCauses(file);
  const calls = [
    ...searchErrors(file, choice),
    ...suspects.flatMap((service) => [...readMetric(file, choice, service), ...readLogs(file, choice, service)]),
    ...readTraces(file, choice, first?.service ?? symptom.service),
    ...readChanges(file, choice),
    ...askSimilar(file, first?.service),
  ];
  const whom = suspects.length > 0 ? `Examining ${suspects.map(name).join(', ')}` : 'Checking the remaining evidence';
  return { text: `${whom}: ${reason(file)}.`, calls };
}

function reason(file: CaseFile): string {
  if (!file.ranking) return 'the causes could not be ranked; using logs and dependencies instead';
  const onset = onsetOf(file);
  return onset ? `the ranking points there, and the onset is at ${onset}` : 'the ranking points there';
}

/**
 * The ranking's top causes, services whose logs show new errors, and services people named. Without a ranking, the service
 * with the symptom and what it calls.
 */
function suspectsOf(file: CaseFile, { service }: Symptom): string[] {
  const named = namedByPeople(file);
  if (!file.ranking) {
    const direct = file.dependencies?.result.edges.filter((edge) => edge.caller === service) ?? [];
    return [...new Set([service, ...direct.map((edge) => edge.callee).slice(0, MAX_SUSPECTS - 1), ...named])];
  }
  const top = anomalousCauses(file)
    .slice(0, MAX_SUSPECTS)
    .map((cause) => cause.service);
  const failing = newlyFailing(file, onsetTime(file)).filter((one) => !top.includes(one));
  const suspects = [...top, ...failing.slice(0, MAX_FAILING)];
  // If nothing is anomalous, the logs of the service with the symptom may still help.
  return [...new Set([...(suspects.length > 0 ? suspects : [service]), ...named])];
}

function wasExamined({ calls, ranking }: CaseFile, choice: SourceChoice, service: string): boolean {
  const tool = choice.logs ? 'search_logs' : 'query_metric';
  return calls.some(
    (call) => call.tool === tool && call.input['service'] === service && call.turn > (ranking?.call.turn ?? -1),
  );
}

function readMetric(file: CaseFile, { metrics }: SourceChoice, service: string): PlannedCall[] {
  const cause: RankedCause | undefined = file.ranking?.result.causes.find((one) => one.service === service);
  const [signal] = cause?.signals ?? [];
  if (!metrics || !signal) return [];
  const { metric, statistic } = signal;
  const input = { source: metrics.id, metric, service, ...(statistic && { statistic }), ...incident(file) };
  return [{ name: 'query_metric', input }];
}

/** The tool finds the incident by the source's alert; without one it must be given. */
function incident({ ranking, sources }: CaseFile): { from?: string; to?: string } {
  const listed = sources?.result.sources.find(({ id }) => id === ranking?.result.source);
  if (!ranking || (listed && listed.alerts.length > 0)) return {};
  const { from, to } = ranking.result.incident;
  return from && to ? { from, to } : {};
}

/** The errors of all services, in the incident and in health: the faulty one may be none that the ranking names. */
function searchErrors(file: CaseFile, { logs }: SourceChoice): PlannedCall[] {
  const { incident: sick, baseline } = file.ranking?.result ?? {};
  const around = aroundOnset(file);
  if (!logs || !sick || !around.from) return [];
  const windows = [around, ...(baseline?.from && baseline.to ? [{ from: baseline.from, to: baseline.to }] : [])];
  return windows
    .map((window) => ({ name: 'search_logs', input: { source: logs.id, level: 'error', ...window, limit: LOG_LINES } }))
    .filter((planned) => !wasMade(file, planned));
}

function readLogs(file: CaseFile, { logs }: SourceChoice, service: string): PlannedCall[] {
  if (!logs) return [];
  return ['error', 'warn'].map((level) => ({
    name: 'search_logs',
    input: { source: logs.id, service, level, ...aroundOnset(file), limit: LOG_LINES },
  }));
}

/** Starts well before the onset, to tell what is new. */
function aroundOnset(file: CaseFile): { from?: string; to?: string } {
  const onset = Date.parse(onsetOf(file) ?? '');
  const to = Date.parse(file.ranking?.result.incident.to ?? '');
  if (Number.isNaN(onset) || !(to > onset)) return {};
  return { from: iso(onset - BEFORE_ONSET_MS), to: iso(to) };
}

/** What earlier investigations of the suspect or the alert found. */
function askSimilar(file: CaseFile, service: string | undefined): PlannedCall[] {
  const { alert } = file.ranking?.result ?? {};
  if (!alert || wasCalled(file, 'find_similar_investigations')) return [];
  return [call('find_similar_investigations', { service, alert_service: alert.service, alert_metric: alert.metric })];
}

/** All services' changes, to rule out innocent deploys elsewhere. */
function readChanges(file: CaseFile, { changes }: SourceChoice): PlannedCall[] {
  if (!changes || wasCalled(file, 'recent_changes')) return [];
  const { to } = aroundOnset(file);
  return [{ name: 'recent_changes', input: { source: changes.id, ...(to && { to }), limit: MAX_CHANGES } }];
}
