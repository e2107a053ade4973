/** `graph.otlp` in the YAML file. */
import { z } from 'zod';

export const otlpConfig = z.strictObject({
  enabled: z.boolean().default(false),
  /** Where it listens. On another address than the loopback one, a token keeps strangers' spans out of the graph. */
  host: z.string().min(1).default('127.0.0.1'),
  /** 4318 is the protocol's own; 0 takes any free one. */
  port: z.number().int().min(0).max(65_535).default(4318),
  /** Most bytes of a request, before and after decompression. */
  max_body_bytes: z
    .number()
    .int()
    .min(1_024)
    .max(64 * 1_048_576)
    .default(8 * 1_048_576),
  /** Clients have to send it as `Authorization: Bearer`. */
  token: z.string().min(1).optional(),
});

export type OtlpConfig = z.output<typeof otlpConfig>;
