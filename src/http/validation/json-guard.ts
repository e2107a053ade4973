import type { ValidationIssue } from '../errors.ts';

/** Deeper nesting has no use here and would let recursive code run out of stack. */
export const MAX_DEPTH = 100;

/**
 * What no schema says but no JSON from outside may hold: NUL characters and lone surrogates (PostgreSQL cannot store
 * them), a member named `__proto__` (pollutes what copies it), nesting beyond {@link MAX_DEPTH}.
 * Iterative, so that the guard cannot itself run out of stack.
 * @param root a value from JSON.parse
 * @param at how `loc` begins
 */
export function guardJson(root: unknown, at: string): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const stack: { value: unknown; loc: (string | number)[] }[] = [{ value: root, loc: [at] }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { value, loc } = next;
    if (typeof value === 'string') {
      const problem = textProblem(value);
      if (problem) issues.push({ ...problem, loc, input: null });
    } else if (typeof value === 'object' && value !== null) {
      if (loc.length > MAX_DEPTH) {
        return [
          {
            type: 'json_invalid',
            loc: [at],
            msg: `JSON decode error: nested deeper than ${MAX_DEPTH} levels`,
            input: null,
          },
        ];
      }
      if (Array.isArray(value)) {
        for (const [index, item] of value.entries()) stack.push({ value: item, loc: [...loc, index] });
      } else {
        for (const [key, item] of Object.entries(value)) {
          const problem = textProblem(key);
          if (problem) issues.push({ ...problem, loc, input: null });
          else if (key === '__proto__') issues.push(forbiddenKey([...loc, key]));
          else stack.push({ value: item, loc: [...loc, key] });
        }
      }
    }
    if (issues.length >= 100) break;
  }
  return issues;
}

/** What is wrong with a text that came from outside, if anything. */
export function textProblem(text: string): { type: string; msg: string } | undefined {
  if (text.includes('\0')) {
    return { type: 'string_unicode', msg: 'Input should be a valid string, without null characters' };
  }
  if (!text.isWellFormed()) {
    return {
      type: 'string_unicode',
      msg: 'Input should be a valid string, unable to parse raw data as a unicode string',
    };
  }
  return undefined;
}

const forbiddenKey = (loc: (string | number)[]): ValidationIssue => ({
  type: 'extra_forbidden',
  loc,
  msg: 'Extra inputs are not permitted',
  input: null,
});
