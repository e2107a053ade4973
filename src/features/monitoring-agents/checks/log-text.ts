/** Log lines and patterns in words. */
import type { LogLine } from '../../sources/port.ts';
import { clip } from '../../tools/index.ts';
import type { SubjectOf } from '../plan/schema.ts';
import { at } from './figures.ts';

const LINE_CHARACTERS = 1_000;

/** A log line as evidence shows it. */
export function shownLine({ at: time, service, level, message }: LogLine): Record<string, unknown> {
  return {
    at: at(time),
    service: clip(service, 200),
    ...(level && { level }),
    message: clip(message, LINE_CHARACTERS),
  };
}

/** What a check searches for, as a person would write it. */
export function describeQuestion(subject: SubjectOf<'log_pattern'>): string {
  return `${describePattern(subject)} of ${subject.service ?? 'every service'}`;
}

/** The required properties of a line. */
export function describePattern({ pattern, level }: SubjectOf<'log_pattern'>): string {
  return (
    [level ? `of level ${level}` : '', pattern ? `with "${clip(pattern, 100)}"` : ''].filter(Boolean).join(' ') ||
    'of any kind'
  );
}
