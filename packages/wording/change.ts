import { code } from './code.ts';
import { metricPhrase, type MetricName } from './metric.ts';
import { fromTo, quantity } from './quantity.ts';
import { clockTime } from './time.ts';

/** How a metric moved. */
export interface Change extends MetricName {
  service?: string;
  unit?: string;
  before: number | null;
  after: number | null;
  /** ISO time since when it has been off its usual level. */
  at?: string | null;
}

/** Units that names promise where the source gives none. */
const UNIT_IN_NAME: readonly (readonly [RegExp, string])[] = [
  [/_seconds(?:_|$)/i, 's'],
  [/_(?:ms|milliseconds)(?:_|$)/i, 'ms'],
  [/_bytes(?:_|$)/i, 'bytes'],
  [/[_:](?:ratio|utili[sz]ation)(?:_|$)/i, 'ratio'],
  [/_percent(?:age)?(?:_|$)/i, '%'],
];

/**
 * ``Error rate (`error_ratio`) of `payments` rose from 0 % to 100 % at 14:10:14 UTC.``
 * @param cited put before the full stop, such as ` [1]`
 */
export function changeSentence({ service, unit, before, after, at, ...metric }: Change, cited = ''): string {
  const known = unit ?? UNIT_IN_NAME.find(([named]) => named.test(metric.metric))?.[1];
  const of = service === undefined ? '' : ` of ${code(service)}`;
  const when = at ? ` at ${clockTime(at)}` : '';
  const subject = `${metricPhrase(metric)}${of}`;
  // "p95" is written small everywhere.
  const start = /^p\d/.test(subject) ? subject : subject.charAt(0).toUpperCase() + subject.slice(1);
  return `${start} ${moved(before, after, known)}${when}${cited}.`;
}

function moved(before: number | null, after: number | null, unit: string | undefined): string {
  if (before === null || after === null) return `reached ${quantity(after, unit)}`;
  const range = fromTo(before, after, unit);
  if (before === after) return `stayed at ${quantity(after, unit)}`;
  return `${after > before ? 'rose' : 'fell'} ${range}`;
}
