/** `graph` in the YAML file. */
import { z } from 'zod';
import { MAX_EDGES } from '@casebook/wire';
import { otlpConfig } from '../otlp/index.ts';

const seconds = (least: number, most: number): z.ZodNumber => z.number().min(least).max(most);

export const graphConfig = z
  .strictObject({
    enabled: z.boolean().default(true),
    /** How often to poll sources and send changes. */
    interval_seconds: seconds(1, 600).default(15),
    /** Window for rates, error ratios and latencies. */
    window_seconds: seconds(15, 86_400).default(300),
    /** An edge without calls for this long is marked stale … */
    stale_after_seconds: seconds(1, 86_400).default(120),
    /** … and removed after this long. */
    expire_after_seconds: seconds(1, 7 * 86_400).default(900),
    /** Relative change in call rate, error ratio or 95th percentile that causes an edge to be sent again. */
    significant_change: z.number().min(0).max(10).default(0.1),
    /** Maximum number of edges; beyond it, the least called are dropped. */
    max_edges: z.number().int().min(1).max(MAX_EDGES).default(100_000),
    otlp: otlpConfig.prefault({}),
  })
  .refine(({ stale_after_seconds, interval_seconds }) => stale_after_seconds > interval_seconds, {
    path: ['stale_after_seconds'],
    error: 'must be longer than interval_seconds: every edge would be stale between two polls',
  })
  .refine(({ stale_after_seconds, expire_after_seconds }) => expire_after_seconds >= stale_after_seconds, {
    path: ['expire_after_seconds'],
    error: 'must be at least stale_after_seconds',
  });

export type GraphConfig = z.output<typeof graphConfig>;
