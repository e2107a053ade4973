/** How a PostgreSQL is configured: by a URL as in libpq, or by its parts. */
import { z } from 'zod';
import type { ClientConfig } from 'pg';
import type { Network } from '../connector.ts';

export const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

export const config = z
  .strictObject({
    /** `postgres://user:password@host:port/database?sslmode=verify-full&sslrootcert=…`, as in libpq. */
    url: z
      .string()
      .regex(/^postgres(?:ql)?:\/\//u, 'must begin with postgres://')
      .refine((url) => URL.canParse(url), 'is not a URL')
      .optional(),
    /** Instead of a URL: a host name or an address. */
    host: z
      .string()
      .regex(/^[\w.:-]{1,253}$/u, 'must be a host name or an address')
      .optional(),
    port: z.number().int().min(1).max(65_535).default(5432),
    database: z.string().min(1).max(63).optional(),
    user: z.string().min(1).max(63).optional(),
    /** Beside a URL too, where it would have to be percent-encoded. */
    password: z.string().optional(),
    /**
     * As in libpq. `prefer` encrypts if the server can, `require` always; neither makes sure whom it talks to, unless
     * there is a certificate of the authority. `verify-full` does.
     */
    ssl_mode: z.enum(SSL_MODES).default('prefer'),
    /** PEM of the authority that signed the server's certificate. */
    ca_certificate: z.string().optional(),
    /** Timeout of one statement. */
    statement_timeout_seconds: z.number().positive().max(600).default(60),
    lock_timeout_seconds: z.number().positive().max(60).default(2),
    max_connections: z.number().int().min(1).max(20).default(4),
    /**
     * Functions of your own that only read, in addition to PostgreSQL's: `name`, or `schema.name` as statements call it.
     */
    allowed_functions: z
      .array(z.string().regex(/^[a-z_][a-z0-9_$]*(?:\.[a-z_][a-z0-9_$]*)?$/u, 'is not a name in lower case'))
      .max(1_000)
      .default([]),
    /**
     * Also takes a superuser, or a role that may run programs or write files, and warns of it: then the list of
     * functions is the only fence.
     */
    allow_powerful: z.boolean().default(false),
  })
  .refine(({ url, host }) => (url === undefined) !== (host === undefined), {
    path: ['host'],
    error: 'or url is needed',
  })
  .refine(({ url, database, user, ca_certificate }) => url === undefined || !(database ?? user ?? ca_certificate), {
    path: ['url'],
    error: 'has the database, the user and the certificate itself',
  })
  .refine(({ host, database, user }) => host === undefined || (database !== undefined && user !== undefined), {
    path: ['database'],
    error: 'and user are needed beside host',
  });

export type PostgresConfig = z.output<typeof config>;

/**
 * What the client is given.
 * @param isEncrypting whether the server can encrypt, for `prefer`
 */
export function clientConfig(settings: PostgresConfig, isEncrypting: boolean): ClientConfig {
  const { url, host, port, database, user, password } = settings;
  if (url !== undefined) return { connectionString: withPassword(url, password) };
  return { host, port, database, user, password: password ?? '', ssl: isEncrypting ? tlsOptions(settings) : false };
}

function tlsOptions({
  ssl_mode,
  ca_certificate: ca,
}: PostgresConfig): Exclude<ClientConfig['ssl'], boolean | undefined> {
  if (ssl_mode === 'verify-full') return { ca, rejectUnauthorized: true };
  // libpq: with a certificate of the authority, `require` verifies the chain too.
  const verifies = ssl_mode === 'verify-ca' || (ssl_mode === 'require' && ca !== undefined);
  return verifies
    ? { ca, rejectUnauthorized: true, checkServerIdentity: () => undefined }
    : { rejectUnauthorized: false };
}

/** The client reads a password only from the URL. */
function withPassword(connectionString: string, password: string | undefined): string {
  if (password === undefined) return connectionString;
  const url = new URL(connectionString);
  url.password = encodeURIComponent(password);
  return url.toString();
}

/** What is wrong with the host in this network; undefined if nothing. A URL may name sockets and several hosts. */
export function hostProblem({ url, host }: PostgresConfig, network: Network | undefined): string | undefined {
  if (!network) return undefined;
  if (url !== undefined) return 'A URL is not accepted here; give host, database and user.';
  return network.hostProblem(host ?? '');
}
