/**
 * Cuts the operations below, and what they refer to, out of GitHub's OpenAPI description, without its prose:
 * `node test/support/github/cut-openapi.ts FILE > test/support/github/openapi.json`, where FILE is
 * `generated/api.github.com.json` of the package @octokit/openapi (openapi.NOTICE has the version).
 */
import { readFileSync } from 'node:fs';

const REPOSITORY = '/repos/{owner}/{repo}';
const OPERATIONS: Record<string, string[]> = {
  '/app': ['get'],
  '/app/installations/{installation_id}': ['get'],
  '/app/installations/{installation_id}/access_tokens': ['post'],
  '/installation/repositories': ['get'],
  '/user': ['get'],
  '/user/repos': ['get'],
  [REPOSITORY]: ['get'],
  [`${REPOSITORY}/actions/jobs/{job_id}/logs`]: ['get'],
  [`${REPOSITORY}/actions/runs`]: ['get'],
  [`${REPOSITORY}/actions/runs/{run_id}`]: ['get'],
  [`${REPOSITORY}/actions/runs/{run_id}/jobs`]: ['get'],
  [`${REPOSITORY}/actions/runs/{run_id}/rerun-failed-jobs`]: ['post'],
  [`${REPOSITORY}/actions/workflows`]: ['get'],
  [`${REPOSITORY}/actions/workflows/{workflow_id}/dispatches`]: ['post'],
  [`${REPOSITORY}/branches`]: ['get'],
  [`${REPOSITORY}/commits/{ref}/check-runs`]: ['get'],
  [`${REPOSITORY}/commits/{ref}/status`]: ['get'],
  [`${REPOSITORY}/contents/{path}`]: ['get'],
  [`${REPOSITORY}/deployments`]: ['get'],
  [`${REPOSITORY}/deployments/{deployment_id}/statuses`]: ['get'],
  [`${REPOSITORY}/hooks`]: ['get', 'post'],
  [`${REPOSITORY}/hooks/{hook_id}`]: ['patch', 'delete'],
  [`${REPOSITORY}/issues/comments/{comment_id}`]: ['patch'],
  [`${REPOSITORY}/issues/{issue_number}/comments`]: ['get', 'post'],
  [`${REPOSITORY}/pulls`]: ['get', 'post'],
  [`${REPOSITORY}/pulls/{pull_number}`]: ['get', 'patch'],
  [`${REPOSITORY}/pulls/{pull_number}/reviews`]: ['get'],
  [`${REPOSITORY}/releases`]: ['get'],
};
/** Of every refusal that an operation does not describe itself. */
const ALWAYS = ['#/components/schemas/basic-error'];
const PROSE = new Set(['description', 'summary', 'example', 'examples', 'externalDocs', 'tags', 'operationId']);

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Members = { [key: string]: Json };

const isObject = (value: Json | undefined): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param isNamed whether the members are named by their author, such as properties, and not by the format */
function withoutProse(value: Json, isNamed = false): Json {
  if (Array.isArray(value)) return value.map((item) => withoutProse(item));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => isNamed || !(PROSE.has(key) || key.startsWith('x-')));
  const names = ['properties', 'schemas', 'responses', 'parameters', 'headers'];
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutProse(item, !isNamed && names.includes(key))]));
}

function referencesIn(value: Json, found: string[] = []): string[] {
  if (Array.isArray(value)) for (const item of value) referencesIn(item, found);
  else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (key === '$ref' && typeof item === 'string') found.push(item);
      else referencesIn(item, found);
    }
  }
  return found;
}

const at = (document: Members, path: string[]): Json => {
  let value: Json = document;
  for (const name of path) {
    const next: Json | undefined = isObject(value) ? value[name] : undefined;
    if (next === undefined) throw new Error(`The description has no ${path.join(' ')}.`);
    value = next;
  }
  return value;
};

function cut(document: Members): Members {
  const paths: Members = {};
  for (const [path, methods] of Object.entries(OPERATIONS)) {
    const operations = methods.map((method) => {
      const { parameters, requestBody, responses } = at(document, ['paths', path, method]) as Members;
      return [method, { parameters, requestBody, responses } as Members] as const;
    });
    paths[path] = withoutProse(Object.fromEntries(operations));
  }
  const components: Record<string, Members> = {};
  const pending = [...ALWAYS, ...referencesIn(paths)];
  for (let reference = pending.pop(); reference !== undefined; reference = pending.pop()) {
    const [, , kind = '', name = ''] = reference.split('/');
    components[kind] ??= {};
    if (name in components[kind]) continue;
    const part = withoutProse(at(document, ['components', kind, name]));
    components[kind][name] = part;
    pending.push(...referencesIn(part));
  }
  return { openapi: document['openapi'] as Json, info: withoutProse(document['info'] as Json), paths, components };
}

const [file = ''] = process.argv.slice(2);
process.stdout.write(`${JSON.stringify(cut(JSON.parse(readFileSync(file, 'utf8')) as Members))}\n`);
