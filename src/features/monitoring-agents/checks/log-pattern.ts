/** `log_pattern`: how many lines match a pattern, or which kinds of lines are new. */
import type { LogLine } from '../../sources/port.ts';
import { clip, count, toIsoWindow } from '../../tools/index.ts';
import type { SubjectOf } from '../plan/schema.ts';
import { sourceWith, windowBefore } from './ask.ts';
import { at, digits, duration } from './figures.ts';
import { describePattern, describeQuestion, hasLines, readLines, type ReadLines, shownLine } from './log-pages.ts';
import { findNewPatterns } from './new-patterns.ts';
import type { CheckContext, CheckEvidence, CheckResult, Observation } from './port.ts';
import { evidenceOf, failed, judged } from './result.ts';
import { wildcard } from './wildcard.ts';

type LogSubject = SubjectOf<'log_pattern'>;

const LINES_SHOWN = 20;

export async function runLogPatternCheck(subject: LogSubject, context: CheckContext): Promise<CheckResult> {
  const window = windowBefore(context.clock.now().getTime() / 1_000, subject.window_seconds);
  if (subject.condition.type === 'new_pattern') return findNewPatterns(subject, window, subject.condition, context);

  const { signal } = context;
  const source = sourceWith(context.sources, subject.source, 'logs', 'searchLogs');
  const { service, level, condition } = subject;
  const query = { ...window, ...(service && { service }), ...(level && { level }) };
  const read = await readLines(source, query, wildcard(subject.pattern), { enough: condition.at_least, signal });
  const evidence = [linesEvidence(subject, read)];
  const found = read.lines.length;
  const isFinding = found >= condition.at_least;
  const number = `${read.truncated ? 'at least ' : ''}${count(found, 'line')}`;
  if (!isFinding && read.truncated) {
    return failed(
      `${number} match, but the source returns no more: whether ${condition.at_least} match is unknown`,
      evidence,
    );
  }
  if (found === 0) {
    // No line matches. Make sure that the source has lines at all.
    const silence = await hasLines(source, subject, window, signal);
    if (silence !== undefined) return failed(silence, evidence);
  }
  const observation: Observation = {
    subject: service ?? 'lines',
    isFinding,
    text: `${number} ${describePattern(subject)} in ${duration(subject.window_seconds)}, limit ${digits(condition.at_least)}${latest(read.lines)}`,
    value: found,
    expected: condition.at_least,
    unit: 'lines',
    ...(service && { service }),
  };
  const notes = read.unreadable > 0 ? [`${count(read.unreadable, 'line')} unreadable`] : [];
  return judged({ observations: [observation], evidence, noun: ['count', 'counts'], notes });

  function linesEvidence(of: LogSubject, { lines, truncated }: ReadLines): CheckEvidence {
    return evidenceOf(of.source, describeQuestion(of), LINES_SHOWN, (most) => ({
      window: toIsoWindow(window),
      matched: lines.length,
      truncated,
      lines: sample(lines, most).map(shownLine),
    }));
  }
}

/** The first and last lines, and evenly spaced ones in between, as many as fit. */
function sample(lines: readonly LogLine[], most: number): LogLine[] {
  if (lines.length <= most) return [...lines];
  const step = (lines.length - 1) / Math.max(1, most - 1);
  return Array.from({ length: most }, (_, index) => lines[Math.round(index * step)]!);
}

function latest(lines: readonly LogLine[]): string {
  const last = lines[lines.length - 1];
  return last ? `; the last at ${at(last.at)}: ${clip(last.message.trim(), 120)}` : '';
}
