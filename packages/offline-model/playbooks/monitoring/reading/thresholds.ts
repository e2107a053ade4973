/** Limits as people write them: `goes above 5% for 10 minutes`. */
import { DURATION, durationOf, NUMBER, numberOf } from './numbers.ts';
import { take, type Passage } from './passage.ts';

export type Operator = '>' | '>=' | '<' | '<=' | '==' | '!=';

export interface Threshold {
  /** Undefined: only the figure was named. */
  operator?: Operator;
  value: number;
  /** As it was written; undefined: none. */
  unit?: string;
}

export interface SaidLimit {
  threshold?: Threshold;
  /** Seconds for which it must be so all the time. */
  sustained?: number;
  /** Seconds that are looked at. */
  within?: number;
  /** It is compared with what is usual. */
  relative?: boolean;
}

const UNIT = String.raw`%|per\s?cent(?:age)?|pct|(?:[a-z]+\s?\/\s?(?:s|sec|second|min|minute|h|hour)\b)|(?:\w+\s+)?per\s+(?:second|minute|hour)\b|ms\b|msecs?\b|millis\b|milliseconds?\b|microseconds?\b|µs|us\b|secs?\b|seconds?\b|s\b|mins?\b|minutes?\b|hours?\b|rps\b|qps\b|rpm\b|[kmgt]i?b\b|[mg]i\b|bytes?\b|b\b`;
const VALUE = String.raw`(?<value>-?${NUMBER})(?<thousand>k)?\s*(?<unit>${UNIT})?`;
const OPERATORS: [Operator, string][] = [
  ['>=', String.raw`>=|≥|at least|no less than|not (?:be )?(?:below|under|less than)|reach(?:es|ed)?|or more`],
  ['<=', String.raw`<=|≤|at most|no more than|not (?:be )?(?:above|over|more than)|up to`],
  ['!=', String.raw`!=|≠|is not|isn't|not equal(?:s)?(?: to)?|differs? from|other than`],
  [
    '>',
    String.raw`>|above|over|exceed(?:s|ed|ing)?|more than|greater than|higher than|larger than|bigger than|longer than|slower than|beyond|past|goes to`,
  ],
  ['<', String.raw`<|below|under|less than|lower than|fewer than|smaller than|beneath|drop(?:s|ped)? to|falls? to`],
  ['==', String.raw`==|=|equals?(?: to)?|is exactly`],
];
const COMPARED = new RegExp(
  String.raw`(?:\b(?:is|are|goes|go|gets|get|rises?|climbs?|drops?|falls?|stays?|stay|remains?|was|be|jumps?|grows?|becomes?|takes?|of)\s+)*(?<operator>${OPERATORS.map(([, words]) => words).join('|')})(?:\s+|(?<=[<>=≤≥≠])\s*)(?:the\s+|an?\s+(?!hour|minute|second))?${VALUE}`,
  'iu',
);
const OR_MORE = new RegExp(String.raw`${VALUE}\s+or\s+(?<way>more|less|higher|lower|fewer|slower|longer)\b`, 'iu');
const NAMED = new RegExp(
  String.raw`\b(?:threshold|limit|maximum|max|minimum|min|target|slo|budget)\s*(?:of|to|is|at|:|=)?\s*${VALUE}`,
  'iu',
);
const RELATIVE =
  /(?:\b(?:is|are|goes|go|rises?)\s+)?\b(?:(?:higher|lower|more|less|slower|worse|faster|different|other)\s+than\s+(?:is\s+)?(?:usual|normal|before|always|it was)|un(?:usual|expected)(?:ly)?|abnormal(?:ly)?|anomal\w+|out of the ordinary|spikes?|spiking|doubles?|triples?|jumps?|changes?\s+(?:suddenly|a lot)|deviates?\w*|off\b|strange\b|odd\b)(?:\s+(?:high|low|slow))?/iu;
const FACTOR = new RegExp(
  String.raw`\b(?:${NUMBER}\s*(?:%|per\s?cent|x|times)|twice|double|triple)\s+(?:as\s+\w+\s+as\s+|the\s+|(?:higher|lower|more|slower|above|over)\s+(?:than\s+)?)?(?:the\s+)?(?:usual|normal|baseline|average|before)(?:\s+\w+)?`,
  'iu',
);
const SUSTAINED = new RegExp(
  String.raw`\b(?:for|during)\s+(?:(?:at\s+least|more\s+than|over|longer\s+than)\s+)?(?<length>${DURATION})`,
  'iu',
);
const WITHIN = new RegExp(
  String.raw`\b(?:with?in|in|over|during|of)\s+(?:the\s+)?(?:(?:last|past|any|a\s+window\s+of|previous)\s+)?(?<length>${DURATION})|\b(?<window>${DURATION})\s+(?:window|average)\b`,
  'iu',
);
/** A time that stands alone. */
const TERSE = /(?:^|\s)(?<length>\d{1,4}\s?(?:s|m|min|mins|h))(?=\s*(?:$|[,;]|crit|warn|info|sev))/iu;
/** What is wanted, rather than what is a finding: its opposite is one. */
const WANTED =
  /\b(?:stays?|remains?|keeps?|should|must|has to|have to|ought to|make sure|ensure|verify|assert|confirm|check that|slo|objective)\b/i;
const OPPOSITE: Record<Operator, Operator> = { '>': '<=', '>=': '<', '<': '>=', '<=': '>', '==': '!=', '!=': '==' };

/** Takes the first limit out of the passage. */
export function takeLimit(passage: Passage): SaidLimit {
  const said: SaidLimit = {};
  const isWanted = WANTED.test(passage.text);
  if (take(passage, FACTOR)) said.relative = true;
  const threshold = takeThreshold(passage);
  if (threshold) {
    const { operator } = threshold;
    said.threshold = isWanted && operator ? { ...threshold, operator: OPPOSITE[operator] } : threshold;
  }
  const sustained = durationOf(take(passage, SUSTAINED)?.groups?.['length'] ?? '');
  if (sustained !== undefined) said.sustained = sustained;
  const { length, window } = take(passage, WITHIN)?.groups ?? {};
  // `> 1s 5m`: a time behind the limit is for how long.
  const terse =
    said.threshold && sustained === undefined ? durationOf(take(passage, TERSE)?.groups?.['length'] ?? '') : undefined;
  if (terse !== undefined) said.sustained = terse;
  const within = durationOf(length ?? window ?? '');
  if (within !== undefined) said.within = within;
  if (take(passage, RELATIVE)) said.relative = true;
  return said;
}

const NEW_VALUE = new RegExp(String.raw`\b(?:to|at|with|use)\s+${VALUE}(?![\d:]|\.\d)`, 'iu');
const OLD_VALUE = new RegExp(String.raw`\bfrom\s+${VALUE.replaceAll('?<', '?<old')}\s+(?=to\b)`, 'iu');

/** Takes the limit out of a passage that says what an existing one is to be: `raise it from 500 to 800 ms`. */
export function takeNewLimit(passage: Passage): SaidLimit {
  take(passage, OLD_VALUE);
  const said = takeLimit(passage);
  const value = said.threshold ? undefined : take(passage, NEW_VALUE)?.groups;
  const threshold = value && thresholdOf(value, undefined);
  return threshold ? { ...said, threshold } : said;
}

function takeThreshold(passage: Passage): Threshold | undefined {
  const more = take(passage, OR_MORE)?.groups;
  if (more) return thresholdOf(more, /more|higher|slower|longer/i.test(more['way'] ?? '') ? '>=' : '<=');
  const compared = take(passage, COMPARED)?.groups;
  if (compared) {
    const operator = operatorOf(compared['operator'] ?? '');
    const said = thresholdOf(compared, operator);
    // `drops to zero`: below it is nothing.
    return said?.value === 0 && operator === '<' ? { ...said, operator: '<=' } : said;
  }
  const named = take(passage, NAMED)?.groups;
  return named && thresholdOf(named, undefined);
}

function thresholdOf(
  groups: Record<string, string | undefined>,
  operator: Operator | undefined,
): Threshold | undefined {
  const raw = groups['value'] ?? '';
  const sign = raw.startsWith('-') ? -1 : 1;
  const number = numberOf(raw.replace(/^-/, ''));
  if (number === undefined) return undefined;
  const unit = groups['unit']?.trim();
  return {
    ...(operator && { operator }),
    value: sign * number * (groups['thousand'] ? 1_000 : 1),
    ...(unit && { unit: unit.replaceAll(/\s*\/\s*/g, '/') }),
  };
}

function operatorOf(said: string): Operator {
  return OPERATORS.find(([, words]) => new RegExp(`^(?:${words})$`, 'iu').test(said))?.[0] ?? '>';
}
