/** What the YAML file says below `mcp_servers`. */
import { z } from 'zod';
import { slug } from '@casebook/wire';
import { headers, headerSecret } from '@casebook/connectors';

const globs = z.array(z.string().min(1).max(200)).max(1_000);

const common = {
  name: slug,
  /** How long a tool may be silent, in seconds: the time starts anew whenever it reports progress. */
  timeout_seconds: z.number().positive().max(600).default(60),
  /** Tools that change nothing, on the operator's word: `all`, or names and globs. The server's own annotations count as well. */
  read_only: z.union([z.literal('all'), globs]).default([]),
  /** Tools that are offered; those of `deny` are not, whatever `allow` says. */
  allow: globs.default(['*']),
  deny: globs.default([]),
};

const httpUrl = z
  .url({ protocol: /^https?$/u, error: 'must be an http or https URL' })
  .refine((url) => new URL(url).username === '' && new URL(url).password === '', 'has credentials in it: use headers');

const server = z.discriminatedUnion('transport', [
  z.strictObject({
    ...common,
    transport: z.literal('stdio'),
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    /** All that the process gets beside PATH, HOME and the like: nothing of the satellite's own environment. */
    env: z.record(z.string(), z.string()).default({}),
    cwd: z.string().min(1).optional(),
  }),
  z.strictObject({
    ...common,
    transport: z.literal('http'),
    /** Of the streamable HTTP endpoint. */
    url: httpUrl,
    headers: headers.default({}),
    /** Sent as `Authorization: Bearer …`. */
    bearer: headerSecret.optional(),
  }),
]);

/** `mcp_servers:` of the configuration; secrets have been put in already. */
export const mcpServersConfig = z
  .array(server)
  .max(50)
  .refine((servers) => new Set(servers.map(({ name }) => name)).size === servers.length, 'has two servers of one name')
  .default([]);

export type McpServerConfig = z.output<typeof server>;
