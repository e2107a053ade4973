/** The API, typed by its own OpenAPI document (`schema.d.ts` is generated: `npm run types:web`). */
import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths } from './schema.d.ts';
import { noteServerDate } from './server-clock.ts';

/** The schemas of the interface by name. @example type Summary = Schema<'InvestigationSummary'> */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** An unsuccessful response. `message` is a sentence for people. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly code: string;
  /** For a 422: what is wrong where; `path` is relative to the body. */
  readonly issues: readonly { path: string; message: string }[];

  constructor(status: number, code: string, message: string, issues: ApiError['issues'] = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.issues = issues;
  }
}

const UNSAFE = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
let csrfToken: string | undefined;
let onDoubt: (() => void) | undefined;

/** Set by the session: the token that unsafe requests carry. */
export function setCsrfToken(token: string | undefined): void {
  csrfToken = token;
}

/**
 * Called once for the app: what to do when a response shows that this browser's session is not the one the page knows,
 * because it ended or another tab signed in.
 */
export function whenSessionIsInDoubt(listener: () => void): void {
  onDoubt = listener;
}

/** The header that a request with this method needs when it uses a session cookie. */
export const csrfHeaders = (method: string): Record<string, string> =>
  csrfToken !== undefined && UNSAFE.has(method.toUpperCase()) ? { 'X-CSRF-Token': csrfToken } : {};

const session: Middleware = {
  onRequest({ request }) {
    for (const [name, value] of Object.entries(csrfHeaders(request.method))) request.headers.set(name, value);
    return request;
  },
  async onResponse({ response, schemaPath }) {
    noteServerDate(response.headers.get('date'));
    // Whoever asks who is signed in handles the answer.
    if (['/api/session', '/api/sign-in'].includes(schemaPath)) return response;
    if (response.status === 401 || (response.status === 403 && (await isOfOtherSession(response)))) onDoubt?.();
    return response;
  },
};

/** Whether the request carried the CSRF token of a session that the cookie no longer belongs to. */
async function isOfOtherSession(response: Response): Promise<boolean> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return errorOf(response, body).code === 'csrf';
}

export const api = createClient<paths>({ baseUrl: location.origin });
api.use(session);

/**
 * The data of a response.
 * @throws {ApiError} for anything but a success, and if the API is unreachable (status 0, code `unreachable`)
 * @example const team = await dataOf(api.GET('/api/team'));
 */
export async function dataOf<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call.catch((cause: unknown): never => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError(0, 'unreachable', 'Casebook is unreachable.');
  });
  if (response.ok && data !== undefined) return data;
  throw errorOf(response, error);
}

/** The message of an unsuccessful response. */
export function errorOf({ status, statusText }: Pick<Response, 'status' | 'statusText'>, body: unknown): ApiError {
  const { detail, code } = isRecord(body) ? body : {};
  if (Array.isArray(detail)) {
    const issues = detail.filter(isRecord).map(({ loc, msg }) => ({
      path: Array.isArray(loc) ? loc.slice(1).join('.') : '',
      message: String(msg),
    }));
    const text = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
    return new ApiError(status, 'invalid', text || 'The request is invalid.', issues);
  }
  const sentence = typeof detail === 'string' && detail !== '' ? detail : `${status} ${statusText}`;
  return new ApiError(status, typeof code === 'string' ? code : 'error', sentence);
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
