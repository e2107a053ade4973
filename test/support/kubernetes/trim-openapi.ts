/**
 * Makes `openapi.json` of Kubernetes' own document (`api/openapi-spec/swagger.json` of a release): the paths that the
 * satellite reads, only GET, what they refer to, without descriptions. `node trim-openapi.ts SWAGGER.json`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const lists = {
  '/api/v1': ['pods', 'events'],
  '/apis/apps/v1': ['deployments', 'statefulsets', 'daemonsets'],
  '/apis/batch/v1': ['jobs', 'cronjobs'],
};
const kept = [
  '/version/',
  '/api/v1/nodes',
  '/api/v1/namespaces',
  '/api/v1/namespaces/{namespace}/pods/{name}',
  '/api/v1/namespaces/{namespace}/pods/{name}/log',
  ...Object.entries(lists).flatMap(([group, names]) =>
    names.flatMap((name) => [`${group}/${name}`, `${group}/namespaces/{namespace}/${name}`]),
  ),
];

type Json = Record<string, unknown>;
interface Document {
  swagger: string;
  info: Json;
  paths: Record<string, { get: Json; parameters?: Json[] }>;
  parameters: Record<string, Json>;
  definitions: Record<string, Json>;
}

const full = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Document;
const used: Pick<Document, 'parameters' | 'definitions'> = { parameters: {}, definitions: {} };

/** A copy without descriptions and extensions; what it refers to is kept. A property may be called description. */
function trimmed(value: unknown, isSchemaMap = false): unknown {
  if (Array.isArray(value)) return value.map((one) => trimmed(one));
  if (typeof value !== 'object' || value === null) return value;
  const left = Object.entries(value).filter(
    ([key]) => isSchemaMap || !(key === 'description' || key.startsWith('x-kubernetes-')),
  );
  return Object.fromEntries(
    left.map(([key, inner]) => {
      if (key === '$ref' && typeof inner === 'string') keep(inner);
      return [key, trimmed(inner, key === 'properties' && !isSchemaMap)];
    }),
  );
}

function keep(reference: string): void {
  const [, section, name] = reference.split('/') as [string, 'parameters' | 'definitions', string];
  if (used[section][name]) return;
  used[section][name] = {};
  used[section][name] = trimmed(full[section][name]) as Json;
}

const sorted = <Value>(record: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => a.localeCompare(b)));

const paths = kept.map((path) => {
  const { get, parameters = [] } = full.paths[path]!;
  return [path, trimmed({ parameters, get })];
});
const { swagger, info } = full;
const document = {
  swagger,
  info,
  paths: Object.fromEntries(paths),
  parameters: sorted(used.parameters),
  definitions: sorted(used.definitions),
};
writeFileSync(join(import.meta.dirname, 'openapi.json'), `${JSON.stringify(document, undefined, 1)}\n`);
