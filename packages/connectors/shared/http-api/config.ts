import { z } from 'zod';
import { headers, headerSecret } from '../header-values.ts';

const url = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine(
    (text) => new URL(text).username === '' && new URL(text).password === '',
    'contains credentials: use basic_auth',
  )
  .refine((text) => new URL(text).search === '' && new URL(text).hash === '', 'must end with its path');

/** Configuration of a system with an HTTP API: its location and credentials. */
export const httpApiConfig = z
  .strictObject({
    /** Base URL; a proxy's path is kept. */
    url,
    /** Sent with every request. */
    headers: headers.optional(),
    basic_auth: z.strictObject({ username: z.string(), password: z.string() }).optional(),
    bearer_token: headerSecret.optional(),
    /** Tenant of Mimir, Loki or Tempo, sent as `X-Scope-OrgID`. */
    org_id: headerSecret.optional(),
    /** PEM files: the authority that signed the system's certificate, and the satellite's own certificate. */
    tls: z
      .strictObject({
        ca_file: z.string().optional(),
        cert_file: z.string().optional(),
        key_file: z.string().optional(),
      })
      .optional(),
  })
  .refine(({ basic_auth, bearer_token }) => !(basic_auth && bearer_token), 'has both basic_auth and bearer_token')
  .refine(({ tls }) => (tls?.cert_file === undefined) === (tls?.key_file === undefined), {
    path: ['tls'],
    error: 'cert_file and key_file go together',
  });

export type HttpApiConfig = z.output<typeof httpApiConfig>;

/** The headers of every request. */
export function requestHeaders(config: HttpApiConfig): Record<string, string> {
  const { basic_auth: basic, bearer_token: token, org_id: tenant } = config;
  const credentials = basic && Buffer.from(`${basic.username}:${basic.password}`).toString('base64');
  return {
    accept: 'application/json',
    ...(credentials !== undefined && { authorization: `Basic ${credentials}` }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(tenant !== undefined && { 'x-scope-orgid': tenant }),
    ...Object.fromEntries(Object.entries(config.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
  };
}
