import { z } from 'zod';
import type { OperationContext } from '../connector.ts';
import type { HttpApi, Query } from '../shared/http-api/index.ts';
import { dataOf } from '../shared/http-api/envelope.ts';

const failure = z.object({ errorType: z.string(), error: z.string() });

/** Calls that take their parameters as a form as well. */
const FORMS = new Set(['query', 'query_range', 'labels', 'series']);

/**
 * One call of Prometheus' HTTP API.
 * @param path below `/api/v1`
 * @returns the `data` member of the answer, as it is
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

/** What Prometheus says in an error answer: the kind of error, and a sentence. */
export function errorMessage(body: string): string | undefined {
  try {
    const { errorType, error } = failure.parse(JSON.parse(body));
    return `${errorType}: ${error}`;
  } catch {
    return undefined;
  }
}
