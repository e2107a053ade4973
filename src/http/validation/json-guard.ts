import type { ValidationIssue } from '../errors.ts';

/** Deeper nesting has no use here and would overflow the stack of recursive code. */
export const MAX_DEPTH = 100;

/** Maximum issues reported. */
const MAX_ISSUES = 100;

/**
 * Finds what no schema mentions but no outside JSON may contain: NUL characters and lone surrogates (PostgreSQL cannot
 * store them), a member named `__proto__` (pollutes objects it is copied to), nesting beyond {@link MAX_DEPTH}.
 * Iterative, so that the guard itself cannot overflow the stack.
 * @param root a value from JSON.parse
 * @param at the first element of `loc`
 */
export function guardJson(root: unknown, at: string): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  /** Holds only objects and arrays, each with its path as a linked list: a body of a million numbers is not copied. */
  const waiting: Place[] = [];
  const look = (value: unknown, key: string | number, parent: Place | undefined): void => {
    if (typeof value === 'string') {
      const problem = textProblem(value);
      if (problem) issues.push({ ...problem, loc: [...locOf(parent), key], input: null });
    } else if (typeof value === 'object' && value !== null) {
      waiting.push({ value, key, parent, depth: (parent?.depth ?? 0) + 1 });
    }
  };
  look(root, at, undefined);
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (place.depth > MAX_DEPTH) {
      const msg = `JSON decode error: nested deeper than ${MAX_DEPTH} levels`;
      return [{ type: 'json_invalid', loc: [at], msg, input: null }];
    }
    const { value } = place;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) look(value[index], index, place);
    } else {
      for (const [key, item] of Object.entries(value)) {
        const problem = textProblem(key);
        if (problem) issues.push({ ...problem, loc: locOf(place), input: null });
        else if (key === '__proto__') issues.push(forbiddenKey([...locOf(place), key]));
        else look(item, key, place);
      }
    }
    if (issues.length >= MAX_ISSUES) break;
  }
  return issues.slice(0, MAX_ISSUES);
}

/** An object or array in the JSON, and its path. */
interface Place {
  value: object;
  key: string | number;
  parent: Place | undefined;
  depth: number;
}

function locOf(place: Place | undefined): (string | number)[] {
  const loc: (string | number)[] = [];
  for (let at = place; at !== undefined; at = at.parent) loc.push(at.key);
  return loc.toReversed();
}

/** What is wrong with text from outside, if anything. */
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
