/** GitHub's published description of its API (openapi.NOTICE), by which requests and answers are judged. */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import { default as formats } from 'ajv-formats';

export type Row = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- GitHub's JSON

const document = JSON.parse(readFileSync(new URL('./openapi.json', import.meta.url), 'utf8')) as Row;
const ROOT = 'https://api.github.com/openapi';

const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, coerceTypes: false });
formats.default(ajv);
ajv.addFormat('repo.nwo', /^[\w.-]+\/[\w.-]+$/u);
ajv.addSchema({ $id: ROOT, ...withNull(document) });

/** JSON Schema says otherwise what OpenAPI 3.0 says by `nullable`. */
function withNull(schema: Row): Row {
  const plain = Object.fromEntries(
    Object.entries(schema).map(([key, value]): [string, unknown] => [
      key,
      Array.isArray(value)
        ? value.map((item: unknown) => (typeof item === 'object' && item !== null ? withNull(item) : item))
        : typeof value === 'object' && value !== null
          ? withNull(value)
          : value,
    ]),
  );
  if (plain['nullable'] !== true) return plain;
  const { nullable: _, ...rest } = plain;
  return { anyOf: [rest, { type: 'null' }] };
}

const compiled = new Map<string, ValidateFunction>();

/** @param path of a schema in the document */
function problemsOf(path: readonly string[], value: unknown): string[] {
  const pointer = path.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `${ROOT}#/${pointer}` });
  compiled.set(pointer, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
}

/** The templates of all paths, such as `/repos/{owner}/{repo}`. */
export const TEMPLATES = Object.keys(document['paths'] as Row);

const at = (path: readonly string[]): Row | undefined =>
  path.reduce<Row | undefined>((part, name) => part?.[name] as Row | undefined, document);

/** Where a part is, behind its references. */
function resolved(path: readonly string[]): string[] {
  const reference: unknown = at(path)?.['$ref'];
  return typeof reference === 'string' ? resolved(reference.split('/').slice(1)) : [...path];
}

export interface Request {
  method: string;
  template: string;
  query: URLSearchParams;
  /** Parsed; undefined without one. */
  body: unknown;
}

/** What is wrong with a request; nothing unknown is accepted, although GitHub ignores it. */
export function requestProblems({ method, template, query, body }: Request): string[] {
  const operation = ['paths', template, method.toLowerCase()];
  const declared = ((at(operation)?.['parameters'] ?? []) as Row[]).map((_, index) =>
    resolved([...operation, 'parameters', String(index)]),
  );
  const inQuery = new Map(
    declared.filter((path) => at(path)?.['in'] === 'query').map((path) => [at(path)?.['name'] as string, path]),
  );
  const problems = [...query].flatMap(([name, text]) => {
    const path = inQuery.get(name);
    if (!path) return [`unknown query parameter ${name}`];
    // Described as a date, and documented as a search such as >=2026-01-01.
    if (name === 'created') return [];
    const type: unknown = at([...path, 'schema'])?.['type'];
    const value = type === 'integer' ? Number(text) : type === 'boolean' ? text === 'true' : text;
    return problemsOf([...path, 'schema'], value).map((problem) => `query parameter ${name}: ${problem}`);
  });
  const schema = [...operation, 'requestBody', 'content', 'application/json', 'schema'];
  if (!at(schema)) return body === undefined ? problems : [...problems, 'has a body'];
  if (body === undefined)
    return at([...operation, 'requestBody'])?.['required'] === true ? [...problems, 'has no body'] : problems;
  const properties = Object.keys(at([...schema, 'properties']) ?? {});
  const unknown = Object.keys(body as Row).filter((name) => properties.length > 0 && !properties.includes(name));
  return [
    ...problems,
    ...problemsOf(schema, body).map((problem) => `body: ${problem}`),
    ...unknown.map((name) => `body: unknown member ${name}`),
  ];
}

/** What is wrong with an answer. Refusals that the operation does not describe have GitHub's usual form. */
export function answerProblems(
  { method, template }: Pick<Request, 'method' | 'template'>,
  { status, body }: { status: number; body: unknown },
): string[] {
  const operation = ['paths', template, method.toLowerCase()];
  if (!at(operation)) return ['the operation is not described'];
  const described = resolved([...operation, 'responses', String(status)]);
  if (!at(described)) {
    if (status < 400) return [`status ${status} is not described`];
    return problemsOf(['components', 'schemas', 'basic-error'], body);
  }
  const schema = [...described, 'content', 'application/json', 'schema'];
  if (!at(schema)) return body === undefined ? [] : ['an answer without content has a body'];
  return problemsOf(schema, body);
}

/**
 * A thing in GitHub's form: `values`, and a neutral value for whatever else the schema requires.
 * @throws for members that the schema does not know
 */
export function fill(schema: string, values: Row): Row {
  return filled({ $ref: `#/components/schemas/${schema}` }, values, schema) as Row;
}

function filled(part: Row, value: unknown, name: string): unknown {
  const schema = whole(part, value);
  if (value === undefined && schema['nullable'] === true) return null;
  if (value === null) return null;
  if (schema['type'] === 'array') {
    return ((value ?? []) as unknown[]).map((item, index) => filled(schema['items'] as Row, item, `${name}[${index}]`));
  }
  const properties = schema['properties'] as Row | undefined;
  if (!properties) return value ?? neutral(schema);
  const given = (value ?? {}) as Row;
  const unknown = Object.keys(given).find((key) => !(key in properties) && schema['additionalProperties'] == null);
  if (unknown !== undefined) throw new Error(`GitHub has no ${name}.${unknown}`);
  const names = new Set([...((schema['required'] ?? []) as string[]), ...Object.keys(given)]);
  return Object.fromEntries(
    [...names].map((key) => [
      key,
      properties[key] ? filled(properties[key] as Row, given[key], `${name}.${key}`) : given[key],
    ]),
  );
}

/** A schema behind its references, with all its parts, or with the alternative that a value wants. */
function whole(part: Row, value: unknown): Row {
  if (typeof part['$ref'] === 'string') return whole(at(part['$ref'].split('/').slice(1))!, value);
  const alternatives = (part['oneOf'] ?? part['anyOf']) as Row[] | undefined;
  if (alternatives) {
    const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    const schemas = alternatives.map((alternative) => whole(alternative, value));
    const chosen =
      schemas.find(({ properties = {} }) => keys.every((key) => key in (properties as Row))) ?? schemas[0]!;
    return { ...chosen, ...(part['nullable'] === true && { nullable: true }) };
  }
  const all = part['allOf'] as Row[] | undefined;
  if (!all) return part;
  const merged = all.map((one) => whole(one, value));
  return {
    ...Object.assign({}, ...merged),
    ...part,
    properties: Object.assign({}, ...merged.map(({ properties }) => properties as Row)) as Row,
    required: merged.flatMap(({ required = [] }) => required as string[]),
  };
}

function neutral(schema: Row): unknown {
  if (schema['enum']) return (schema['enum'] as unknown[])[0];
  if (schema['type'] === 'integer' || schema['type'] === 'number') return schema['minimum'] ?? 0;
  if (schema['type'] === 'boolean') return false;
  if (schema['type'] !== 'string') return {};
  if (schema['format'] === 'date-time') return '2026-01-01T00:00:00Z';
  if (schema['format'] === 'uri') return 'https://github.example/';
  return schema['format'] === 'email' ? 'nobody@github.example' : '';
}
