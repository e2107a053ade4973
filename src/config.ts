/** The only reader of `process.env`, and the house's own part of the configuration; rooms declare theirs. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { isAllowListEntry } from './platform/outbound/allow-list.ts';

const port = z.coerce.number().int().min(0).max(65535);
export const positiveInt = z.coerce.number().int().positive();
const url = z.url();

/** An empty variable means "not set", as in compose files and CI. */
export const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

export const withDefault = <T extends z.ZodType>(schema: T, fallback: z.output<T>) =>
  optional(schema).transform((value): z.output<T> => value ?? fallback);

const commaSeparated = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

export const webUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' });
const allowList = z.string().superRefine((text, context) => {
  for (const entry of commaSeparated(text)) {
    if (!isAllowListEntry(entry)) context.addIssue(`"${entry}" is not a host name, address or network like 10.0.0.0/8`);
  }
});

const variables = z.object({
  NODE_ENV: withDefault(z.string(), 'development'),
  LOG_LEVEL: withDefault(z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']), 'info'),
  PORT: withDefault(port, 3000),
  HOST: withDefault(z.string(), '0.0.0.0'),
  CASEBOOK_HOME: withDefault(z.string(), '.casebook'),
  CASEBOOK_APP_URL: optional(url),
  CASEBOOK_BOOTSTRAP_API_KEY: optional(z.string().min(16, 'must have at least 16 characters')),
  CASEBOOK_SECRET_KEY: optional(z.string().regex(/^[0-9a-f]{64}$/i, 'must be 32 bytes in hexadecimal (64 characters)')),
  CASEBOOK_PREVIOUS_SECRET_KEYS: withDefault(
    z
      .string()
      .regex(/^(?:[0-9a-f]{64}(?:\s*,\s*|\s*$))*$/i, 'must be keys of 64 hexadecimal characters, separated by commas'),
    '',
  ),
  CASEBOOK_CORS_ORIGINS: withDefault(z.string(), ''),
  CASEBOOK_BODY_LIMIT_BYTES: withDefault(positiveInt, 1_048_576),
  CASEBOOK_TRUSTED_PROXIES: withDefault(z.coerce.number().int().min(0).max(10), 0),
  CASEBOOK_RATE_LIMIT: withDefault(z.union([z.literal('off'), positiveInt]), 600),
  CASEBOOK_MODEL: optional(z.string()),
  CASEBOOK_CACHED_WORKFLOWS: withDefault(positiveInt, 2_000),
  CASEBOOK_WORKFLOW_BUNDLE: optional(z.string()),
  CASEBOOK_SWEEP_SECONDS: withDefault(z.coerce.number().positive().max(3_600), 5),
  CASEBOOK_WORKER_METRICS_PORT: optional(port),
  CASEBOOK_OUTBOUND_ALLOW: withDefault(allowList, ''),
  DATABASE_URL: optional(z.string().regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL')),
  REDIS_URL: optional(z.string().regex(/^rediss?:\/\//, 'must be a redis:// URL')),
  TEMPORAL_ADDRESS: optional(z.string()),
  TEMPORAL_NAMESPACE: withDefault(z.string(), 'default'),
  TEMPORAL_TASK_QUEUE: withDefault(z.string(), 'casebook'),
  TEMPORAL_UI_URL: optional(url),
  ANTHROPIC_API_KEY: optional(z.string()),
  ANTHROPIC_BASE_URL: optional(url),
});

/** Timeouts of a process's dependencies and clients, in milliseconds; unset ones fall back to each part's own default. */
export interface Timeouts {
  /** Connecting to PostgreSQL or Redis. */
  connectMs?: number;
  /** A Redis reply, if the event log is in Redis. */
  redisMs?: number;
  /** A start or a signal, to Temporal. */
  temporalMs?: number;
  /** One run of Git. */
  gitMs?: number;
  /** A large request body, from its team's turn to its end. */
  largeBodyMs?: number;
}

/** The house's own configuration of one process. Absent optional parts are `undefined`, never empty strings. */
export interface Config {
  nodeEnv: string;
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  port: number;
  host: string;
  /** Absolute path of the folder for embedded state. */
  home: string;
  /** Where people reach the web app, without a trailing slash; undefined means this API's own address. */
  appUrl?: string;
  bootstrapApiKey?: string;
  /** 32-byte key of the secrets at rest, hexadecimal. */
  secretKey?: string;
  /** Earlier ones, which still open what they sealed. */
  previousSecretKeys: string[];
  corsOrigins: string[];
  bodyLimitBytes: number;
  /** How many proxies in front of the API append to X-Forwarded-For; with 0 the header is ignored. */
  trustedProxies: number;
  /** Requests per minute and key, or `off`. */
  rateLimit: number | 'off';
  /** Hosts, addresses and networks that requests to user-given URLs may reach although they are not public. */
  outboundAllow: string[];
  databaseUrl?: string;
  redisUrl?: string;
  temporal: {
    address?: string;
    namespace: string;
    taskQueue: string;
    uiUrl?: string;
    /** Monitoring agents continue as new after this many events; undefined: the built-in default. */
    eventsPerHistory?: number;
  };
  timeouts: Timeouts;
  model: {
    /** Undefined: the offline model answers (unless a base URL is given). */
    apiKey?: string;
    baseUrl?: string;
    /** Undefined: the provider's default model. */
    name?: string;
  };
  /** Workflows that a worker caches; others are replayed when they wake. */
  cachedWorkflows: number;
  /** Path of the workflow bundle written by `temporal/bundle.ts`; without it, a worker bundles at start-up. */
  workflowBundle?: string;
  /** Pause between two sweeps of a worker for what crashes left behind. */
  sweepSeconds: number;
  workerMetricsPort?: number;
}

/** Thrown when the environment is unusable; `message` has one line per problem. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** The house's own variables, and its part of the configuration. */
export const configuration = variables.transform((e): Config => ({
  nodeEnv: e.NODE_ENV,
  logLevel: e.LOG_LEVEL,
  port: e.PORT,
  host: e.HOST,
  home: resolve(e.CASEBOOK_HOME),
  appUrl: e.CASEBOOK_APP_URL?.replace(/\/+$/, ''),
  bootstrapApiKey: e.CASEBOOK_BOOTSTRAP_API_KEY,
  secretKey: e.CASEBOOK_SECRET_KEY,
  previousSecretKeys: commaSeparated(e.CASEBOOK_PREVIOUS_SECRET_KEYS),
  corsOrigins: commaSeparated(e.CASEBOOK_CORS_ORIGINS),
  bodyLimitBytes: e.CASEBOOK_BODY_LIMIT_BYTES,
  trustedProxies: e.CASEBOOK_TRUSTED_PROXIES,
  rateLimit: e.CASEBOOK_RATE_LIMIT,
  outboundAllow: commaSeparated(e.CASEBOOK_OUTBOUND_ALLOW),
  databaseUrl: e.DATABASE_URL,
  redisUrl: e.REDIS_URL,
  temporal: {
    address: e.TEMPORAL_ADDRESS,
    namespace: e.TEMPORAL_NAMESPACE,
    taskQueue: e.TEMPORAL_TASK_QUEUE,
    uiUrl: e.TEMPORAL_UI_URL,
  },
  timeouts: {},
  model: { apiKey: e.ANTHROPIC_API_KEY, baseUrl: e.ANTHROPIC_BASE_URL, name: e.CASEBOOK_MODEL },
  cachedWorkflows: e.CASEBOOK_CACHED_WORKFLOWS,
  sweepSeconds: e.CASEBOOK_SWEEP_SECONDS,
  workflowBundle: e.CASEBOOK_WORKFLOW_BUNDLE,
  workerMetricsPort: e.CASEBOOK_WORKER_METRICS_PORT,
}));

/** Environment variables, and what a process makes of them: the part of the house, or of a room. */
export interface Configuration {
  /** The variables, by name. */
  in: { shape: Readonly<Record<string, z.ZodType>> };
  safeParse(env: unknown): z.ZodSafeParseResult<object>;
}

/**
 * Parses all parts of the configuration at once.
 * @param env the variables to read, usually `process.env`
 * @throws {ConfigError} naming every invalid variable
 */
export function parseEnvironment(
  parts: readonly Configuration[],
  env: Record<string, string | undefined> = process.env,
): object {
  const parsed = parts.map((part) => part.safeParse(env));
  const lines = parsed
    .flatMap(({ error }) => error?.issues ?? [])
    .map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  if (lines.length > 0) throw new ConfigError(`Invalid configuration:\n  ${lines.join('\n  ')}`);
  return Object.assign({}, ...parsed.map(({ data }) => data));
}

/** What any program needs from the environment: where programs, files and certificates are, and how to write text. */
const SYSTEM_VARIABLES = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

/** The environment for third-party programs, without our secrets. */
export const systemEnvironment = (): Record<string, string | undefined> =>
  Object.fromEntries(SYSTEM_VARIABLES.map((name) => [name, process.env[name]]));

/** This process's environment with some variables replaced, for a child process. `undefined` removes one. */
export function childEnvironment(changes: Record<string, string | undefined>): Record<string, string | undefined> {
  return { ...process.env, ...changes };
}
