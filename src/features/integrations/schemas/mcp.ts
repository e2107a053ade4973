/** Remote MCP servers that a team connects. */
import { z } from 'zod';
import { TOOL_DECISIONS } from '../entities.ts';
import { base, ConnectResponse, name, secret, test, text } from './shared.ts';

const header = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/u, 'must be the name of a header')
  .refine(
    (value) => !/^(?:host|content-length|connection|transfer-encoding|mcp-.*)$/iu.test(value),
    'is not for you to set',
  );
const headers = z
  .record(
    header,
    z
      .string()
      .min(1)
      .max(8_000)
      .regex(/^[\x20-\x7e]*$/u, 'must be printable ASCII')
      .meta({ writeOnly: true }),
  )
  .refine((all) => Object.keys(all).length <= 20, 'has too many headers')
  .describe(
    'Sent with every request, such as `Authorization`. Without them, consent is asked for where the server wants it.',
  );

const server = {
  name,
  url: z
    .url({ protocol: /^https?$/u })
    .max(2_000)
    .describe(
      'Of its streamable HTTP endpoint. A query is kept with the secrets, and shown nowhere; it stays when the same server is connected again without one.',
    ),
  headers: headers.optional(),
  client_id: text(300)
    .optional()
    .describe('An OAuth client that its authorization server knows; by default Casebook registers one.'),
  client_secret: secret(500).optional(),
};

export const McpIntegrationCreateRequest = z.strictObject(server).meta({ id: 'McpIntegrationCreateRequest' });

export const McpIntegrationUpdateRequest = z
  .strictObject({
    name: name.optional(),
    headers: headers.optional(),
    tools: z
      .record(z.string().min(1).max(200), z.enum(TOOL_DECISIONS))
      .optional()
      .describe('By tool: it only reads, it may act once a person approves each call, or it is not offered.'),
  })
  .meta({ id: 'McpIntegrationUpdateRequest', description: 'What is missing stays as it is.' });

export const McpIntegrationResponse = z
  .object({ ...base, url: z.string(), header_names: z.array(z.string()) })
  .meta({ id: 'McpIntegrationResponse' });

export const McpConnectResponse = z
  .object({ ...ConnectResponse.shape, integration: McpIntegrationResponse.nullable() })
  .meta({ id: 'McpConnectResponse' });

export const McpRemoveResponse = z.object({ id: z.uuid(), removed: z.literal(true) }).meta({ id: 'McpRemoveResponse' });
export const McpTestResponse = z.object(test).meta({ id: 'McpTestResponse' });
export const McpToggleRequest = z.strictObject({ enabled: z.boolean() }).meta({ id: 'McpToggleRequest' });
