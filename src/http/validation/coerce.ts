import type { z } from 'zod';

/** What a parameter's text is coerced to before the schema sees it. */
export type TextKind = 'string' | 'int' | 'number' | 'boolean';

export interface Parameter {
  name: string;
  kind: TextKind;
  /** Collects all values given, rather than the last. */
  repeated: boolean;
}

interface Definition {
  type: string;
  innerType?: z.core.$ZodType;
  in?: z.core.$ZodType;
  element?: z.core.$ZodType;
  shape?: Record<string, z.core.$ZodType>;
  format?: string;
  checks?: { _zod: { def: { format?: string } } }[];
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each kind of schema has some of these members
const definitionOf = (schema: z.core.$ZodType): Definition => schema._zod.def as Definition;

/** The schema under optional, default, nullable and the like. */
function core(schema: z.core.$ZodType): z.core.$ZodType {
  const { type, innerType, in: input } = definitionOf(schema);
  if (innerType) return core(innerType);
  return type === 'pipe' && input ? core(input) : schema;
}

function textKind(schema: z.core.$ZodType): TextKind {
  const { type, format, checks = [] } = definitionOf(schema);
  if (type === 'boolean') return 'boolean';
  if (type !== 'number') return 'string';
  const formats = [format, ...checks.map((check) => check._zod.def.format)];
  return formats.some((name) => name?.includes('int')) ? 'int' : 'number';
}

/**
 * Works out once per endpoint how to read the texts of a query, path or header schema.
 * @throws when the schema is not an object of parameters
 */
export function parametersOf(schema: z.ZodType): Parameter[] {
  const { shape } = definitionOf(core(schema));
  if (!shape) throw new TypeError('Parameters of a path, query or header need an object schema.');
  return Object.entries(shape).map(([name, value]) => {
    const inner = core(value);
    const { type, element } = definitionOf(inner);
    const repeated = type === 'array' && element !== undefined;
    return { name, kind: textKind(repeated ? core(element) : inner), repeated };
  });
}

const TRUE = new Set(['true', '1', 'on', 't', 'y', 'yes']);
const FALSE = new Set(['false', '0', 'off', 'f', 'n', 'no']);
const INTEGER = /^[+-]?\d+(\.0+)?$/;
const NUMERIC = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Converts text to a value; text that does not fit stays text, so that the schema reports it. */
export function fromText(text: string, kind: TextKind): unknown {
  if (kind === 'boolean') {
    const word = text.toLowerCase();
    return TRUE.has(word) ? true : FALSE.has(word) ? false : text;
  }
  const pattern = kind === 'int' ? INTEGER : kind === 'number' ? NUMERIC : undefined;
  if (pattern?.test(text) && text.length <= 40) return Number(text);
  return text;
}

/**
 * Picks the declared parameters out of a request. Undeclared ones are ignored; if a single-valued one is repeated, the
 * last value wins.
 */
export function readParameters(
  parameters: readonly Parameter[],
  given: Record<string, string | string[] | undefined>,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const { name, kind, repeated } of parameters) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined) continue;
    if (repeated) result[name] = [value].flat().map((text) => fromText(text, kind));
    else result[name] = fromText(Array.isArray(value) ? (value.at(-1) ?? '') : value, kind);
  }
  return result;
}
