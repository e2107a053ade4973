/** `log_pattern` with `new_pattern`: kinds of lines that do not occur in the history before the window. */
import type { TimeWindow } from '../../sources/port.ts';
import { clip, count, groupLogPatterns, type LogPattern, toIsoWindow } from '../../tools/index.ts';
import type { SubjectOf } from '../plan/schema.ts';
import { sourceWith } from './ask.ts';
import { at, digestOf, duration, listed } from './figures.ts';
import { describeQuestion, hasLines, type LogSource, readLines, shownLine } from './log-pages.ts';
import type { CheckContext, CheckResult, Observation } from './port.ts';
import { faultsOf } from './reference.ts';
import { evidenceOf, failed, judged, learningResult } from './result.ts';
import { wildcard } from './wildcard.ts';

type LogSubject = SubjectOf<'log_pattern'>;
type NewPattern = Extract<LogSubject['condition'], { type: 'new_pattern' }>;

/** Maximum distinct templates; logs with more have no templates. */
const MAX_TEMPLATES = 5_000;
/** Maximum new templates that are verified with the source. */
const MAX_CONFIRMED = 20;
const ENOUGH = Number.POSITIVE_INFINITY;
const SHOWN = 20;
const PATTERN_CHARACTERS = 160;

/**
 * Groups the lines of history and window together (Drain, see diagnosis/log-patterns), so that a line of the window is new
 * only when it joins no template of the history. A template that is or was a finding stays new: the history before the
 * finding knows none of it. If the history could not be read completely, asks the source about
 * each template that seems new. A history whose older half has no lines does not exist yet.
 */
export async function findNewPatterns(
  subject: LogSubject,
  window: TimeWindow,
  condition: NewPattern,
  { sources, signal, faults }: CheckContext,
): Promise<CheckResult> {
  const source = sourceWith(sources, subject.source, 'logs', 'searchLogs');
  const { service, level } = subject;
  const history = { from: window.from - condition.history_seconds, to: window.from };
  const filter = { ...(service && { service }), ...(level && { level }) };
  const pattern = wildcard(subject.pattern);
  const asked = describeQuestion(subject);

  const past = await readLines(source, { ...history, ...filter }, pattern, { enough: ENOUGH, signal });
  const now = await readLines(source, { ...window, ...filter }, pattern, { enough: ENOUGH, signal });
  const { patterns, other } = groupLogPatterns([...past.lines, ...now.lines], { most: MAX_TEMPLATES, examples: 1 });
  const seen = patterns.filter(({ last }) => last >= window.from);
  const found = await faults(history.from);
  /** When a template that is or was a finding began; its lines since then are no history. */
  const began = (one: LogPattern): number | undefined =>
    faultsOf(found, subjectOf(one), subject.window_seconds).find(({ from }) => one.first >= from)?.from;
  const isNew = (one: LogPattern): boolean => one.first >= window.from || began(one) !== undefined;
  const fresh = seen.filter((one) => isNew(one) && one.count >= condition.at_least);

  const evidence = [
    evidenceOf(subject.source, `new patterns of lines ${asked}`, SHOWN, (most) => ({
      window: toIsoWindow(window),
      history: toIsoWindow(history),
      lines: { window: now.lines.length, history: past.lines.length, history_is_whole: !past.truncated },
      new_patterns: fresh.slice(0, most).map((one) => ({
        pattern: clip(one.pattern, PATTERN_CHARACTERS * 2),
        count: one.count,
        first: at(one.first),
        examples: one.examples.map(shownLine),
      })),
    })),
  ];
  const begun = await historyBegins(source, service, history, past.lines[0]?.at, signal);
  if (!begun) {
    const silence = await hasLines(source, subject, window, signal);
    if (silence !== undefined) return failed(silence, evidence);
    const summary = `learning: no log lines from before ${at((history.from + history.to) / 2)} yet, the check needs ${duration(condition.history_seconds)} of history`;
    return learningResult(summary, evidence);
  }
  const mustAsk = past.truncated || other > 0;
  const [again, unheard] = [
    fresh.filter((one) => began(one) !== undefined),
    fresh.filter((one) => began(one) === undefined),
  ];
  const confirmed = mustAsk ? await unknownBefore(source, { ...history, ...filter }, unheard, signal) : unheard;
  const known = seen.filter((one) => !isNew(one));
  const few = seen.length - known.length - fresh.length;
  const rare = few > 0 ? [`${few} new with fewer than ${condition.at_least} lines`] : [];
  return judged({
    observations: [
      ...again.map((one) => observationOf({ ...one, first: Math.min(one.first, began(one)!) }, true, condition)),
      ...confirmed.map((one) => observationOf(one, true, condition)),
      ...known.map((one) => observationOf(one, false, condition)),
    ],
    evidence,
    noun: ['log pattern', 'log patterns'],
    notes: [
      ...(now.truncated ? [`of the newest ${now.lines.length} lines`] : []),
      ...(mustAsk && unheard.length > MAX_CONFIRMED ? [`${unheard.length - MAX_CONFIRMED} more not confirmed`] : []),
      ...(now.unreadable > 0 ? [`${count(now.unreadable, 'line')} unreadable`] : []),
    ],
    quiet: `no new log pattern: ${[count(now.lines.length, 'line'), `${known.length} known`, ...rare].join(', ')}`,
  });
}

const subjectOf = ({ pattern, level }: LogPattern): string =>
  `${clip(pattern, 60)} #${digestOf(`${level ?? ''} ${pattern}`)}`;

function observationOf(pattern: LogPattern, isFinding: boolean, { history_seconds }: NewPattern): Observation {
  const { services, count: lines, first } = pattern;
  const text = clip(pattern.pattern, PATTERN_CHARACTERS);
  const of = `${count(lines, 'line')} of ${listed(services, 3)}`;
  return {
    subject: subjectOf(pattern),
    isFinding,
    text: isFinding
      ? `new since ${at(first)}, absent in the previous ${duration(history_seconds)}: ${of}: ${text}`
      : `known: ${of}: ${text}`,
    value: lines,
    unit: 'lines',
    ...(services.length === 1 && services[0] && { service: services[0] }),
  };
}

/** Whether the source has lines in the older half of the history. */
async function historyBegins(
  source: LogSource,
  service: string | undefined,
  history: TimeWindow,
  oldest: number | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const middle = (history.from + history.to) / 2;
  if (oldest !== undefined && oldest < middle) return true;
  const query = { from: history.from, to: middle, ...(service && { service }) };
  return (await readLines(source, query, wildcard(undefined), { enough: 1, signal })).lines.length > 0;
}

/**
 * Templates for which the source finds no line in the history; a line with the same words in the same order makes a
 * template known.
 */
async function unknownBefore(
  source: LogSource,
  query: Parameters<typeof readLines>[1],
  fresh: readonly LogPattern[],
  signal: AbortSignal,
): Promise<LogPattern[]> {
  const unknown: LogPattern[] = [];
  for (const one of fresh.slice(0, MAX_CONFIRMED)) {
    const words = wildcard(one.pattern.replaceAll('<*>', '*').replaceAll(' ', '*'));
    const earlier = await readLines(source, query, words, { enough: 1, signal });
    if (earlier.lines.length === 0) unknown.push(one);
  }
  return unknown;
}
