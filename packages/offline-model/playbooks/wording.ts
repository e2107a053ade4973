/** How answers state facts: figures and times as in the evidence, foreign text as code, `[n]` after a claim. */
import type { Call } from '../transcript.ts';

/** ` [n]` for each result that a statement rests on and that can be cited. */
export function cite(...calls: (Call | undefined)[]): string {
  const numbers = calls.flatMap((call) => (call?.evidence === undefined ? [] : [call.evidence]));
  return [...new Set(numbers)].map((number) => ` [${number}]`).join('');
}

/** `8.26 s`; shares and counts have no unit. */
export function measured(value: number | null, unit?: string): string {
  return unit && unit !== 'ratio' && unit !== '1' ? `${verbatim(value)} ${unit}` : verbatim(value);
}

/** `16:36:15` */
export function clock(iso: string): string {
  return /T(\d{2}:\d{2}:\d{2})/.exec(iso)?.[1] ?? name(iso);
}

export function metricName({ metric, statistic }: { metric: string; statistic?: string }): string {
  return statistic ? `${name(metric)} (${name(statistic)})` : name(metric);
}

/** `a, b and c` */
export function listed(items: readonly string[], most = items.length): string {
  const shown = items.slice(0, most);
  const more = items.length > shown.length ? [`${items.length - shown.length} more`] : [];
  const all = [...shown, ...more];
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

export function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

export function paragraphs(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part.trim() !== '').join('\n\n');
}

/** Changes a text outside its code spans. */
export function outsideCode(text: string, change: (part: string) => string): string {
  return text
    .split(/(`+[^`]*`+)/)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');
}

/** The message of a failed call. */
export function failureOf(call: Call): string {
  const message = /"error":"((?:[^"\\]|\\.)*)"/.exec(call.body)?.[1] ?? call.body;
  return quote(message, 200);
}

/** Foreign text as code, so that it cannot be Markdown or a citation. */
export function quote(text: string, limit: number): string {
  return `\`${clip(text.replaceAll('`', "'"), limit)}\``;
}

/** Such a name cannot be Markdown, a citation, an address or an instruction. */
const PLAIN_NAME = /^(?!www\.)(?!.*\/\/)[A-Za-z\d][\w.:/-]{0,79}$/;

/** A name from telemetry, quoted unless it is plain. */
export function name(text: string): string {
  return PLAIN_NAME.test(text) ? text : quote(text, 80);
}

export function clip(text: string, limit: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > limit ? `${line.slice(0, limit - 1).toWellFormed()}…` : line;
}

const FEWEST_DIGITS = 3;
const MAX_DIGITS = 5;
const CUT_DIGITS = 4;

/**
 * A short form of a number that still starts the exact one, so that a text search finds it in the evidence: rounded to
 * three to five significant digits, else truncated.
 */
export function verbatim(value: number | null): string {
  if (value === null) return 'unknown';
  const magnitude = Math.abs(value);
  const exact = String(magnitude);
  if (exact.includes('e')) return exact;
  for (let digits = FEWEST_DIGITS; digits <= MAX_DIGITS; digits += 1) {
    const rounded = String(Number(magnitude.toPrecision(digits)));
    if (exact.startsWith(rounded) && rounded.length >= (exact.split('.')[0]?.length ?? 0)) return rounded;
  }
  return cut(exact);
}

function cut(exact: string): string {
  const [whole = '', fraction = ''] = exact.split('.');
  const zeros = whole === '0' ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  const kept = whole === '0' ? zeros + CUT_DIGITS : CUT_DIGITS - whole.length;
  return kept > 0 && fraction !== '' ? `${whole}.${fraction.slice(0, kept)}` : whole;
}

export function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
