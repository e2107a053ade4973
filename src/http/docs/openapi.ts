import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { Endpoint } from '../endpoint.ts';

/** The version of the interface, not of this implementation. */
export const API_VERSION = '0.1.0';

const ValidationError = z
  .object({
    type: z.string(),
    loc: z
      .array(z.union([z.string(), z.number().int()]))
      .meta({ description: 'Starts with body, query, path or header.' }),
    msg: z.string(),
    input: z.unknown(),
    ctx: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'ValidationError' });

const HTTPValidationError = z.object({ detail: z.array(ValidationError) }).meta({ id: 'HTTPValidationError' });

const ErrorResponse = z
  .object({
    detail: z.string().meta({ description: 'For people.' }),
    code: z.string().meta({ description: 'For programs: stable.', example: 'not_found' }),
  })
  .meta({ id: 'ErrorResponse' });

const InternalErrorResponse = z
  .object({ ...ErrorResponse.shape, error_id: z.uuid().meta({ description: 'Also in the log.' }) })
  .meta({ id: 'InternalErrorResponse' });

const DESCRIPTIONS: Record<number, string> = {
  400: 'Bad request',
  401: 'Missing or invalid credential',
  403: 'Missing scope or CSRF token, or not allowed',
  404: 'Not found, or owned by another team',
  405: 'Method not allowed',
  409: 'Conflict with the current state',
  412: 'Changed since it was read',
  413: 'Body too large',
  422: 'Invalid request',
  426: 'Not a WebSocket request',
  429: 'Too many requests; see Retry-After',
  500: 'Unexpected error',
  502: 'An upstream system returned no usable response',
  503: 'A dependency does not respond',
  504: 'An upstream system timed out',
};

/**
 * Builds the OpenAPI 3.1 document from the declarations that also validate requests and check responses.
 * @param endpoints undocumented ones are left out
 * @param serverUrl where clients reach the API; relative by default
 */
export function openApiDocument(
  endpoints: readonly Endpoint<never>[],
  serverUrl = '/',
): ReturnType<typeof createDocument> {
  const paths: ZodOpenApiPathsObject = {};
  const documented = endpoints.filter(({ undocumented }) => undocumented !== true);
  for (const endpoint of documented) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operation(endpoint) };
  }
  const tags = [...new Set(documented.flatMap(({ tags }) => tags))];
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Casebook',
        version: API_VERSION,
        description:
          'A durable AI investigator for production problems.\n\n' +
          'Strings are Unicode without null characters or lone surrogates. ' +
          'The response to an invalid request lists every issue (`HTTPValidationError`).',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: serverUrl }],
      tags: tags.map((name) => ({ name })),
      components: {
        securitySchemes: {
          ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          Bearer: { type: 'http', scheme: 'bearer', description: 'An API key.' },
          Session: SESSION,
        },
      },
      paths,
    },
    {
      // Any JSON value, but required.
      allowEmptySchema: { nonoptional: true },
    },
  );
}

const SESSION = {
  type: 'apiKey',
  in: 'cookie',
  name: 'casebook_session',
  description:
    'A browser session, from `POST /api/session`; named `__Host-casebook_session` if the web app is served over ' +
    'https. It is only used if no header carries a key. Every method but GET, HEAD and OPTIONS needs the header ' +
    "`X-CSRF-Token` with the session's token, and must come from a page of the same origin.",
} as const;

const SCHEMES = { 'x-api-key': 'ApiKey', bearer: 'Bearer' } as const;

function operation(endpoint: Endpoint<never>): ZodOpenApiOperationObject {
  const { operationId, summary, tags, auth, params, query, headers, body = endpoint.rawBody, deprecated } = endpoint;
  const scopes = auth === 'none' ? [] : auth.scopes;
  const notes = [
    endpoint.description,
    scopes.length > 0 && `Scopes: ${scopes.map((scope) => `\`${scope}\``).join(', ')}.`,
  ];
  const description = notes.filter(Boolean).join('\n\n');
  const requestParams = {
    ...(params && { path: asObject(params) }),
    ...(query && { query: asObject(query) }),
    ...(headers && { header: asObject(headers) }),
  };
  return {
    operationId,
    summary,
    tags,
    ...(description && { description }),
    ...(deprecated && { deprecated }),
    security:
      auth === 'none'
        ? []
        : [...auth.via.map((header) => SCHEMES[header]), 'Session'].map((scheme) => ({ [scheme]: [] })),
    ...(Object.keys(requestParams).length > 0 && { requestParams }),
    ...(body && {
      requestBody: { required: !body.safeParse(undefined).success, content: { 'application/json': { schema: body } } },
    }),
    responses: responses(endpoint),
  };
}

/** @throws {TypeError} for parameters that are not an object schema, which the router refuses as well */
function asObject(schema: z.ZodType): z.ZodObject {
  if (schema instanceof z.ZodObject) return schema;
  throw new TypeError('Parameters of a path, query or header need an object schema.');
}

function responses(endpoint: Endpoint<never>): ZodOpenApiResponsesObject {
  const { method, auth, params, query, headers, bodyLimitBytes, response, content, errors, rateLimited } = endpoint;
  const { body = endpoint.rawBody } = endpoint;
  const statuses = new Set<number>(errors);
  statuses.add(500);
  // The database knows whose key it is.
  if (auth !== 'none') statuses.add(401).add(503);
  // A missing scope, or a session request that may be forged.
  if (auth !== 'none' && (auth.scopes.length > 0 || method !== 'get')) statuses.add(403);
  if (rateLimited !== false) statuses.add(429);
  if (params || query || headers || body) statuses.add(422);
  if (body) statuses.add(413);
  const media = Object.entries(content ?? {}).map(([mediaType, description]) => {
    // Tools disagree on whether a stream's schema describes the text or one event; a schema without a type covers both.
    const schema = mediaType === 'text/event-stream' ? { description } : { type: 'string' as const, description };
    return [mediaType, { schema }];
  });
  const result: ZodOpenApiResponsesObject = {
    200: {
      description: 'Success',
      content: { ...(response && { 'application/json': { schema: response } }), ...Object.fromEntries(media) },
    },
  };
  const own: Record<number, string> =
    bodyLimitBytes === undefined ? {} : { 413: `The body has more than ${bodyLimitBytes} bytes` };
  for (const status of [...statuses].toSorted((a, b) => a - b)) {
    const schema = status === 422 ? HTTPValidationError : status === 500 ? InternalErrorResponse : ErrorResponse;
    result[`${status < 500 ? 4 : 5}${String(status).slice(1)}` as const] = {
      description: own[status] ?? DESCRIPTIONS[status] ?? 'Error',
      content: { 'application/json': { schema } },
    };
  }
  return result;
}
