import type { Context } from 'koa';
import type { z } from 'zod';
import type { Config } from '../../config.ts';
import type { Endpoint } from '../endpoint.ts';
import { InvalidRequest, type ValidationIssue } from '../errors.ts';
import { readJsonBody, readRawBody, type BodyOptions } from './body.ts';
import { parametersOf, readParameters, type Parameter } from './coerce.ts';
import { toValidationIssues, type Place } from './issues.ts';
import { textProblem } from './json-guard.ts';

/** The validated parts of a request. */
export interface ValidRequest {
  params: unknown;
  query: unknown;
  headers: unknown;
  body: unknown;
  /** As it was sent, where the endpoint asks for that. */
  rawBody: Buffer | undefined;
}

/** Maximum values in a body by default: what validation handles in a tenth of a second. */
const MAX_NODES = 20_000;

/**
 * Prepares the validation of an endpoint's requests.
 * @returns a function that reads and validates one request and throws {@link InvalidRequest} with all issues of path,
 *   query, headers and body together, or `PayloadTooLarge`
 */
export function requestValidator<D>(endpoint: Endpoint<D>, config: Pick<Config, 'bodyLimitBytes' | 'timeouts'>) {
  const params = endpoint.params && textPart(endpoint.params, 'path');
  const query = endpoint.query && textPart(endpoint.query, 'query');
  const headers = endpoint.headers && textPart(endpoint.headers, 'header');
  const {
    body,
    rawBody,
    bodyLimitBytes = config.bodyLimitBytes,
    bodyLimitNodes = MAX_NODES,
    bodyTextMember,
  } = endpoint;
  const parsing = { maxNodes: bodyLimitNodes, textMember: bodyTextMember };

  return async (
    ctx: Context,
    pathParams: Record<string, string>,
    admitLarge: BodyOptions['admitLarge'],
  ): Promise<ValidRequest> => {
    const issues: ValidationIssue[] = [];
    const valid: ValidRequest = {
      params: params?.(pathParams, issues),
      query: query?.(ctx.query, issues),
      headers: headers?.(ctx.req.headers, issues),
      body: undefined,
      rawBody: undefined,
    };
    const reading = { maxBytes: bodyLimitBytes, admitLarge, largeBodyMs: config.timeouts.largeBodyMs };
    if (rawBody) valid.rawBody = await readRawBody(ctx.req, reading);
    if (body) {
      const received = await readJsonBody(ctx.req, { ...reading, parsing });
      if (received.issues.length > 0) issues.push(...received.issues);
      else valid.body = validateBody(body, received.json, issues);
    }
    if (issues.length > 0) throw new InvalidRequest(issues);
    return valid;
  };
}

function validateBody(schema: z.ZodType, json: unknown, issues: ValidationIssue[]): unknown {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  issues.push(...toValidationIssues(parsed.error.issues, 'body', json));
  return undefined;
}

function textPart(schema: z.ZodType, place: Place) {
  const parameters: Parameter[] = parametersOf(schema);
  return (given: Record<string, string | string[] | undefined>, issues: ValidationIssue[]): unknown => {
    const unreadable = new Set<unknown>();
    for (const { name } of parameters) {
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      const problem = [value ?? []].flat().map(textProblem).find(Boolean);
      if (!problem) continue;
      unreadable.add(name);
      issues.push({ ...problem, loc: [place, name], input: null });
    }
    const parsed = schema.safeParse(readParameters(parameters, given));
    if (parsed.success) return parsed.data;
    const others = parsed.error.issues.filter(({ path }) => !unreadable.has(path[0]));
    issues.push(...toValidationIssues(others, place, asGiven(parameters, given), parameters));
    return undefined;
  };
}

/** What was sent, as an issue shows it: the last value of a single-valued parameter. */
const asGiven = (
  parameters: readonly Parameter[],
  given: Record<string, string | string[] | undefined>,
): Record<string, unknown> =>
  Object.fromEntries(
    parameters.flatMap(({ name, repeated }) => {
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (value === undefined) return [];
      return [[name, repeated ? [value].flat() : [value].flat().at(-1)]];
    }),
  );
