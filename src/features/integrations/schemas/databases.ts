/** Databases that a team connects: PostgreSQL and ClickHouse, in the same shape. */
import { z } from 'zod';
import { base, name, pem, secret, test, text, via } from './shared.ts';

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

const host = text(253)
  .regex(/^[\w.:-]+$/u, 'must be a host name or an address')
  .describe('A host name or an address.');
const port = z.int().min(1).max(65_535);

const postgres = z.strictObject({
  name,
  host,
  port: port.default(5432),
  database: text(63),
  username: text(63),
  password: secret(1_000),
  ssl_mode: z
    .enum(SSL_MODES)
    .default('prefer')
    .describe('As in libpq. Only `verify-full` makes sure whom it talks to.'),
  ca_certificate: pem.nullable().optional(),
  via,
});

export const PostgresIntegrationCreateRequest = postgres.meta({ id: 'PostgresIntegrationCreateRequest' });
export const PostgresIntegrationUpdateRequest = z
  .strictObject({ ...postgres.partial().shape, port: port.optional(), ssl_mode: z.enum(SSL_MODES).optional() })
  .meta({
    id: 'PostgresIntegrationUpdateRequest',
    description: 'What is missing stays as it is, the password included; null takes away what is optional.',
  });
export const PostgresIntegrationTestRequest = z
  .strictObject({ ...postgres.shape, name: name.optional() })
  .meta({ id: 'PostgresIntegrationTestRequest' });
export const PostgresToggleRequest = z.strictObject({ enabled: z.boolean() }).meta({ id: 'PostgresToggleRequest' });

export const PostgresIntegrationResponse = z
  .object({
    ...base,
    host: z.string(),
    port: z.int(),
    database: z.string(),
    username: z.string(),
    ssl_mode: z.enum(SSL_MODES),
    has_ca_certificate: z.boolean(),
  })
  .meta({ id: 'PostgresIntegrationResponse' });
export const PostgresStatusResponse = z
  .object({ connected: z.boolean(), integrations: z.array(PostgresIntegrationResponse) })
  .meta({ id: 'PostgresStatusResponse' });
export const PostgresDeleteResponse = z
  .object({ id: z.uuid(), removed: z.literal(true) })
  .meta({ id: 'PostgresDeleteResponse' });
export const PostgresTestResponse = z.object(test).meta({ id: 'PostgresTestResponse' });

const clickhouse = z.strictObject({
  name,
  url: z
    .url({ protocol: /^https?$/u })
    .max(2_000)
    .optional()
    .describe('Instead of host, port and secure: `https://host:8443`.'),
  host: host.optional(),
  port: port.optional().describe('Of the HTTP interface; by default 8443, or 8123 without TLS.'),
  secure: z.boolean().optional().describe('Whether to use TLS; by default yes.'),
  database: text(200).optional(),
  username: text(200).default('default'),
  password: z.string().max(1_000).default('').meta({ writeOnly: true }),
  ca_certificate: pem.nullable().optional(),
  via,
});

type Place = {
  url?: string | undefined;
  host?: string | undefined;
  port?: number | undefined;
  secure?: boolean | undefined;
};
/** Either form of an address, and not both. */
const onePlace = ({ url, host: named, port: at, secure }: Place): boolean =>
  (url === undefined) === (named !== undefined) && (url === undefined || (at === undefined && secure === undefined));
const ONE_PLACE = { path: ['host'], error: 'Give either url, or host with port and secure' };

export const ClickHouseCreateRequest = clickhouse.refine(onePlace, ONE_PLACE).meta({ id: 'ClickHouseCreateRequest' });
export const ClickHouseUpdateRequest = z
  .strictObject({
    ...clickhouse.partial().shape,
    database: text(200).nullable().optional(),
    username: text(200).optional(),
    password: z.string().max(1_000).optional().meta({ writeOnly: true }),
  })
  .meta({
    id: 'ClickHouseUpdateRequest',
    description: 'What is missing stays as it is, the password included; null takes away what is optional.',
  });
export const ClickHouseTestRequest = z
  .strictObject({ ...clickhouse.shape, name: name.optional() })
  .refine(onePlace, ONE_PLACE)
  .meta({ id: 'ClickHouseTestRequest' });
export const ClickHouseToggleRequest = z.strictObject({ enabled: z.boolean() }).meta({ id: 'ClickHouseToggleRequest' });

export const ClickHouseCredentialResponse = z
  .object({
    ...base,
    url: z.string(),
    database: z.string().nullable(),
    username: z.string(),
    has_ca_certificate: z.boolean(),
  })
  .meta({ id: 'ClickHouseCredentialResponse' });
export const ClickHouseStatusResponse = z
  .object({ connected: z.boolean(), integrations: z.array(ClickHouseCredentialResponse) })
  .meta({ id: 'ClickHouseStatusResponse' });
export const ClickHouseDeleteResponse = z
  .object({ id: z.uuid(), removed: z.literal(true) })
  .meta({ id: 'ClickHouseDeleteResponse' });
export const ClickHouseTestResponse = z.object(test).meta({ id: 'ClickHouseTestResponse' });
