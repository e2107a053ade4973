/** What the files of a recorded incident hold. */
import { z } from 'zod';

const iso = z.iso.datetime({ offset: true });

/** ISO 8601 with a zone, or unix seconds; becomes unix seconds. */
export const time = z.union([z.number(), iso.transform((text) => Date.parse(text) / 1_000)]);
const window = z.object({ from: time, to: time });
const name = z.string().min(1);

export const incidentFile = z.object({
  title: z.string(),
  window,
  baseline: window.optional(),
  alerts: z.array(
    z.object({ name: z.string(), service: name, metric: name.optional(), at: time, summary: z.string() }),
  ),
});

export const metricsFile = z.record(
  z.string(),
  z.object({
    unit: z.string().optional(),
    type: z.enum(['counter', 'gauge', 'histogram', 'summary', 'unknown']).default('gauge'),
    help: z.string().optional(),
  }),
);

export const changesFile = z.array(
  z.object({
    id: z.string(),
    at: time,
    service: name.optional(),
    kind: z.string(),
    summary: z.string(),
    author: z.string().optional(),
    url: z.string().optional(),
  }),
);

export const servicesFile = z.array(z.object({ name, description: z.string().optional() }));

export const logRecord = z.object({ at: time, service: name, level: z.string().optional(), message: z.string() });
