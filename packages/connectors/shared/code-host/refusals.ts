/** What a code host's refusals mean, in words without the credentials that it may repeat. */
import { z } from 'zod';
import { networkReason } from '../network-reason.ts';
import { CodeHostError } from './port.ts';

const MAX_WORDS = 600;
/** GitHub's advice where it names no time. */
const USUAL_PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 24 * 3_600_000;
/** Shorter values are not secret, and may be part of any word. */
const MIN_SECRET_CHARACTERS = 8;
const SECRET_HEADERS = ['authorization', 'private-token', 'job-token', 'cookie'];
const SECRET_FIELD = /secret|token|password|code_verifier/iu;

/** The credentials of a request: what an error must not contain. */
export function secretsIn(headers: Record<string, string>, body?: string): string[] {
  const found = SECRET_HEADERS.flatMap((name) => headers[name]?.replace(/^(?:Bearer|Basic|token) /iu, '') ?? []);
  const collect = (value: unknown, isSecret: boolean): void => {
    if (typeof value === 'string') {
      if (isSecret) found.push(value);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) collect(member, isSecret || SECRET_FIELD.test(name));
    }
  };
  collect(parseJson(body ?? '') ?? Object.fromEntries(new URLSearchParams(body)), false);
  return found.filter(({ length }) => length >= MIN_SECRET_CHARACTERS);
}

/** The error for an answer of 3xx to 5xx. */
export function refusalOf(answer: {
  place: string;
  status: number;
  headers: Headers | { get(name: string): string | null };
  body: string;
  secrets: readonly string[];
  /** Unix ms. */
  now: () => number;
}): CodeHostError {
  const { place, status, headers } = answer;
  const said = wordsOf(answer.body);
  const words = answer.secrets
    .reduce((hidden, secret) => hidden.replaceAll(secret, '[hidden]'), said)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ');
  const message = `${place} answered ${status}${words && `: ${words.slice(0, MAX_WORDS)}`}`;
  const asked = pauseOf(headers, answer.now());
  const isLimit = status === 429 || (status === 403 && (asked !== undefined || /rate limit/iu.test(said)));
  if (isLimit) return new CodeHostError('limited', message, { retryAfterMs: asked ?? USUAL_PAUSE_MS });
  const reason = reasonOf(status);
  return new CodeHostError(
    reason,
    message,
    reason === 'unavailable' && asked !== undefined ? { retryAfterMs: asked } : {},
  );
}

function reasonOf(status: number): CodeHostError['reason'] {
  if (status === 401) return 'unauthorized';
  if (status === 403 || status === 423) return 'forbidden';
  if (status === 404 || status === 410) return 'not_found';
  if (status === 409 || status === 412) return 'conflict';
  return status >= 400 && status < 500 && status !== 408 ? 'invalid' : 'unavailable';
}

/**
 * How long the host asks to be left alone, in ms: `Retry-After`, or the time at which a used-up limit is reset (GitHub's
 * `X-RateLimit-Reset`, GitLab's `RateLimit-Reset`, both unix seconds).
 */
function pauseOf(headers: { get(name: string): string | null }, now: number): number | undefined {
  const after = headers.get('retry-after');
  const number = (name: string): number => Number(headers.get(name) ?? Number.NaN);
  let pause: number | undefined;
  if (after !== null) pause = /^\d+$/u.test(after) ? Number(after) * 1000 : Date.parse(after) - now;
  else if (headers.get('x-ratelimit-remaining') === '0') pause = number('x-ratelimit-reset') * 1000 - now;
  else if (headers.get('ratelimit-remaining') === '0') pause = number('ratelimit-reset') * 1000 - now;
  if (pause === undefined || Number.isNaN(pause)) return undefined;
  return Math.min(Math.max(pause, 1000), MAX_PAUSE_MS);
}

const text = z.string().catch('');
/** GitHub and Gitea; GitLab, whose message may be a list, or lists by field; OAuth. */
const refusal = z.looseObject({
  message: z.unknown().optional(),
  errors: z.array(z.union([z.string(), z.looseObject({ message: text, field: text, code: text })])).catch([]),
  error: z.unknown().optional(),
  error_description: text,
});

function wordsOf(body: string): string {
  const { data } = refusal.safeParse(parseJson(body));
  // A page is of a proxy, or of some other server.
  if (!data) return /^\s*</u.test(body) ? '' : body.trim();
  const details = data.errors.map((error) =>
    typeof error === 'string' ? error : error.message || `${error.field} ${error.code}`.trim(),
  );
  return [flat(data.message), flat(data.error), data.error_description, ...details].filter(Boolean).join('; ');
}

function flat(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(flat).filter(Boolean).join(', ');
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([field, words]) => `${field} ${flat(words)}`.trim())
    .join(', ');
}

/**
 * The error to throw for a failed request: the signal's reason when the caller gave up, and otherwise one with the
 * network's error.
 */
export function failureOf(error: unknown, place: string, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof CodeHostError) return error;
  return new CodeHostError('unavailable', `${place} did not answer: ${networkReason(error)}`, { cause: error });
}

/** An answer in the form that is expected of it. @throws {CodeHostError} when it has another form */
export function parseHostAnswer<Schema extends z.ZodType>(schema: Schema, answer: unknown, place: string) {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]!.path.join('.');
  const message = `${place} answered in an unknown form${path && `: ${path}`}; is its url right?`;
  throw new CodeHostError('unavailable', message);
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** A list that may be turned off in a repository, or hidden from the credential: then none. @throws {CodeHostError} */
export async function orNone<Item>(asked: Promise<Item[]>): Promise<Item[]> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof CodeHostError && (error.reason === 'forbidden' || error.reason === 'not_found')) return [];
    throw error;
  }
}
