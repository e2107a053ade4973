import { z } from 'zod';

export const HealthResponse = z.object({ status: z.literal('ok') }).meta({ id: 'HealthResponse' });

const Check = z
  .object({
    name: z.string(),
    ok: z.boolean(),
    latency_ms: z.number(),
    reason: z.string().optional().meta({ description: 'A word that says why the check failed.' }),
  })
  .meta({ id: 'DependencyCheck' });

export const ReadinessResponse = z
  .object({ status: z.literal('ready'), checks: z.array(Check) })
  .meta({ id: 'ReadinessResponse' });

export const DeploymentResponse = z
  .object({
    version: z.string(),
    revision: z.string().nullable(),
    node: z.string(),
    environment: z.string(),
    host: z.string(),
    started_at: z.iso.datetime(),
    uptime_seconds: z.number(),
    model_provider: z.enum(['anthropic', 'offline']),
    sources: z.array(z.string()).meta({ description: 'Kinds of telemetry sources that are configured.' }),
    healthy: z.boolean(),
    reaches: z.array(Check),
  })
  .meta({ id: 'DeploymentResponse' });
