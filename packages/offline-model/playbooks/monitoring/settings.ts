/** How checks run, as far as plain words say; the plan form sets the rest. */
import { DURATION, durationOf } from '../reading.ts';

export interface Settings {
  /** Seconds between two runs. */
  period: number;
  /** Seconds to look at, and seconds before them to compare with. */
  window?: number;
  history?: number;
  members: Record<string, unknown>;
}

const DEFAULT_PERIOD = 300;
const MIN_PERIOD = 5;
const MAX_PERIOD = 7 * 86_400;
const EVERY = new RegExp(String.raw`\b(?:every|each)\s+(${DURATION}|second|minute|hour|day)`, 'iu');
const WINDOW = new RegExp(String.raw`\blast\s+(${DURATION})`, 'iu');
const HISTORY = new RegExp(String.raw`\b(?:with|against|than|in) the\s+(${DURATION})\s+before\b`, 'iu');
const COOL_DOWN = new RegExp(String.raw`\bcool[- ]?down\s+(?:of\s+)?(${DURATION})`, 'iu');

export function settingsIn(text: string): Settings {
  const every = EVERY.exec(text)?.[1];
  const period = durationOf(every) ?? durationOf(`1 ${every ?? ''}`) ?? DEFAULT_PERIOD;
  const severity = /\b(critical|warning|info)\b/iu.exec(text)?.[1]?.toLowerCase();
  const coolDown = durationOf(COOL_DOWN.exec(text)?.[1]);
  return {
    period: Math.min(MAX_PERIOD, Math.max(MIN_PERIOD, period)),
    window: durationOf(WINDOW.exec(text)?.[1]),
    history: durationOf(HISTORY.exec(text)?.[1]),
    members: {
      ...(/\btwice (?:in a row|running)\b/iu.test(text) && { confirmations: 2 }),
      ...(severity !== undefined && { severity }),
      ...(coolDown !== undefined && { cool_down_seconds: coolDown }),
      ...(/\b(?:one|a single) finding\b/iu.test(text) && { dedup_key: '{check}' }),
      ...(/\b(?:only|just) (?:notify|tell|alert)\b/iu.test(text) && { on_finding: ['notify'] }),
    },
  };
}
