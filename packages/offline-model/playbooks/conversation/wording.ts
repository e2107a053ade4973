/** How answers state facts: figures and times as the evidence has them, foreign text as code, `[n]` behind a claim. */
import type { Call } from '../../transcript.ts';
import { name, quote, verbatim } from '../investigation/statements.ts';

export { name, verbatim } from '../investigation/statements.ts';

/**
 * ` [n]` for the results a statement rests on, n being their evidence number. One that cannot be cited is left out.
 */
export function cite(...calls: (Call | undefined)[]): string {
  const numbers = calls.flatMap((call) => (call?.evidence === undefined ? [] : [call.evidence]));
  return [...new Set(numbers)].map((number) => ` [${number}]`).join('');
}

/** `8.26 s`; shares and counts without their unit, which says nothing a reader does not know. */
export function measured(value: number | null, unit?: string): string {
  return unit && unit !== 'ratio' && unit !== '1' ? `${verbatim(value)} ${unit}` : verbatim(value);
}

/** The time of day of an ISO time, as it stands in it: `16:36:15`. */
export function clock(iso: string): string {
  return /T(\d{2}:\d{2}:\d{2})/.exec(iso)?.[1] ?? name(iso);
}

/** The day of an ISO time, as it stands in it. */
export function day(iso: string): string {
  return /^\d{4}-\d{2}-\d{2}/.exec(iso)?.[0] ?? name(iso);
}

/** A metric as code, and which statistic of it. */
export function metricName({ metric, statistic }: { metric: string; statistic?: string }): string {
  return `${quote(metric, 120)}${statistic ? ` (${name(statistic)})` : ''}`;
}

/** `a, b and c` */
export function listed(items: readonly string[], most = items.length): string {
  const shown = items.slice(0, most);
  const more = items.length > shown.length ? [`${items.length - shown.length} more`] : [];
  const all = [...shown, ...more];
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

/** Lines of a Markdown list. */
export function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

/** Paragraphs with blank lines between them; empty ones are left out. */
export function paragraphs(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part.trim() !== '').join('\n\n');
}

/** `One sentence.` of a text that may have several lines or no end. */
export function sentence(text: string): string {
  return /[.!?…:]$/.test(text) ? text : `${text}.`;
}

/** Changes a text, but nothing in its code spans. */
export function outsideCode(text: string, change: (part: string) => string): string {
  return text
    .split(/(`+[^`]*`+)/)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');
}

/** The message of a failed call, quoted. */
export function failureOf(call: Call): string {
  const message = /"error":"((?:[^"\\]|\\.)*)"/.exec(call.body)?.[1] ?? call.body;
  return quote(message, 200);
}
