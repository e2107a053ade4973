/** Whether a source has any logs: the absence of matches is good news only if there are lines. */
import { SourceError, type LogQuery, type TimeWindow } from '../../sources/port.ts';
import { duration, listed, near } from './figures.ts';
import { membersOf } from './ask.ts';
import { readLines, type LogSource } from './log-pages.ts';
import { wildcard } from './wildcard.ts';

/** A service may be silent for a while. */
const LOOKED_BACK_SECONDS = 3_600;

/**
 * Whether the source has, or knows of, logs for a check's subject.
 * @returns why nothing could be searched; undefined if logs exist
 */
export async function hasLines(
  source: LogSource,
  { service }: Pick<LogQuery, 'service'>,
  window: TimeWindow,
  signal: AbortSignal,
): Promise<string | undefined> {
  const period = { from: Math.min(window.from, window.to - LOOKED_BACK_SECONDS), to: window.to };
  const query = { ...period, ...(service !== undefined && { service }) };
  const any = await readLines(source, query, wildcard(undefined), { enough: 1, signal });
  if (any.lines.length > 0) return undefined;
  const none = `no log lines of ${service ?? 'any service'} in the last ${duration(period.to - period.from)}`;
  if (service === undefined) return none;
  const known = await servicesOf(source, signal);
  if (known === undefined || known.includes(service)) return known === undefined ? none : undefined;
  return `${none}; services are: ${listed(near(service, known)) || 'none'}`;
}

/** Undefined if the source does not say. */
async function servicesOf(source: LogSource, signal: AbortSignal): Promise<string[] | undefined> {
  if (!source.services) return undefined;
  try {
    const answer: unknown = await source.services({ signal });
    if (!Array.isArray(answer)) return undefined;
    return answer.slice(0, 10_000).flatMap((one) => {
      const name = membersOf(one)?.name;
      return typeof name === 'string' ? [name] : [];
    });
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}
