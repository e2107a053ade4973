/** What is looked at and what it is compared with, as people write it: `compare the last 30 seconds with the hour before`. */
import { DURATION, durationOf, TIME_UNIT } from './numbers.ts';
import { take, type Passage } from './passage.ts';

export interface SaidComparison {
  /** Seconds that are looked at. */
  window?: number;
  /** Seconds before, by which it is judged. */
  history?: number;
}

const LENGTH = String.raw`(?:${DURATION}|${TIME_UNIT}\b)`;
const COMPARED = new RegExp(
  String.raw`\b(?:compar(?:e|ed|ing)|judg(?:e|ed|ing)|measur(?:e|ed|ing))\s+(?:the\s+)?(?:last|past|newest|latest)\s+(?<window>${LENGTH})\s+(?:with|to|against|by)\s+(?:the\s+)?(?:last\s+|previous\s+|preceding\s+)?(?<history>${LENGTH})(?:\s+(?:before(?:\s+(?:that|it|them))?|earlier|of\s+history))?`,
  'iu',
);
const WINDOW = new RegExp(
  String.raw`\b(?:over|in|within|during|look(?:ing)?\s+at)\s+(?:the\s+)?(?:last|past)\s+(?<window>${LENGTH})`,
  'iu',
);
const HISTORY = new RegExp(
  String.raw`\b(?:compared\s+(?:with|to)|against)\s+(?:the\s+)?(?:last\s+|past\s+|previous\s+)?(?<history>${LENGTH})(?:\s+(?:before(?:\s+(?:that|it))?|earlier|of\s+history))?`,
  'iu',
);

/** Takes out of the passage what is compared with what; empty where nothing is said of it. */
export function takeComparison(passage: Passage): SaidComparison {
  const both = take(passage, COMPARED)?.groups;
  const window = lengthOf(both?.['window'] ?? take(passage, WINDOW)?.groups?.['window']);
  const history = lengthOf(both?.['history'] ?? take(passage, HISTORY)?.groups?.['history']);
  return { ...(window !== undefined && { window }), ...(history !== undefined && { history }) };
}

function lengthOf(said: string | undefined): number | undefined {
  if (said === undefined) return undefined;
  // `the hour before` is one hour.
  return durationOf(said) ?? durationOf(`1 ${said}`);
}
