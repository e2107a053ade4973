/**
 * `service_health`: compares the metrics of services with their own history, and reports firing alerts. A condition
 * that has lasted for most of the history counts as usual: to detect a fault that may last for hours, use a history
 * several times as long.
 */
import { SourceError, type Alert, type TimeWindow } from '../../sources/port.ts';
import { count, toIsoWindow } from '../../tools/index.ts';
import type { SubjectOf } from '../plan/schema.ts';
import { listOf, membersOf, sourceWith, windowBefore } from './ask.ts';
import { furthest, learning, historyNeeds, tooSparse } from './baseline.ts';
import { duration, listed, stableName } from './figures.ts';
import type { CheckContext, CheckResult } from './port.ts';
import { evidenceOf, failed, judged, learningResult } from './result.ts';
import { readSeries, shownSeries, type CheckedSeries } from './series.ts';
import { judgeService, type ServiceVerdict } from './service-judge.ts';

/** Points of the window; the history has the same density. */
const WINDOW_POINTS = 20;
const MAX_POINTS = 2_000;
const MAX_ALERTS = 1_000;
const SERIES_SHOWN = 12;
const POINTS_SHOWN = 30;
/** Tolerance for clock skew between servers. */
const CLOCK_SKEW_SECONDS = 60;

export async function runServiceHealthCheck(
  subject: SubjectOf<'service_health'>,
  { sources, clock, signal }: CheckContext,
): Promise<CheckResult> {
  const source = sourceWith(sources, subject.source, 'metrics', 'surveyMetrics');
  const now = clock.now().getTime() / 1_000;
  const window = windowBefore(now, subject.window_seconds);
  const history = windowBefore(window.from, subject.history_seconds);
  const whole = { from: history.from, to: now };
  const maxPoints = Math.min(MAX_POINTS, Math.ceil(((now - whole.from) / subject.window_seconds) * WINDOW_POINTS));
  const { services } = subject;
  const [survey, description] = await Promise.all([
    source.surveyMetrics({ ...whole, ...(services && { services }), maxPoints }, { signal }),
    source.describe({ signal }),
  ]);
  const { series, unreadable } = readSeries(survey, whole);
  const isRecorded = source.kind === 'recorded-incident';
  const alerts = firing(description, isRecorded ? window : { from: -Infinity, to: now + CLOCK_SKEW_SECONDS });

  const byService = new Map<string, { series: CheckedSeries[]; alerts: Alert[] }>();
  const wanted = services && new Set(services.map((name) => stableName(name)));
  const entryOf = (service: string): { series: CheckedSeries[]; alerts: Alert[] } | undefined => {
    if (service === '' || (wanted && !wanted.has(service))) return undefined;
    const entry = byService.get(service) ?? { series: [], alerts: [] };
    byService.set(service, entry);
    return entry;
  };
  for (const one of series) entryOf(one.service)?.series.push(one);
  for (const alert of alerts) entryOf(alert.service)?.alerts.push(alert);

  const question = {
    window,
    history,
    needs: historyNeeds(series, subject.window_seconds),
    deviations: subject.deviations,
  };
  const verdicts = [...byService]
    .map(([service, its]) => judgeService(service, its.series, its.alerts, question))
    .sort((a, b) => worst(b) - worst(a) || (a.service < b.service ? -1 : 1));
  const evidence = [
    evidenceOf(subject.source, `health of ${services ? listed(services) : 'every service'}`, SERIES_SHOWN, (most) => ({
      window: toIsoWindow(window),
      history: toIsoWindow(history),
      services: byService.size,
      series_count: series.length,
      alerts: alerts.slice(0, most),
      series: verdicts
        .flatMap(({ symptoms }) => symptoms)
        .slice(0, most)
        .map((symptom) => ({
          ...shownSeries(symptom.series, POINTS_SHOWN),
          usual: symptom.usual,
          value: symptom.value,
        })),
    })),
  ];
  const observations = verdicts.flatMap(({ observation }) => observation ?? []);
  const missing = [...(wanted ?? [])].filter((service) => !byService.has(service));
  const hasFinding = observations.some(({ isFinding }) => isFinding);
  if (missing.length > 0 && !hasFinding) {
    const found = byService.size > 0 ? `; there are metrics of ${listed([...byService.keys()])}` : '';
    return failed(`no metrics of ${listed(missing)} in the last ${duration(whole.to - whole.from)}${found}`, evidence);
  }
  if (observations.length === 0) return notJudged(verdicts, evidence, whole);
  const young = verdicts.filter(({ learned }) => learned).length;
  const mute = verdicts.length - observations.length - young;
  return judged({
    observations,
    evidence,
    noun: ['service', 'services'],
    notes: [
      ...(missing.length > 0 ? [`no metrics of ${listed(missing, 2)}`] : []),
      ...(young > 0 ? [`${count(young, 'service')} still learning`] : []),
      ...(mute > 0 ? [`${count(mute, 'service')} without telling metrics`] : []),
      ...(unreadable > 0 ? [`${unreadable} series unreadable`] : []),
    ],
    isPartial: missing.length + young + mute + unreadable > 0,
    quiet: `${count(observations.length, 'service is', 'services are')} as usual`,
  });
}

function notJudged(
  verdicts: readonly ServiceVerdict[],
  evidence: CheckResult['evidence'],
  { from, to }: TimeWindow,
): CheckResult {
  const learned = furthest(verdicts.flatMap((verdict) => verdict.learned ?? []));
  if (!learned) {
    const of = verdicts.length > 0 ? 'that shows the health of a service' : 'of any service';
    return failed(`no metric ${of} in the last ${duration(to - from)}`, evidence);
  }
  if (!learned.isGrowing) return failed(tooSparse(learned), evidence);
  return learningResult(learning(learned), evidence);
}

/**
 * The firing alerts. A recording says when each one fired, and those in the window count; any other source returns
 * those that fire now.
 */
function firing(description: unknown, { from, to }: TimeWindow): Alert[] {
  const members = membersOf(description);
  if (!members) throw new SourceError('the source did not describe itself');
  return listOf(members.alerts ?? [], 'alerts', MAX_ALERTS).flatMap((one): Alert[] => {
    const alert = membersOf(one);
    if (!alert || typeof alert.service !== 'string' || typeof alert.at !== 'number') return [];
    if (!(alert.at >= from && alert.at <= to)) return [];
    const text = (value: unknown, otherwise: string): string =>
      typeof value === 'string' && value !== '' ? value.slice(0, 500) : otherwise;
    const name = text(alert.name, 'an alert');
    return [{ name, service: stableName(alert.service), at: alert.at, summary: text(alert.summary, 'no summary') }];
  });
}

/** Findings by their worst symptom; those without one (an alert, no traffic) first. */
function worst({ observation, symptoms }: ServiceVerdict): number {
  if (!observation?.isFinding) return -1;
  return symptoms[0]?.deviations ?? Number.MAX_VALUE;
}
