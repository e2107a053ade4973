import type { LogQuery } from './port.ts';

export type LogLevel = NonNullable<LogQuery['level']>;

/** The words loggers use for each level, lower case. */
export const levelWords: Record<LogLevel, readonly string[]> = {
  error: ['error', 'err', 'fatal', 'critical', 'crit', 'alert', 'emerg', 'emergency', 'panic', 'severe'],
  warn: ['warn', 'warning', 'wrn'],
  info: ['info', 'inf', 'information', 'informational', 'notice', 'log'],
  debug: ['debug', 'dbg', 'trace', 'verbose', 'fine'],
};

const levelOfWord = new Map<string, LogLevel>(
  (Object.entries(levelWords) as [LogLevel, readonly string[]][]).flatMap(([level, words]) =>
    words.map((word) => [word, level] as const),
  ),
);

/** The level a logger's word means (`WARNING` is `warn`); undefined when the word is no level. */
export function normalizeLevel(word: string | undefined): LogLevel | undefined {
  return word === undefined ? undefined : levelOfWord.get(word.trim().toLowerCase());
}

const namedLevel = /(?:^|[\s{,"'])(?:level|lvl|severity|loglevel)["']?\s*[=:]\s*["']?([a-z]+)/i;
const bareLevel =
  /(?:^|[\s[|<(])(error|err|fatal|critical|panic|severe|warn|warning|info|notice|debug|trace)[\]|>):]?(?=\s|$)/i;

/**
 * The level a line states itself: a `level` field of JSON or logfmt anywhere, else a level word among the first 80
 * characters, as in `2026-01-01 12:00:00 ERROR …`. A word later in the sentence is prose, not a level.
 */
export function inferLevel(line: string): LogLevel | undefined {
  const named = normalizeLevel(namedLevel.exec(line)?.[1]);
  return named ?? normalizeLevel(bareLevel.exec(line.slice(0, 80))?.[1]);
}
