/**
 * `service_health`: compares the metrics of services with what is usual for them (see reference.ts), and reports firing
 * alerts. A survey is expensive, so earlier days are surveyed only for services that deviate from the history before the
 * window: they decide whether this is usual at this time.
 */
import { SourceError, type Alert, type TimeWindow } from '../../sources/port.ts';
import { count, toIsoWindow } from '../../tools/index.ts';
import type { SubjectOf } from '../plan/schema.ts';
import { listOf, membersOf, sourceWith, windowBefore } from './ask.ts';
import { furthest, learning, historyNeeds, tooSparse } from './baseline.ts';
import { duration, listed, stableName } from './figures.ts';
import type { CheckContext, CheckResult } from './port.ts';
import { daysOf, earlierPeriods, faultsOf, faultsSince, historyOf, readDays, withoutFaults } from './reference.ts';
import { evidenceOf, failed, judged, learningResult } from './result.ts';
import { MAX_SERIES, readSeries, seriesKey, shownSeries, type CheckedSeries } from './series.ts';
import { judgeService, type ServiceVerdict } from './service-judge.ts';

/** Points of the window; the history has the same density. */
const WINDOW_POINTS = 20;
const MAX_POINTS = 2_000;
/** Services that are surveyed again, for earlier times. */
const MAX_AGAIN = 100;
/** Earlier days have this many times fewer points: a week of them is surveyed. */
const DAYS_THINNER = 4;
const MAX_ALERTS = 1_000;
const SERIES_SHOWN = 12;
const POINTS_SHOWN = 30;
/** Tolerance for clock skew between servers. */
const CLOCK_SKEW_SECONDS = 60;

export async function runServiceHealthCheck(
  subject: SubjectOf<'service_health'>,
  { sources, clock, signal, faults }: CheckContext,
): Promise<CheckResult> {
  const source = sourceWith(sources, subject.source, 'metrics', 'surveyMetrics');
  const now = clock.now().getTime() / 1_000;
  const window = windowBefore(now, subject.window_seconds);
  const history = windowBefore(window.from, subject.history_seconds);
  const whole = { from: history.from, to: now };
  const { services } = subject;
  const known = await faults(faultsSince(window, subject.history_seconds));
  const ofService = (service: string): TimeWindow[] => faultsOf(known, service, subject.window_seconds);
  const put = (period: TimeWindow, names = services, density = WINDOW_POINTS): Promise<unknown> =>
    source.surveyMetrics(
      {
        ...period,
        ...(names && { services: names }),
        maxPoints: Math.min(MAX_POINTS, Math.ceil(((period.to - period.from) / subject.window_seconds) * density)),
      },
      { signal },
    );
  const faulty = [...known.keys()];
  const earlier = earlierPeriods(window, subject.history_seconds, faulty.map(ofService));
  const [survey, description, ...before] = await Promise.all([
    put(whole),
    source.describe({ signal }),
    ...earlier.map((period) => put(period, faulty.slice(0, MAX_AGAIN))),
  ]);
  const answers =
    before.length === 0 ? survey : [...before, survey].flatMap((one) => listOf(one, 'series', MAX_SERIES));
  const { series, unreadable } = readSeries(answers, { from: earlier[0]?.from ?? whole.from, to: now });
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

  const needs = historyNeeds(series, subject.window_seconds);
  const judge = (service: string, days?: ReadonlyMap<string, CheckedSeries>): ServiceVerdict => {
    const its = byService.get(service)!;
    const at = ofService(service);
    const history = historyOf(window, subject.history_seconds, at);
    const healthy = its.series.map((one) => withoutFaults(one, window, at));
    return judgeService(service, healthy, its.alerts, {
      window,
      history,
      needs,
      deviations: subject.deviations,
      ...(days && { daysOf: (one) => daysOf(days.get(seriesKey(one)), window, at) }),
    });
  };
  const first = [...byService.keys()].map((service) => judge(service));
  const unusual = first.filter(({ observation }) => observation?.isFinding).map(({ service }) => service);
  const again = unusual.slice(0, MAX_AGAIN);
  const days =
    again.length > 0
      ? await readDays(window, (day) => put(day, again, WINDOW_POINTS / DAYS_THINNER), signal)
      : new Map<string, CheckedSeries>();
  const verdicts = first
    .map((verdict) => (days.size > 0 && again.includes(verdict.service) ? judge(verdict.service, days) : verdict))
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
          compared_with: symptom.comparedWith,
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
      ...(mute > 0 ? [`${count(mute, 'service')} without usable health metrics`] : []),
      ...(unreadable > 0 ? [`${unreadable} series unreadable`] : []),
    ],
    isPartial: missing.length + young + mute + unreadable > 0,
    quiet: `${count(observations.length, 'service')} normal`,
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
