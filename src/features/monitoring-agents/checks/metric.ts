/**
 * `metric`: the series of a metric, or of a PromQL expression, against a number or against what is usual for them
 * (see reference.ts). Each series is an observation.
 */
import type { TimeWindow } from '../../sources/port.ts';
import { toIsoWindow } from '../../tools/index.ts';
import type { SubjectOf } from '../plan/schema.ts';
import { listOf, sourceWith, windowBefore } from './ask.ts';
import { furthest, learning, historyNeeds, tooSparse } from './baseline.ts';
import { duration } from './figures.ts';
import { judgeBaseline, judgeThreshold, subjectOf, type SeriesVerdict } from './metric-judge.ts';
import { MAX_OBSERVATIONS, type CheckContext, type CheckResult, type Observation } from './port.ts';
import {
  daysOf,
  describeReference,
  earlierPeriods,
  faultsOf,
  faultsSince,
  historyOf,
  readDays,
  withoutFaults,
} from './reference.ts';
import { evidenceOf, failed, judged, learningResult } from './result.ts';
import { MAX_SERIES, readSeries, seriesKey, shownSeries, type CheckedSeries, type ReadSeries } from './series.ts';

type MetricSubject = SubjectOf<'metric'>;

/** Maximum points per series in an answer. */
const MAX_POINTS = 2_000;
const MAX_SERIES_SHOWN = 12;
const POINTS_SHOWN = 30;
const NO_DATA = 'no data';

export async function runMetricCheck(subject: MetricSubject, context: CheckContext): Promise<CheckResult> {
  const window = windowBefore(context.clock.now().getTime() / 1_000, subject.window_seconds);
  const { condition } = subject;
  const historySeconds = condition.type === 'baseline' ? condition.history_seconds : 0;
  const history = windowBefore(window.from, historySeconds);
  const known = historySeconds > 0 ? await context.faults(faultsSince(window, historySeconds)) : new Map();
  const faulty = [...known.keys()].filter((name) => name !== NO_DATA);
  const ofSubject = (name: string): TimeWindow[] => faultsOf(known, name, subject.window_seconds);
  const earlier = earlierPeriods(window, historySeconds, faulty.map(ofSubject));
  const [read, days] = await Promise.all([
    ask(subject, context, { history, window, earlier }),
    historySeconds > 0 ? askDays(subject, context, { history, window }) : new Map<string, CheckedSeries>(),
  ]);
  const needs = historyNeeds(read.series, subject.window_seconds);
  const verdicts = read.series.map((whole) => {
    const faults = ofSubject(subjectOf(whole, subject).subject);
    const series = withoutFaults(whole, window, faults);
    const past = {
      history: historyOf(window, historySeconds, faults),
      days: daysOf(days.get(seriesKey(whole)), window, faults),
    };
    const verdict =
      condition.type === 'threshold'
        ? judgeThreshold(series, subject, condition, window)
        : judgeBaseline(series, subject, condition, { window, needs, past });
    return { series, past, verdict };
  });
  verdicts.sort((a, b) => rank(b.verdict) - rank(a.verdict) || byCloseness(a.verdict, b.verdict));

  const asked = question(subject);
  const evidence = [
    evidenceOf(subject.source, asked, MAX_SERIES_SHOWN, (most) => ({
      window: toIsoWindow(window),
      ...(historySeconds > 0 && { history: toIsoWindow(history) }),
      series_count: read.series.length,
      series: verdicts.slice(0, most).map(({ series, past }) => ({
        ...shownSeries(series, POINTS_SHOWN),
        ...(historySeconds > 0 && { compared_with: describeReference(past.days.length, past.history, window) }),
      })),
    })),
  ];
  const observations = verdicts.flatMap(({ verdict }) => (verdict.kind === 'judged' ? [verdict.observation] : []));
  if (observations.length === 0)
    return notJudged(
      subject,
      verdicts.map(({ verdict }) => verdict),
      evidence,
    );
  const gone = verdicts.filter(({ verdict }) => verdict.kind === 'no_data').length;
  const young = verdicts.filter(({ verdict }) => verdict.kind === 'learning').length;
  const notes = [
    ...(gone > 0 ? [`${gone} without data now`] : []),
    ...(young > 0 ? [`${young} still learning`] : []),
    ...(read.unreadable > 0 ? [`${read.unreadable} unreadable`] : []),
  ];
  // A series that no longer has data is gone: the series of a replaced process ends like this.
  const isPartial = young > 0 || read.unreadable > 0;
  const result = judged({ observations, evidence, noun: ['series', 'series'], notes, isPartial });
  if (subject.no_data !== 'finding') return result;
  // Otherwise a finding about missing data would never be over.
  const back: Observation = { subject: NO_DATA, isFinding: false, text: `${read.series.length} series have data` };
  return { ...result, observations: [...result.observations.slice(0, MAX_OBSERVATIONS - 1), back] };
}

/** Findings, then judged series, then the rest. */
function rank(verdict: SeriesVerdict): number {
  if (verdict.kind !== 'judged') return 0;
  return verdict.observation.isFinding ? 2 : 1;
}

/** Sorted by how close to, or how far beyond, the limit they are. */
function byCloseness(a: SeriesVerdict, b: SeriesVerdict): number {
  const [left, right] = [a, b].map((verdict) => (verdict.kind === 'judged' ? verdict.closeness : 0));
  return left === right ? 0 : right! - left!;
}

interface Periods {
  window: TimeWindow;
  history: TimeWindow;
}

/** Queries the subject of the check in a period. */
function putter(subject: MetricSubject, { sources, signal }: CheckContext) {
  return async (period: TimeWindow, maxPoints: number): Promise<unknown> => {
    signal.throwIfAborted();
    const { metric = '', promql: expr, service, statistic, labels } = subject;
    const where = { ...period, maxPoints };
    if (expr !== undefined) {
      return sourceWith(sources, subject.source, 'promql', 'promql').promql({ expr, ...where }, { signal });
    }
    const source = sourceWith(sources, subject.source, 'metrics', 'queryMetric');
    return source.queryMetric(
      { metric, ...(service && { service }), ...(statistic && { statistic }), ...(labels && { labels }), ...where },
      { signal },
    );
  };
}

/**
 * One query for window and history, so that samples are alike; two if one would leave the window too few points; and
 * one for each earlier period.
 */
async function ask(
  subject: MetricSubject,
  context: CheckContext,
  { history, window, earlier }: Periods & { earlier: readonly TimeWindow[] },
): Promise<ReadSeries> {
  const put = putter(subject, context);
  const whole = { from: history.from, to: window.to };
  const isOne = history.to === history.from || isDense({ history, window });
  const answers = await Promise.all(
    [...earlier, ...(isOne ? [whole] : [history, window])].map((period) => put(period, MAX_POINTS)),
  );
  if (answers.length === 1) return readSeries(answers[0], whole);
  const all = answers.flatMap((answer) => listOf(answer, 'series', MAX_SERIES));
  return readSeries(all, { from: earlier[0]?.from ?? whole.from, to: whole.to });
}

/** The same subject at the same time on earlier days, with samples as close as those of the window. */
function askDays(subject: MetricSubject, context: CheckContext, periods: Periods): Promise<Map<string, CheckedSeries>> {
  const { window, history } = periods;
  const put = putter(subject, context);
  const step = (window.to - (isDense(periods) ? history.from : window.from)) / MAX_POINTS;
  return readDays(
    window,
    (day) => put(day, Math.min(MAX_POINTS, Math.ceil((day.to - day.from) / step))),
    context.signal,
  );
}

/** Whether one query for history and window has enough points in the window. */
const isDense = ({ history, window }: Periods): boolean =>
  ((window.to - history.from) / MAX_POINTS) * 2 <= window.to - window.from;

function notJudged(
  subject: MetricSubject,
  verdicts: readonly SeriesVerdict[],
  evidence: CheckResult['evidence'],
): CheckResult {
  const learned = furthest(verdicts.flatMap((verdict) => (verdict.kind === 'learning' ? [verdict.learned] : [])));
  if (learned) {
    if (!learned.isGrowing) return failed(tooSparse(learned), evidence);
    return learningResult(learning(learned), evidence);
  }
  const text = `no data of ${question(subject)} in the last ${duration(subject.window_seconds)}`;
  if (subject.no_data === 'fails') return failed(text, evidence);
  const observation: Observation = { subject: NO_DATA, isFinding: subject.no_data === 'finding', text };
  return judged({ observations: [observation], evidence, noun: ['series', 'series'] });
}

function question({ metric, promql, service, statistic, labels }: MetricSubject): string {
  if (promql !== undefined) return promql;
  const of = [
    ...(service ? [`service=${service}`] : []),
    ...Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`),
  ];
  return [metric, statistic, of.length > 0 ? `{${of.join(', ')}}` : ''].filter(Boolean).join(' ');
}
