/** Integrations in the API: what all families have. */
import { z } from 'zod';
import { CHANNEL_TYPES } from '../../notifications/index.ts';
import { FAMILIES, INTEGRATION_STATUSES } from '../entities.ts';

const time = z.iso.datetime();

/** Text without characters that a protocol could take for something else. */
export const text = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
    .regex(/^[^\u0000-\u001f\u007f]*$/u, 'must not contain control characters');

export const name = text(100).describe(
  "The team's own name for it; tool names and source ids are made from the first one.",
);
export const secret = (max = 10_000) => z.string().min(1).max(max).meta({ writeOnly: true });
export const pem = z
  .string()
  .max(100_000)
  .regex(/^-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----\s*$/u, 'must be a certificate in PEM format')
  .describe("PEM of the authority that signed the server's certificate.");
export const via = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u, 'must be the name of a satellite')
  .nullable()
  .optional()
  .describe('The satellite that reaches it, by name. Without one Casebook connects itself.');

export const IntegrationParams = z.object({ integration_id: z.uuid() });

const STATUSES = [...INTEGRATION_STATUSES, 'disabled', 'not_connected'] as const;
export const status = z
  .enum(STATUSES)
  .describe('`failing`: see `error`. `needs_reconnect`: the vendor revoked the credential. `disabled`: turned off.');

const toolServer = z
  .enum(['vendor', 'built_in'])
  .nullable()
  .describe("Whose tools answer: the vendor's own tool server, or Casebook's; null where there is no choice.");

export const base = {
  id: z.uuid(),
  family: z.enum(FAMILIES),
  vendor: z.string(),
  name: z.string(),
  source_id: z.string().describe('Its id as a telemetry source.'),
  enabled: z.boolean(),
  status,
  status_since: time,
  last_checked_at: time.nullable(),
  error: z.string().nullable().describe('Why it does not work, in words.'),
  warnings: z.array(z.string()).describe('What works, but should be better, and the statement that mends it.'),
  version: z.string().nullable(),
  resources: z
    .array(z.object({ id: z.string(), name: z.string() }))
    .describe("What the credential gives access to: accounts, projects, zones, by the vendor's own ids."),
  credential: z.string().nullable().describe('The last characters of the credential, for recognition.'),
  via: z.string().nullable(),
  settings: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .describe('What it was connected with, by the names of the request; never a secret.'),
  tool_server: toolServer,
  capabilities: z.array(z.string()).describe('What it gives a run.'),
  tools: z.array(z.object({ name: z.string(), description: z.string(), read_only: z.boolean(), allowed: z.boolean() })),
  connected_by: z.string().nullable(),
  connected_at: time,
  last_used_at: time.nullable().describe('When a run last used it, to the minute.'),
};

export const IntegrationResponse = z.object(base).meta({ id: 'IntegrationResponse' });

export const IntegrationListResponse = z
  .object({ integrations: z.array(IntegrationResponse) })
  .meta({ id: 'IntegrationListResponse' });

/** The state of a family of which a team has one integration. */
export const StatusResponse = z
  .object({
    connected: z.boolean(),
    status,
    error: z.string().nullable(),
    last_checked_at: time.nullable(),
    default_account_id: z.string().nullable().describe('The chosen account, project or subscription.'),
    region: z.string().nullable(),
    tool_server: toolServer,
    integration: IntegrationResponse.nullable(),
  })
  .meta({ id: 'StatusResponse' });

export const RemoveResponse = z
  .object({ removed: z.boolean().describe('False if nothing was connected.') })
  .meta({ id: 'RemoveResponse' });

export const ConnectResponse = z
  .object({
    status: z
      .enum(['connected', 'authorize', 'select_account', 'failing'])
      .describe("`select_account`: one of the integration's `resources` is to be chosen."),
    authorization_url: z.string().nullable().describe('With `authorize`: where a person gives consent.'),
    state: z.string().nullable().describe('What comes back with the code, for `callback`.'),
    error: z.string().nullable(),
    integration: IntegrationResponse.nullable(),
  })
  .meta({ id: 'ConnectResponse' });

/** Fields of the result of a test. */
export const test = {
  success: z.boolean(),
  message: z.string(),
  field: z.string().nullable().describe('The setting at fault, if it is known.'),
  server_version: z.string().nullable(),
  latency_ms: z.number(),
  warnings: z.array(z.string()),
};
export const TestResponse = z.object(test).meta({ id: 'IntegrationTestResponse' });
export const ToggleRequest = z.strictObject({ enabled: z.boolean() }).meta({ id: 'IntegrationToggleRequest' });

export const UsageResponse = z
  .object({
    runs: z
      .array(
        z.object({
          conversation_id: z.uuid(),
          kind: z.string().describe('`investigation`, `chat`, or the kind of a monitoring agent’s check.'),
          last_used_at: time,
        }),
      )
      .describe('Those that last queried it, newest first, at most five.'),
    monitoring_agents: z
      .array(z.object({ chat_id: z.uuid(), title: z.string() }))
      .describe('Those whose plan names it as a source.'),
  })
  .meta({ id: 'IntegrationUsageResponse' });

export const ChannelResponse = z
  .object({
    channel: z.object({ type: z.enum(CHANNEL_TYPES), label: z.string() }).nullable(),
    generated_secret: z.string().nullable().describe('Of a webhook that came without one; shown once.'),
  })
  .meta({ id: 'IntegrationAlertsResponse' });
