/** Error responses of Azure's APIs, with the words that help. */
import { z } from 'zod';
import { RefusedRequest } from '../shared/http-api/index.ts';

interface AzureError {
  /** Such as `AuthorizationFailed`. */
  code: string;
  message: string;
}

const plain = z.object({ code: z.string(), message: z.string().default('') });
const nested = z.object({
  error: plain.extend({
    // Log Analytics says what is wrong with a query in the innermost of these.
    innererror: z.unknown().optional(),
  }),
});
const inner = z.object({
  code: z.string().default(''),
  message: z.string().default(''),
  innererror: z.unknown().optional(),
});

const MAX_DEPTH = 5;

/** @returns undefined when something other than one of Azure's APIs wrote this */
function readErrors(body: string): AzureError[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  const { data } = nested.safeParse(parsed);
  if (!data) {
    // Metrics have no envelope.
    const bare = plain.safeParse(parsed).data;
    return bare && [bare];
  }
  const errors: AzureError[] = [data.error];
  let rest = data.error.innererror;
  while (errors.length < MAX_DEPTH) {
    const next = inner.safeParse(rest).data;
    if (!next) break;
    errors.push(next);
    rest = next.innererror;
  }
  return errors;
}

/** Azure's messages, from the general to the particular, and what would let the request through. */
export function explain(body: string): string | undefined {
  const errors = readErrors(body);
  if (!errors) return undefined;
  const words = errors.map(({ code, message }) => [code, message.trim()].filter(Boolean).join(': ')).join(' ');
  const advice = ADVICE[errors[0]!.code];
  return advice === undefined ? words : `${words} ${advice}`;
}

const ADVICE: Record<string, string> = {
  AuthorizationFailed: 'Give the application the role Monitoring Reader on the subscription.',
  InsufficientAccessError: 'Give the application the role Log Analytics Reader on the workspace.',
  SubscriptionNotFound:
    'Either the id is wrong, or the application has no role in the subscription: Monitoring Reader is enough.',
};

/** The code of the error with which one of Azure's APIs refused a request; undefined for any other failure. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof RefusedRequest ? readErrors(error.body)?.[0]?.code : undefined;
}
