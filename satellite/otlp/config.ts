/** `graph.otlp` in the YAML file. */
import { z } from 'zod';

const LOOPBACK = /^(?:localhost|::1|127\.\d+\.\d+\.\d+)$/u;

export const otlpConfig = z
  .strictObject({
    enabled: z.boolean().default(false),
    /** Listen address. Anything but loopback requires a token, which keeps strangers' spans out. */
    host: z.string().min(1).default('127.0.0.1'),
    /** 4318 is OTLP's default; 0 picks a free port. */
    port: z.number().int().min(0).max(65_535).default(4318),
    /** Maximum size of a request in bytes, before and after decompression. */
    max_body_bytes: z
      .number()
      .int()
      .min(1_024)
      .max(64 * 1_048_576)
      .default(8 * 1_048_576),
    /** Clients send it as `Authorization: Bearer`. */
    token: z.string().min(1).optional(),
  })
  .refine(({ enabled, host, token }) => !enabled || token !== undefined || LOOPBACK.test(host), {
    path: ['token'],
    error: 'is required when others can reach the receiver: set one, or host: 127.0.0.1',
  });

export type OtlpConfig = z.output<typeof otlpConfig>;
