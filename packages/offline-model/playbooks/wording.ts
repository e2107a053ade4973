/** How answers state facts: foreign text as code, `[n]` after a claim. */
import { code as quote } from '@casebook/wording';
import type { Call } from '../transcript.ts';

export { quote };

/** ` [n]` for each result that a statement rests on and that can be cited. */
export function cite(...calls: (Call | undefined)[]): string {
  const numbers = calls.flatMap((call) => (call?.evidence === undefined ? [] : [call.evidence]));
  return [...new Set(numbers)].map((number) => ` [${number}]`).join('');
}

/** `16:36:15 UTC` */
export function clock(iso: string): string {
  const [, time] = /T(\d{2}:\d{2}:\d{2}).*Z$/.exec(iso) ?? [];
  return time === undefined ? name(iso) : `${time} UTC`;
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
  const [, escaped] = /"error":("(?:[^"\\]|\\.)*")/.exec(call.body) ?? [];
  return quote(escaped === undefined ? call.body : unescaped(escaped), 200);
}

/** What only looks like JSON stays as it is. */
function unescaped(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
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

export function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
