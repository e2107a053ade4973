/** The YAML file, except for each connector's own part. */
import { z } from 'zod';
import { MAX_ANSWER_BYTES, MAX_CONNECTORS, slug } from '@casebook/wire';
import { headerSecret } from '@casebook/connectors';
import { graphConfig } from '../graph/index.ts';
import { redactionConfig } from '../redaction/index.ts';
import { integrationsConfig } from '../integrations/index.ts';
import { mcpServersConfig } from './mcp-servers.ts';

const UNITS: Record<string, number> = {
  B: 1,
  kB: 1_000,
  KB: 1_000,
  MB: 1_000_000,
  KiB: 1_024,
  MiB: 1_048_576,
};

/** A number of bytes, or a text such as `8MiB`. @param max maximum number of bytes */
function byteSize(max: number): z.ZodType<number> {
  const bytes = z.number().int().min(1_024).max(max);
  return z
    .union([z.number(), z.string()])
    .transform((size, context) => {
      const [, amount, unit = 'B'] = /^(\d+(?:\.\d+)?) *(B|[kK]B|MB|KiB|MiB)?$/.exec(String(size)) ?? [];
      if (amount !== undefined) return Math.floor(Number(amount) * UNITS[unit]!);
      context.addIssue({ code: 'custom', message: 'must be a number of bytes, or a size such as 512KiB or 8MiB' });
      return z.NEVER;
    })
    .pipe(bytes);
}

const seconds = z.number().positive().max(600);

/** Common to all connectors; other keys depend on the kind. */
export const connectorCommon = z.looseObject({
  id: slug,
  kind: z.string(),
  title: z.string().min(1).max(1_000).optional(),
  timeout_seconds: seconds.optional(),
  max_answer_bytes: byteSize(MAX_ANSWER_BYTES).optional(),
});

export const satelliteFile = z.strictObject({
  casebook: z.strictObject({
    /** Base URL of Casebook's API. */
    url: z.url({ protocol: /^(?:https?|wss?)$/, error: 'must be an http, https, ws or wss URL' }),
    /** Enrolment token. */
    token: headerSecret.optional(),
    /** A file that holds the token; read again for each connection. */
    token_file: z.string().min(1).optional(),
    /** PEM of a certificate authority to trust in addition to the defaults. */
    ca_file: z.string().min(1).optional(),
  }),
  /** Unique within the team. */
  name: slug,
  labels: z
    .record(z.string().max(100), z.string().max(500))
    .refine((labels) => Object.keys(labels).length <= 50, 'has more than 50 members')
    .default({}),
  log_level: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** Where `GET /healthz` reports whether the satellite is connected. */
  health_port: z.number().int().min(0).max(65_535).optional(),
  limits: z
    .strictObject({
      query_timeout_seconds: seconds.default(30),
      max_answer_bytes: byteSize(MAX_ANSWER_BYTES).default(8 * 1_048_576),
      /** Concurrent queries, in total and per connector. */
      concurrency: z.number().int().min(1).max(1_000).default(8),
      per_connector: z.number().int().min(1).max(1_000).default(4),
    })
    .prefault({}),
  redaction: redactionConfig.prefault({}),
  /** Each entry is checked by {@link connectorCommon} and by its kind. */
  connectors: z.array(z.unknown()).max(MAX_CONNECTORS).default([]),
  integrations: integrationsConfig.prefault({}),
  mcp_servers: mcpServersConfig,
  graph: graphConfig.prefault({}),
});

export type SatelliteFile = z.output<typeof satelliteFile>;
