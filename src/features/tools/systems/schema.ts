/**
 * Whether the Messages API accepts a schema from a customer's system. One that it refuses would fail every request with
 * it, and so every run of the team.
 */
type Schema = Record<string, unknown>;

const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
/** What the API accepts as a property name. */
const PROPERTY = /^[\w.-]{1,64}$/u;
const MAX_DEPTH = 20;
/** Refused at the top level of a tool's schema. */
const NOT_AT_TOP = ['oneOf', 'anyOf', 'allOf', '$ref', 'not', 'if'];
const OF_SCHEMAS = ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'];
const SCHEMA = [
  'additionalProperties',
  'propertyNames',
  'contains',
  'contentSchema',
  'items',
  'not',
  'if',
  'then',
  'else',
];
const SCHEMA_LISTS = ['oneOf', 'anyOf', 'allOf', 'prefixItems'];
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const TEXTS = ['title', 'description', 'format', 'contentEncoding', 'contentMediaType', '$comment', '$schema'];
const FLAGS = ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'];
/** Rare, and not worth getting wrong. */
const UNSUPPORTED_KEYWORDS =
  /^(\$(id|anchor|dynamic.*|vocabulary|recursive.*)|dependen(cies|tRequired)|unevaluated.*|minContains|maxContains)$/u;

/** Replaces an unacceptable schema: the system reports what is wrong with an input. */
export const ANY_OBJECT: Schema = { type: 'object', additionalProperties: true };

/**
 * @returns the schema if it is a valid object schema by draft 2020-12 and the API's own rules; otherwise {@link
 *   ANY_OBJECT}
 */
export function offeredSchema(schema: Schema): Schema {
  const isObject = (schema['type'] ?? 'object') === 'object';
  const keys = isRecord(schema['properties']) ? Object.keys(schema['properties']) : [];
  const fits =
    isObject &&
    NOT_AT_TOP.every((keyword) => !(keyword in schema)) &&
    keys.every((key) => PROPERTY.test(key)) &&
    isSound(schema, schema, 0);
  return fits ? { ...schema, type: 'object' } : ANY_OBJECT;
}

function isSound(schema: unknown, root: Schema, depth: number): boolean {
  if (typeof schema === 'boolean') return true;
  if (!isRecord(schema) || depth > MAX_DEPTH) return false;
  const all = (keywords: readonly string[], test: (value: unknown) => boolean): boolean =>
    keywords.every((keyword) => !(keyword in schema) || test(schema[keyword]));
  const nested = (value: unknown): boolean => isSound(value, root, depth + 1);
  const list = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(nested);
  return (
    Object.keys(schema).every((keyword) => !UNSUPPORTED_KEYWORDS.test(keyword)) &&
    all(['type'], isType) &&
    all(OF_SCHEMAS, (value) => isRecord(value) && Object.values(value).every(nested)) &&
    all(SCHEMA, nested) &&
    all(SCHEMA_LISTS, list) &&
    all(['required'], (value) => isStrings(value)) &&
    all(['enum', 'examples'], Array.isArray) &&
    all(COUNTS, (value) => Number.isInteger(value) && Number(value) >= 0) &&
    all(NUMBERS, (value) => typeof value === 'number') &&
    all(['multipleOf'], (value) => Number(value) > 0) &&
    all(TEXTS, (value) => typeof value === 'string') &&
    all(FLAGS, (value) => typeof value === 'boolean') &&
    all(['pattern'], isPattern) &&
    all(['$ref'], (value) => resolves(value, root))
  );
}

/** Only references within the schema itself. */
function resolves(reference: unknown, root: Schema): boolean {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return false;
  let at: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isRecord(at) || !Object.hasOwn(at, key)) return false;
    at = at[key];
  }
  return reference === '#' || reference.startsWith('#/');
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    RegExp(value, 'u');
    return true;
  } catch {
    return false;
  }
}

/** One type, or several of them. */
function isType(value: unknown): boolean {
  const types = [value].flat();
  return types.length > 0 && isStrings(types) && types.every((one) => TYPES.has(String(one)));
}

/** Unique strings. */
function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') && new Set(value).size === value.length;
}

function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
