/** `mcp_servers` in the YAML file. */
import { z } from 'zod';
import { slug } from '@casebook/wire';
import { headers, headerSecret } from '@casebook/connectors';
import type { McpServerSettings } from '@casebook/mcp';

const globs = z.array(z.string().min(1).max(200)).max(1_000);

const common = {
  name: slug,
  /** How long a tool may stay silent, in seconds: progress restarts the time. */
  timeout_seconds: z.number().positive().max(600).default(60),
  /**
   * Tools that the operator vouches change nothing: `all`, or names and globs, in addition to the server's own
   * annotations.
   */
  read_only: z.union([z.literal('all'), globs]).default([]),
  /** Tools to offer; `deny` takes precedence over `allow`. */
  allow: globs.default(['*']),
  deny: globs.default([]),
};

const httpUrl = z
  .url({ protocol: /^https?$/u, error: 'must be an http or https URL' })
  .refine((url) => new URL(url).username === '' && new URL(url).password === '', 'contains credentials: use headers');

const server = z
  .discriminatedUnion('transport', [
    z.strictObject({
      ...common,
      transport: z.literal('stdio'),
      command: z.string().min(1),
      args: z.array(z.string()).default([]),
      /** The process gets nothing else but PATH, HOME and the like: none of the satellite's own environment. */
      env: z.record(z.string(), z.string()).default({}),
      cwd: z.string().min(1).optional(),
    }),
    z.strictObject({
      ...common,
      transport: z.literal('http'),
      /** URL of the streamable HTTP endpoint. */
      url: httpUrl,
      headers: headers.default({}),
      /** Sent as `Authorization: Bearer …`. */
      bearer: headerSecret.optional(),
    }),
  ])
  .transform(({ timeout_seconds: seconds, read_only: readOnly, ...given }): McpServerSettings => {
    const common = { timeoutMs: seconds * 1_000, readOnly };
    if (given.transport === 'stdio') return { ...given, ...common };
    const { bearer, ...rest } = given;
    const headers = bearer === undefined ? rest.headers : { ...rest.headers, Authorization: `Bearer ${bearer}` };
    return { ...rest, ...common, headers };
  });

/** The value of `mcp_servers`, with secrets already substituted. */
export const mcpServersConfig = z
  .array(server)
  .max(50)
  .refine(
    (servers) => new Set(servers.map(({ name }) => name)).size === servers.length,
    'has two servers with the same name',
  )
  .default([]);
