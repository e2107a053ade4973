/** Citations of a report, each with verbatim excerpts of a tool result. */
import type { Citation } from '../../../../src/features/investigations/report/schema.ts';
import type { Call } from '../../transcript.ts';

const MAX_EXCERPTS = 10;
const MAX_EXCERPT_CHARACTERS = 2_000;
const MAX_CITATIONS = 100;

/**
 * Collects citations. An excerpt must occur verbatim in the shown part of the result, so that a text search confirms
 * it.
 */
export class Citations {
  readonly list: Citation[] = [];

  /**
   * Cites the first of the candidates that occurs in the result.
   * @param candidates pieces of the result's text, the most telling first
   * @returns ` [n]` to put behind a statement, or an empty text when the result cannot be cited
   */
  cite(call: Call | undefined, ...candidates: string[]): string {
    if (call?.evidence === undefined) return '';
    const excerpt = candidates.find(
      (text) => text !== '' && text.length <= MAX_EXCERPT_CHARACTERS && call.body.includes(text),
    );
    if (excerpt === undefined) return '';
    const { evidence } = call;
    const same = this.list.filter((citation) => citation.evidence === evidence);
    const open =
      same.find(({ excerpts }) => excerpts.includes(excerpt)) ??
      same.find(({ excerpts }) => excerpts.length < MAX_EXCERPTS);
    if (open) {
      if (!open.excerpts.includes(excerpt)) open.excerpts.push(excerpt);
      return ` [${open.n}]`;
    }
    if (this.list.length >= MAX_CITATIONS) return '';
    const n = this.list.length + 1;
    this.list.push({ n, evidence, excerpts: [excerpt] });
    return ` [${n}]`;
  }
}

/** Adjacent members of an object in compact JSON: `"a":1,"b":2`. */
export function members<T extends object>(value: T, ...keys: (keyof T & string)[]): string {
  return keys
    .filter((key) => value[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${JSON.stringify(value[key])}`)
    .join(',');
}
