/**
 * The only reader of `process.env`. Every process calls {@link loadConfig} first; a bad value ends the process with
 * one line per problem before anything is opened.
 */
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { RunBudget } from './features/runs/contract.ts';
import { isAllowListEntry } from './platform/outbound/allow-list.ts';

const port = z.coerce.number().int().min(0).max(65535);
const positiveInt = z.coerce.number().int().positive();
const url = z.url();

/** An empty variable means "not set", as in compose files and CI. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

const withDefault = <T extends z.ZodType>(schema: T, fallback: z.output<T>) =>
  optional(schema).transform((value): z.output<T> => value ?? fallback);

const commaSeparated = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

const webUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' });
/** Over plain http anybody could forge an ID token, except on this machine. */
const issuerUrl = webUrl.refine(
  (text) => !URL.canParse(text) || new URL(text).protocol === 'https:' || isLoopback(new URL(text).hostname),
  'must be an https:// URL; http:// is only for addresses of this machine',
);
const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
const smtpUrl = z.url({ protocol: /^smtps?$/, error: 'must be a URL like smtp://user:password@host:587' });
/** An address, or a name followed by the address in angle brackets. */
const mailbox = z
  .string()
  .regex(
    /^(?:[^<>@"\r\n,;]+<[^\s<>@",;]+@[^\s<>@",;]+>|[^\s<>@",;]+@[^\s<>@",;]+)$/,
    'must look like Casebook <casebook@example.com>',
  );
const allowList = z.string().superRefine((text, context) => {
  for (const entry of commaSeparated(text)) {
    if (!isAllowListEntry(entry)) context.addIssue(`"${entry}" is not a host name, address or network like 10.0.0.0/8`);
  }
});

const environment = z.object({
  NODE_ENV: withDefault(z.string(), 'development'),
  LOG_LEVEL: withDefault(z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']), 'info'),
  PORT: withDefault(port, 3000),
  HOST: withDefault(z.string(), '0.0.0.0'),
  CASEBOOK_HOME: withDefault(z.string(), '.casebook'),
  CASEBOOK_APP_URL: optional(url),
  CASEBOOK_BOOTSTRAP_API_KEY: optional(z.string().min(16, 'must have at least 16 characters')),
  CASEBOOK_SECRET_KEY: optional(z.string().regex(/^[0-9a-f]{64}$/i, 'must be 32 bytes in hexadecimal (64 characters)')),
  CASEBOOK_INCIDENTS_DIR: optional(z.string()),
  CASEBOOK_WORKSPACES_DIR: optional(z.string()),
  CASEBOOK_OIDC_ISSUER: optional(issuerUrl),
  CASEBOOK_OIDC_CLIENT_ID: optional(z.string()),
  CASEBOOK_OIDC_CLIENT_SECRET: optional(z.string()),
  CASEBOOK_OIDC_NAME: withDefault(z.string().trim().min(1).max(60), 'single sign-on'),
  CASEBOOK_SESSION_HOURS: withDefault(z.coerce.number().min(0.1).max(8_760), 168),
  CASEBOOK_CORS_ORIGINS: withDefault(z.string(), ''),
  CASEBOOK_BODY_LIMIT_BYTES: withDefault(positiveInt, 1_048_576),
  CASEBOOK_TRUSTED_PROXIES: withDefault(z.coerce.number().int().min(0).max(10), 0),
  CASEBOOK_RATE_LIMIT: withDefault(z.union([z.literal('off'), positiveInt]), 600),
  CASEBOOK_MODEL: optional(z.string()),
  CASEBOOK_MAX_STEPS: withDefault(positiveInt, 40),
  CASEBOOK_MAX_COST_USD: withDefault(z.coerce.number().positive(), 5),
  CASEBOOK_MAX_MINUTES: withDefault(z.coerce.number().positive(), 30),
  CASEBOOK_COMPACT_TOKENS: withDefault(positiveInt, 120_000),
  CASEBOOK_TOOL_TIMEOUT_SECONDS: withDefault(z.coerce.number().positive(), 60),
  CASEBOOK_APPROVAL_MINUTES: withDefault(z.coerce.number().positive(), 60),
  CASEBOOK_CACHED_WORKFLOWS: withDefault(positiveInt, 2_000),
  CASEBOOK_WORKFLOW_BUNDLE: optional(z.string()),
  CASEBOOK_SWEEP_SECONDS: withDefault(z.coerce.number().positive().max(3_600), 5),
  CASEBOOK_WORKER_METRICS_PORT: optional(port),
  CASEBOOK_OUTBOUND_ALLOW: withDefault(allowList, ''),
  CASEBOOK_SLACK_API_URL: withDefault(webUrl, 'https://slack.com/api/'),
  CASEBOOK_SLACK_HOOKS_URL: withDefault(webUrl, 'https://hooks.slack.com/'),
  CASEBOOK_SMTP_URL: optional(smtpUrl),
  CASEBOOK_MAIL_FROM: optional(mailbox),
  DATABASE_URL: optional(z.string().regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL')),
  REDIS_URL: optional(z.string().regex(/^rediss?:\/\//, 'must be a redis:// URL')),
  TEMPORAL_ADDRESS: optional(z.string()),
  TEMPORAL_NAMESPACE: withDefault(z.string(), 'default'),
  TEMPORAL_TASK_QUEUE: withDefault(z.string(), 'casebook'),
  TEMPORAL_UI_URL: optional(url),
  ANTHROPIC_API_KEY: optional(z.string()),
  ANTHROPIC_BASE_URL: optional(url),
  PROMETHEUS_URL: optional(url),
  LOKI_URL: optional(url),
});

const OIDC = ['CASEBOOK_OIDC_ISSUER', 'CASEBOOK_OIDC_CLIENT_ID', 'CASEBOOK_OIDC_CLIENT_SECRET'] as const;

const consistent = environment
  .refine((e) => e.CASEBOOK_SMTP_URL === undefined || e.CASEBOOK_MAIL_FROM !== undefined, {
    path: ['CASEBOOK_MAIL_FROM'],
    error: 'must be set if CASEBOOK_SMTP_URL is',
  })
  .superRefine((e, context) => {
    const missing = OIDC.filter((name) => e[name] === undefined);
    if (missing.length === OIDC.length) return;
    for (const name of missing)
      context.addIssue({ code: 'custom', path: [name], message: `must be set if any of ${OIDC.join(', ')} is` });
  });

/** Where people sign in with their organisation's account (OpenID Connect). */
export interface OidcConfig {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What people call it. */
  name: string;
}

export interface SlackAddresses {
  /** Base URL of the Web API's methods, with a trailing slash. */
  apiUrl: string;
  /** The origin of incoming webhooks. */
  hooksUrl: string;
}

export interface MailConfig {
  /** `smtp://` or `smtps://`, with credentials if the server wants them. */
  smtpUrl: string;
  /** An address, or `Name <address>`. */
  from: string;
}

/** Timeouts of a process's dependencies, in milliseconds; unset ones fall back to each part's own default. */
export interface Timeouts {
  /** Connecting to PostgreSQL or Redis. */
  connectMs?: number;
  /** A Redis reply, if the event log is in Redis. */
  redisMs?: number;
  /** A start or a signal, to Temporal. */
  temporalMs?: number;
  /** One run of Git. */
  gitMs?: number;
}

/** The complete, typed configuration of one process. Absent optional parts are `undefined`, never empty strings. */
export interface Config {
  nodeEnv: string;
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  port: number;
  host: string;
  /** Absolute path of the folder for embedded state. */
  home: string;
  /** Absolute path of the folder for the teams' workspaces. */
  workspacesDir: string;
  /** Where people reach the web app, without a trailing slash; undefined means this API's own address. */
  appUrl?: string;
  bootstrapApiKey?: string;
  /** 32-byte key of the secrets at rest, hexadecimal. */
  secretKey?: string;
  /** Undefined: people sign in with API keys and links. */
  oidc?: OidcConfig;
  /** How long a browser stays signed in. */
  sessionHours: number;
  corsOrigins: string[];
  bodyLimitBytes: number;
  /** How many proxies in front of the API append to X-Forwarded-For; with 0 the header is ignored. */
  trustedProxies: number;
  /** Requests per minute and key, or `off`. */
  rateLimit: number | 'off';
  /** Hosts, addresses and networks that requests to user-given URLs may reach although they are not public. */
  outboundAllow: string[];
  /** Where Slack is; Slack's own addresses by default. */
  slack: SlackAddresses;
  /** How mail is sent; undefined disables it. */
  mail?: MailConfig;
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
  /** Bounds of every run. */
  budget: RunBudget;
  /** Workflows that a worker caches; others are replayed when they wake. */
  cachedWorkflows: number;
  /** Path of the workflow bundle written by `temporal/bundle.ts`; without it, a worker bundles at start-up. */
  workflowBundle?: string;
  /** Pause between two sweeps of a worker for what crashes left behind. */
  sweepSeconds: number;
  workerMetricsPort?: number;
  sources: { incidentsDir: string; prometheusUrl?: string; lokiUrl?: string };
}

/** Thrown when the environment is unusable; `message` has one line per problem. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Parses an environment into a {@link Config}.
 * @param env the variables to read, usually `process.env`
 * @throws {ConfigError} naming every invalid variable
 */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const parsed = consistent.safeParse(env);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`Invalid configuration:\n  ${lines.join('\n  ')}`);
  }
  const e = parsed.data;
  return {
    nodeEnv: e.NODE_ENV,
    logLevel: e.LOG_LEVEL,
    port: e.PORT,
    host: e.HOST,
    home: resolve(e.CASEBOOK_HOME),
    workspacesDir: resolve(e.CASEBOOK_WORKSPACES_DIR ?? join(e.CASEBOOK_HOME, 'workspaces')),
    appUrl: e.CASEBOOK_APP_URL?.replace(/\/+$/, ''),
    bootstrapApiKey: e.CASEBOOK_BOOTSTRAP_API_KEY,
    secretKey: e.CASEBOOK_SECRET_KEY,
    oidc:
      e.CASEBOOK_OIDC_ISSUER === undefined
        ? undefined
        : {
            issuer: e.CASEBOOK_OIDC_ISSUER,
            clientId: e.CASEBOOK_OIDC_CLIENT_ID ?? '',
            clientSecret: e.CASEBOOK_OIDC_CLIENT_SECRET ?? '',
            name: e.CASEBOOK_OIDC_NAME,
          },
    sessionHours: e.CASEBOOK_SESSION_HOURS,
    corsOrigins: commaSeparated(e.CASEBOOK_CORS_ORIGINS),
    bodyLimitBytes: e.CASEBOOK_BODY_LIMIT_BYTES,
    trustedProxies: e.CASEBOOK_TRUSTED_PROXIES,
    rateLimit: e.CASEBOOK_RATE_LIMIT,
    outboundAllow: commaSeparated(e.CASEBOOK_OUTBOUND_ALLOW),
    slack: { apiUrl: e.CASEBOOK_SLACK_API_URL.replace(/\/*$/, '/'), hooksUrl: e.CASEBOOK_SLACK_HOOKS_URL },
    mail:
      e.CASEBOOK_SMTP_URL === undefined || e.CASEBOOK_MAIL_FROM === undefined
        ? undefined
        : { smtpUrl: e.CASEBOOK_SMTP_URL, from: e.CASEBOOK_MAIL_FROM },
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
    budget: {
      maxSteps: e.CASEBOOK_MAX_STEPS,
      maxCostUsd: e.CASEBOOK_MAX_COST_USD,
      maxWallSeconds: e.CASEBOOK_MAX_MINUTES * 60,
      compactAtTokens: e.CASEBOOK_COMPACT_TOKENS,
      toolTimeoutSeconds: e.CASEBOOK_TOOL_TIMEOUT_SECONDS,
      approvalSeconds: e.CASEBOOK_APPROVAL_MINUTES * 60,
    },
    cachedWorkflows: e.CASEBOOK_CACHED_WORKFLOWS,
    workflowBundle: e.CASEBOOK_WORKFLOW_BUNDLE,
    sweepSeconds: e.CASEBOOK_SWEEP_SECONDS,
    workerMetricsPort: e.CASEBOOK_WORKER_METRICS_PORT,
    sources: {
      incidentsDir: resolve(e.CASEBOOK_INCIDENTS_DIR ?? 'demo/incidents'),
      prometheusUrl: e.PROMETHEUS_URL,
      lokiUrl: e.LOKI_URL,
    },
  };
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
