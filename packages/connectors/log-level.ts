/** The names loggers give their levels, and how a line states its own. */

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** Loggers' words for each level, lower case. */
export const levelWords: Record<LogLevel, readonly string[]> = {
  error: ['error', 'err', 'fatal', 'critical', 'crit', 'alert', 'emerg', 'emergency', 'panic', 'severe'],
  warn: ['warn', 'warning', 'wrn'],
  info: ['info', 'inf', 'information', 'informational', 'notice', 'log'],
  debug: ['debug', 'dbg', 'trace', 'verbose', 'fine'],
};

const levels = ['error', 'warn', 'info', 'debug'] as const;
const levelOfWord = new Map<string, LogLevel>(
  levels.flatMap((level) => levelWords[level].map((word) => [word, level] as const)),
);

/** The level a logger's word means (`WARNING` is `warn`); undefined when the word is no level. */
export function normalizeLevel(word: string | undefined): LogLevel | undefined {
  return word === undefined ? undefined : levelOfWord.get(word.trim().toLowerCase());
}

const namedLevel = /(?:^|[\s{,"'])(?:level|lvl|severity|loglevel)["']?\s*[=:]\s*["']?([a-z]+)/i;
const words = 'error|err|fatal|critical|panic|severe|warn|warning|info|notice|debug|trace';
const shoutedLevel = new RegExp(String.raw`(?:^|[\s[|<(])(${words.toUpperCase()})(?=[\s\]|>):]|$)`);
const setOffLevel = new RegExp(String.raw`(?:^\s*|\[)(${words})(?:\]|:\s)`, 'i');

/**
 * The level a line states itself: a `level` field of JSON or logfmt anywhere; else, among the first 80 characters, a
 * level word in capitals (`2026-01-01 12:00:00 ERROR …`), in brackets, or before the first colon. In prose, as in
 * `finished without error`, the word is no level.
 */
export function inferLevel(line: string): LogLevel | undefined {
  const named = normalizeLevel(namedLevel.exec(line)?.[1]);
  const head = line.slice(0, 80);
  return named ?? normalizeLevel((shoutedLevel.exec(head) ?? setOffLevel.exec(head))?.[1]);
}
