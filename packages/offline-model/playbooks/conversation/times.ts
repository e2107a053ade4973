/** Times that people name: `16:40`, ISO times, `the last 20 minutes`. */
import { isLive, type ListedSource } from '../investigation/sources.ts';
import { iso } from '../wording.ts';

export interface NamedWindow {
  /** ISO times. */
  from?: string;
  to?: string;
}

const TIME = /\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?Z?|(?<![\d:.])(?:[01]?\d|2[0-3]):[0-5]\d(?![\d:])/giu;
const RELATIVE = /\b(?:last|past)\s+(\d{1,3})?\s*(min(?:ute)?s?|hours?)\b/i;
const AROUND_MS = 10 * 60_000;

export function windowIn(text: string, source: ListedSource, now = ''): NamedWindow {
  const day = (isLive(source) ? now : (source.window?.to ?? '')).slice(0, 10);
  const [first, second] = [...text.matchAll(TIME)]
    .map(([time]) =>
      Date.parse(
        time.includes('-') ? `${time.replace(' ', 'T').replace(/Z$/i, '')}Z` : `${day}T${time.padStart(5, '0')}Z`,
      ),
    )
    .filter((at) => !Number.isNaN(at));
  if (first === undefined) {
    const [, count = '1', unit = ''] = RELATIVE.exec(text) ?? [];
    const end = Date.parse(now);
    if (unit === '' || !isLive(source) || Number.isNaN(end)) return {};
    return { from: iso(end - Number(count) * (unit.startsWith('h') ? 60 : 1) * 60_000), to: iso(end) };
  }
  if (second !== undefined) return { from: iso(first), to: iso(second) };
  if (/\b(?:since|after|from)\b/i.test(text)) return { from: iso(first) };
  if (/\b(?:before|until|till)\b/i.test(text)) return { to: iso(first) };
  return { from: iso(first - AROUND_MS), to: iso(first + AROUND_MS) };
}
