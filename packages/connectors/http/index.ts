/** Any HTTP API: GET of the paths that the configuration allows. */
import { z } from 'zod';
import { defineConnectorKind, defineOperation, QueryError } from '../connector.ts';
import { createHttpApi, httpApiConfig } from '../shared/http-api/index.ts';
import { patternOf, segmentsOf } from './paths.ts';

const allowed = z
  .string()
  .max(2_000)
  .transform((text, context) => {
    const pattern = patternOf(text);
    if (pattern) return { text, pattern };
    context.addIssue({ code: 'custom', message: 'must be a path such as /api/orders, /api/orders/* or /api/**' });
    return z.NEVER;
  });

const config = z.strictObject({
  /** Nothing outside these paths is requested. */
  base_url: httpApiConfig.shape.url,
  allow: z.array(allowed).min(1).max(200),
  headers: httpApiConfig.shape.headers,
  basic_auth: httpApiConfig.shape.basic_auth,
  bearer_token: httpApiConfig.shape.bearer_token,
  tls: httpApiConfig.shape.tls,
  /** A path that shows that the API is up. Without it, any answer but a server error counts. */
  check_path: z
    .string()
    .refine((path) => segmentsOf(path) !== undefined, 'must be a plain absolute path')
    .optional(),
});

const parameters = z.strictObject({
  path: z.string().max(4_000).describe('Absolute path below the base URL, for example /api/orders/17'),
  query: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
    .optional()
    .describe('Query parameters; a list repeats its parameter'),
});

const CHECK_BYTES = 64 * 1_024;
/** Such an answer means that the API is up. */
const UP = new Set<QueryError['code']>(['not_found', 'bad_request', 'too_large', 'busy']);

export const http = defineConnectorKind({
  kind: 'http',
  config,
  create: ({ base_url: url, allow, check_path: checkPath, ...access }, { id, title }) => {
    const api = createHttpApi({ url, ...access }, { name: title });
    const list = allow.map(({ text }) => text).join(', ');
    return {
      id,
      kind: 'http',
      title,
      operations: [
        defineOperation<z.output<typeof parameters>>({
          name: 'get',
          description: `GET of ${title}; returns the JSON or the text of the answer. Allowed paths: ${list}`.slice(
            0,
            2_000,
          ),
          parameters,
          tool: true,
          async run({ path, query }, context) {
            const segments = segmentsOf(path);
            if (!segments || !allow.some(({ pattern }) => pattern(segments)))
              throw new QueryError('bad_request', `the path is not allowed; allowed are: ${list}`);
            return jsonOrText(await api.text({ path: segments, query }, context));
          },
        }),
      ],
      async check(signal) {
        try {
          await api.text({ path: segmentsOf(checkPath ?? '/') ?? [] }, { signal, maxBytes: CHECK_BYTES });
        } catch (error) {
          const isUp =
            error instanceof QueryError &&
            UP.has(error.code) &&
            (checkPath === undefined || error.code === 'too_large');
          if (!isUp) throw error;
        }
      },
      close: () => api.close(),
    };
  },
});

function jsonOrText(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
