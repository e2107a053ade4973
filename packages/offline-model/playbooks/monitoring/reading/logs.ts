/** What is looked for in logs, as people write it. */
import { takeLimit } from './thresholds.ts';
import type { Subject } from './wish.ts';

export interface SaidLogs {
  subjects: Extract<Subject, { kind: 'logs' }>[];
}

type Level = 'error' | 'warn' | 'info' | 'debug';

const LOGS =
  /\b(?:logs?|log[- ]?(?:lines?|messages?|entr(?:y|ies)|files?)|log(?:ged|ging)|stack ?traces?|stderr|stdout|exceptions)\b/iu;
const SEARCHES =
  /\b(?:look(?:ing)?|search(?:ing)?|grep|scan|watch|wait)\b[^.]{0,40}?\b(?:for|out for)\s+|\b(?:grep|find)\s+|\b(?:contain(?:s|ing)?|says?|saying|mention(?:s|ing)?|appears?|shows? up|turns up|occurs?|is seen|printed|prints)\b/iu;
const LEVELS: [RegExp, Level][] = [
  [/\berrors?\b|\bfatals?\b/iu, 'error'],
  [/\bwarn(?:ing)?s?\b/iu, 'warn'],
  [/\bdebug\b/iu, 'debug'],
  [/\binfo\b/iu, 'info'],
];
const NEW = /\b(?:new|unknown|unseen|never seen|unusual|different|novel|first[- ]time)\b/iu;
const ANY = /\b(?:any|every|each|an|a|single|at least one|once)\s+(?:single\s+)?(?:error|warning|exception)\b/iu;
/** Texts that are searched for without quotes. */
const UNQUOTED: RegExp[] = [
  /\b(?:look(?:ing)?|search(?:ing)?|grep|scan(?:ning)?)\b[^.]{0,40}?\bfor\s+(?:the\s+(?:text|word|words|string|message|phrase)\s+)?(?<pattern>\S.{0,200}?)(?=\s+(?:in|within|on|from|of)\s|$)/iu,
  /\blogs?\b[^.]{0,40}?\bfor\s+(?<pattern>\S.{0,200}?)(?=\s+(?:in|within|on|from|of)\s|$)/iu,
  /(?:\b(?:if|when|whenever)\s+)(?<pattern>\S.{0,120}?)\s+(?:appears?|shows? up|turns up|occurs?|is (?:seen|logged|found)|comes? up)\b/iu,
  /\b(?:containing|contains?|saying|says?|mentioning|mentions?|prints?)\s+(?<pattern>\S{2,200})/iu,
];
/** Words that say that lines are looked for, not what they contain. */
const NO_PATTERN =
  /^(?:(?:the|any|new|all|some|an?|of|in|its?|their|many|too|more|than|\d+|unusual|unknown|other|log|logged|fatal|error|errors|warn|warning|warnings|info|debug|lines?|messages?|entries|entry|logs?|patterns?|kinds?|types?|level|anything|something|problems?|things?|strange|wrong|suspicious)\s*)+$/iu;
const EXCEPTIONS = /\b(?:exceptions?|stack ?traces?|panics?)\b/iu;

/** @param quotes what stands in quotes in it. @returns undefined when it is not about logs */
export function logsIn(text: string, quotes: readonly string[]): SaidLogs | undefined {
  const speaks = LOGS.test(text);
  if (!speaks && !(quotes.length > 0 && SEARCHES.test(text)) && !/\bgrep\b/iu.test(text)) {
    // Another text beside one that is searched for: `look for "a" and "b" in the logs`.
    return quotes.length > 0 && /^\W*$/u.test(text.replaceAll(/[\ue000-\ue3ff]/gu, ''))
      ? { subjects: patterns(quotes, {}) }
      : undefined;
  }
  const limit = takeLimit({ text });
  if (quotes.length > 0) return { subjects: patterns(quotes, limit) };
  const found = UNQUOTED.map((said) => said.exec(text)?.groups?.['pattern']?.trim()).find(
    (pattern) => pattern !== undefined && !NO_PATTERN.test(pattern),
  );
  const level = LEVELS.find(([said]) => said.test(text))?.[1];
  if (found !== undefined) return { subjects: patterns([found.replace(/^(?:the|any|an?)\s+/iu, '')], limit) };
  if (EXCEPTIONS.test(text)) {
    const pattern = /panic/iu.test(text) ? 'panic' : 'exception';
    return { subjects: [{ kind: 'logs', pattern, isNew: NEW.test(text), limit }] };
  }
  const isNew = NEW.test(text) || (limit.threshold === undefined && !ANY.test(text));
  return { subjects: [{ kind: 'logs', level: level ?? 'error', isNew, limit }] };
}

function patterns(texts: readonly string[], limit: SaidLogs['subjects'][number]['limit']): SaidLogs['subjects'] {
  return texts
    .map((text) => text.trim().slice(0, 500).toWellFormed())
    .filter(Boolean)
    .map((pattern) => ({ kind: 'logs', pattern, isNew: false, limit }));
}
