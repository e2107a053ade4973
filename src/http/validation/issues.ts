import type { z } from 'zod';
import type { ValidationIssue } from '../errors.ts';
import type { Parameter } from './coerce.ts';

type ZodIssue = z.core.$ZodIssue;
export type Place = 'body' | 'query' | 'path' | 'header';
type Named = { type: string; msg: string; ctx?: Record<string, unknown> };

/** Maximum issues reported per request: an array of a million wrong items is one mistake. */
const MAX_ISSUES = 100;

/**
 * Converts Zod's issues to FastAPI's (pydantic's) format.
 * @param value the validated value, before any conversion; the source of `input`
 * @param parameters how texts were read, for query, path and header
 */
export function toValidationIssues(
  issues: readonly ZodIssue[],
  place: Place,
  value: unknown,
  parameters: readonly Parameter[] = [],
): ValidationIssue[] {
  const result: ValidationIssue[] = [];
  for (const issue of withoutEchoes(issues.slice(0, MAX_ISSUES).flatMap(expand))) {
    if (result.length >= MAX_ISSUES) break;
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    const missing = issue.code !== 'custom' && issue.code !== 'unrecognized_keys' && at(value, path) === undefined;
    const kind = place === 'body' ? undefined : parameters.find(({ name }) => name === path[0])?.kind;
    const named = missing ? { type: 'missing', msg: 'Field required' } : name(issue, kind);
    const input = at(value, missing ? path.slice(0, -1) : path);
    const loc = [place, ...path];
    const silent = isSensitive(loc) || (place === 'header' && missing);
    result.push({
      type: named.type,
      loc,
      msg: named.msg,
      input: silent ? null : echo(input),
      ...(named.ctx && { ctx: named.ctx }),
    });
  }
  return result;
}

/**
 * Reports one issue of a kind per value: the size of a value of the wrong type is irrelevant, and of two violated
 * bounds (integers have implicit ones) the one declared last is meant.
 */
function withoutEchoes(issues: readonly ZodIssue[]): ZodIssue[] {
  const wrongType = new Set<string>();
  const lastBound = new Map<string, ZodIssue>();
  const placeOf = ({ path }: ZodIssue): string => path.map(String).join('\0');
  for (const issue of issues) {
    if (issue.code === 'invalid_type') wrongType.add(placeOf(issue));
    if (issue.code === 'too_big' || issue.code === 'too_small') lastBound.set(placeOf(issue) + issue.code, issue);
  }
  return issues.filter((issue) => {
    const place = placeOf(issue);
    if (wrongType.has(place)) return issue.code === 'invalid_type';
    const bound = lastBound.get(place + issue.code);
    return bound === undefined || bound === issue;
  });
}

/** One issue per unknown key; for a union, the issues of the closest alternative. */
function expand(issue: ZodIssue): ZodIssue[] {
  if (issue.code === 'unrecognized_keys' && issue.keys.length > 0) {
    return issue.keys.slice(0, MAX_ISSUES).map((key) => ({ ...issue, keys: [], path: [...issue.path, key] }));
  }
  if (issue.code === 'invalid_union') {
    const near = issue.errors.filter(
      (branch) => !branch.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
    );
    const closest = near.toSorted((a, b) => a.length - b.length)[0];
    if (closest) return closest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(expand);
  }
  if (issue.code === 'invalid_key' || issue.code === 'invalid_element') {
    return issue.issues.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(expand);
  }
  return [issue];
}

function at(value: unknown, path: readonly (string | number)[]): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Object.getOwnPropertyDescriptor(current, part)?.value;
  }
  return current;
}

/** A message from the schema's author wins over the standard one. */
const isZodsOwn = (message: string): boolean => /^(Invalid|Too (small|big)|Unrecognized)/.test(message);

function name(issue: ZodIssue, kind: Parameter['kind'] | undefined): Named {
  const named = standardName(issue, kind);
  return isZodsOwn(issue.message) ? named : { ...named, msg: issue.message };
}

function standardName(issue: ZodIssue, kind: Parameter['kind'] | undefined): Named {
  switch (issue.code) {
    case 'invalid_type':
      return typeName(issue, kind);
    case 'too_small':
      return sizeName(issue.origin, 'min', Number(issue.minimum), issue.inclusive !== false);
    case 'too_big':
      return sizeName(issue.origin, 'max', Number(issue.maximum), issue.inclusive !== false);
    case 'invalid_format':
      return formatName(issue.format, 'pattern' in issue ? issue.pattern : undefined);
    case 'not_multiple_of':
      return {
        type: 'multiple_of',
        msg: `Input should be a multiple of ${issue.divisor}`,
        ctx: { multiple_of: issue.divisor },
      };
    case 'unrecognized_keys':
      return { type: 'extra_forbidden', msg: 'Extra inputs are not permitted' };
    case 'invalid_value': {
      const expected = issue.values
        .map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
        .join(' or ');
      return { type: 'literal_error', msg: `Input should be ${expected}`, ctx: { expected } };
    }
    case 'invalid_union':
      if ('discriminator' in issue && issue.discriminator !== undefined)
        return { type: 'union_tag_invalid', msg: issue.message };
      return { type: 'union_error', msg: 'Input does not match any of the accepted forms' };
    default:
      return { type: 'value_error', msg: `Value error, ${issue.message}` };
  }
}

const PARSING: Record<string, Named> = {
  int: { type: 'int_parsing', msg: 'Input should be a valid integer, unable to parse string as an integer' },
  number: { type: 'float_parsing', msg: 'Input should be a valid number, unable to parse string as a number' },
  boolean: { type: 'bool_parsing', msg: 'Input should be a valid boolean, unable to interpret input' },
};

const TYPES: Record<string, Named> = {
  string: { type: 'string_type', msg: 'Input should be a valid string' },
  number: { type: 'float_type', msg: 'Input should be a valid number' },
  int: { type: 'int_from_float', msg: 'Input should be a valid integer, got a number with a fractional part' },
  boolean: { type: 'bool_type', msg: 'Input should be a valid boolean' },
  array: { type: 'list_type', msg: 'Input should be a valid list' },
  object: { type: 'model_attributes_type', msg: 'Input should be a valid dictionary or object to extract fields from' },
  record: { type: 'dict_type', msg: 'Input should be a valid dictionary' },
  date: { type: 'datetime_type', msg: 'Input should be a valid datetime' },
  null: { type: 'none_required', msg: 'Input should be None' },
};

function typeName(issue: ZodIssue & { code: 'invalid_type' }, kind: Parameter['kind'] | undefined): Named {
  const parsing = kind && PARSING[kind];
  if (parsing) return parsing;
  return TYPES[issue.expected] ?? { type: 'value_error', msg: `Value error, ${issue.message}` };
}

const SIZE_NAMES = {
  string: { min: 'string_too_short', max: 'string_too_long', unit: 'character', subject: 'String' },
  array: { min: 'too_short', max: 'too_long', unit: 'item', subject: 'List' },
} as const;

const BOUNDS = {
  min: {
    closed: { type: 'greater_than_equal', words: 'greater than or equal to', key: 'ge' },
    open: { type: 'greater_than', words: 'greater than', key: 'gt' },
  },
  max: {
    closed: { type: 'less_than_equal', words: 'less than or equal to', key: 'le' },
    open: { type: 'less_than', words: 'less than', key: 'lt' },
  },
} as const;

function sizeName(origin: string, side: 'min' | 'max', bound: number, inclusive: boolean): Named {
  const sized =
    origin === 'string' ? SIZE_NAMES.string : ['array', 'set', 'map', 'object'].includes(origin) && SIZE_NAMES.array;
  if (sized) {
    const words = side === 'min' ? 'at least' : 'at most';
    const plural = bound === 1 ? '' : 's';
    return {
      type: sized[side],
      msg: `${sized.subject} should have ${words} ${bound} ${sized.unit}${plural}`,
      ctx: { [`${side}_length`]: bound },
    };
  }
  const { type, words, key } = BOUNDS[side][inclusive ? 'closed' : 'open'];
  return { type, msg: `Input should be ${words} ${bound}`, ctx: { [key]: bound } };
}

const FORMATS: Record<string, Named> = {
  uuid: { type: 'uuid_parsing', msg: 'Input should be a valid UUID' },
  guid: { type: 'uuid_parsing', msg: 'Input should be a valid UUID' },
  url: { type: 'url_parsing', msg: 'Input should be a valid URL' },
  datetime: { type: 'datetime_parsing', msg: 'Input should be a valid datetime in ISO 8601' },
  date: { type: 'date_parsing', msg: 'Input should be a valid date in ISO 8601' },
};

function formatName(format: string, pattern: string | undefined): Named {
  if (format === 'regex' && pattern !== undefined) {
    return { type: 'string_pattern_mismatch', msg: `String should match pattern '${pattern}'`, ctx: { pattern } };
  }
  return FORMATS[format] ?? { type: 'value_error', msg: `Value error, not a valid ${format.replaceAll('_', ' ')}` };
}

/** Names under which people send credentials. */
const SENSITIVE =
  /key|secret|token|password|passwd|credential|authorization|cookie|^headers$|private|connection_?string|dsn/i;

const MAX_TEXT = 200;
const MAX_MEMBERS = 20;
const MAX_DEPTH = 3;

/** Whether the value at this path may be a credential, which is never echoed. */
export const isSensitive = (loc: readonly PropertyKey[]): boolean =>
  loc.some((part) => typeof part === 'string' && SENSITIVE.test(part));

/** A truncated copy of what was received, without potential credentials, for the `input` of a validation issue. */
export function echo(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') {
    const text = value.replaceAll(/\/\/[^/?#\s]*@/gu, '//[redacted]@');
    return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text;
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || value === null) return typeof value === 'boolean' ? value : null;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.slice(0, MAX_MEMBERS).map((item) => echo(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_MEMBERS)
      .map(([key, item]) => [String(echo(key)), SENSITIVE.test(key) ? '[redacted]' : echo(item, depth + 1)]),
  );
}
