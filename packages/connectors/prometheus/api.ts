import { z } from 'zod';
import type { OperationContext } from '../connector.ts';
import type { HttpApi, Query } from '../shared/http-api/index.ts';
import { dataOf } from '../shared/http-api/envelope.ts';

const failure = z.object({ errorType: z.string(), error: z.string() });

/** Calls that also accept their parameters as a form. */
const FORMS = new Set(['query', 'query_range', 'labels', 'series']);

/**
 * One call to Prometheus' HTTP API.
 * @param path below `/api/v1`
 * @returns the `data` member of the answer, unchanged
 */
export async function askPrometheus(
  http: HttpApi,
  path: string | readonly string[],
  query: Query,
  context: OperationContext,
): Promise<unknown> {
  const below = [path].flat();
  const request = { path: ['api', 'v1', ...below], query, form: below.length === 1 && FORMS.has(below[0]!) };
  return dataOf(await http.json(request, context), http.place);
}

/** Prometheus' message in an error response: the kind of error, and a sentence. */
export function errorMessage(body: string): string | undefined {
  try {
    const { errorType, error } = failure.parse(JSON.parse(body));
    return `${errorType}: ${error}`;
  } catch {
    return undefined;
  }
}
