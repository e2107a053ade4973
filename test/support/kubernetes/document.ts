/** Kubernetes' own OpenAPI document as a judge of requests and of objects. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

interface Parameter {
  name: string;
  in: 'query' | 'path' | 'body';
  type?: string;
  required?: boolean;
}

interface Document {
  paths: Record<
    string,
    {
      parameters: (Parameter | { $ref: string })[];
      get: { parameters?: (Parameter | { $ref: string })[]; responses: Record<string, { schema?: { $ref?: string } }> };
    }
  >;
  parameters: Record<string, Parameter>;
  definitions: Record<string, Record<string, unknown>>;
}

/** What the document knows of a request's path. */
export interface Route {
  /** With its placeholders. */
  path: string;
  variables: Record<string, string>;
  /** Query parameters by name. */
  parameters: Map<string, Parameter>;
  /** Name of the definition of the answer; none where the answer is text. */
  answer?: string;
}

const document = JSON.parse(readFileSync(join(import.meta.dirname, 'openapi.json'), 'utf8')) as Document;

// Where a member is not in the document it is a mistake, in this direction: the real server leaves such members out.
for (const definition of Object.values(document.definitions)) {
  if (definition['properties']) definition['additionalProperties'] = false;
  if (definition['format'] === 'int-or-string') definition['type'] = ['string', 'integer'];
}

const ajv = new Ajv({ strict: false, allErrors: true });
formats.default(ajv, ['date-time', 'byte', 'int32', 'int64', 'double']);
ajv.addFormat('int-or-string', true);
ajv.addSchema({ $id: 'kubernetes', definitions: document.definitions });
const validators = new Map<string, ValidateFunction>();

const resolved = (parameter: Parameter | { $ref: string }): Parameter =>
  '$ref' in parameter ? document.parameters[parameter.$ref.split('/').at(-1)!]! : parameter;

/** @returns undefined where the document has no such path */
export function routeOf(pathname: string): Route | undefined {
  for (const [path, { parameters, get }] of Object.entries(document.paths)) {
    // The server takes `/version` as well as `/version/`.
    const pattern = path.replace(/\/$/u, '/?').replaceAll(/\{(\w+)\}/gu, '(?<$1>[^/]+)');
    const found = new RegExp(`^${pattern}$`, 'u').exec(pathname);
    if (!found) continue;
    const query = [...parameters, ...(get.parameters ?? [])].map(resolved).filter((one) => one.in === 'query');
    return {
      path,
      variables: { ...found.groups },
      parameters: new Map(query.map((one) => [one.name, one])),
      answer: get.responses['200']?.schema?.$ref?.split('/').at(-1),
    };
  }
  return undefined;
}

/** @returns what is wrong with a value of a query parameter, if anything */
export function parameterFault({ parameters }: Route, name: string, value: string): string | undefined {
  const parameter = parameters.get(name);
  if (!parameter) return `unknown parameter ${name}`;
  const fits =
    parameter.type === 'integer'
      ? /^-?\d+$/u.test(value)
      : parameter.type !== 'boolean' || /^(?:true|false)$/u.test(value);
  return fits ? undefined : `${name} is not of type ${parameter.type}: ${value}`;
}

/** @throws when an object is not as the document's definition says */
export function assertIs(definition: string, value: unknown): void {
  let validate = validators.get(definition);
  if (!validate) {
    validate = ajv.compile({ $ref: `kubernetes#/definitions/${definition}` });
    validators.set(definition, validate);
  }
  if (!validate(value)) throw new Error(`not a ${definition}: ${ajv.errorsText(validate.errors)}`);
}
