import { z } from 'zod';
import { ContentResponse } from '../../http/respond.ts';
import type { ApiDeps } from '../../http/deps.ts';
import { endpointFor } from '../../http/endpoint.ts';
import { DependencyDown } from '../../http/errors.ts';
import type { Deployment } from './deployment.ts';
import { coalescedChecks, type CheckResult } from './readiness.ts';
import { DeploymentResponse, HealthResponse, ReadinessResponse } from './schemas.ts';

export interface ServiceDeps extends ApiDeps {
  deployment: Deployment;
  /** The kind of model that answers. */
  modelProvider: 'anthropic' | 'offline';
  /** The configured kinds of sources, e.g. `prometheus`. */
  sourceKinds: readonly string[];
  /** What the smoke test tries to reach; more than readiness requires. */
  reachability: () => Promise<CheckResult[]>;
}

const endpoint = endpointFor<ServiceDeps>();

const presentCheck = ({ name, ok, latencyMs, reason }: CheckResult) => ({ name, ok, latency_ms: latencyMs, reason });

/** One per process, created on first use. */
const readinessOf = new WeakMap<ServiceDeps, () => Promise<CheckResult[]>>();

function readiness(deps: ServiceDeps): Promise<CheckResult[]> {
  let checks = readinessOf.get(deps);
  if (!checks) {
    checks = coalescedChecks(deps.readiness);
    readinessOf.set(deps, checks);
  }
  return checks();
}

export const serviceEndpoints = [
  endpoint({
    method: 'get',
    path: '/error',
    operationId: 'raiseError',
    summary: 'Fail on purpose, to test error reporting',
    description: 'Returns 500 with an error id that is also in the log.',
    tags: ['Service'],
    auth: 'none',
    response: z.object({}).meta({ id: 'NeverReturned' }),
    errors: [500],
    handler: async () => {
      throw new Error('This error was asked for (GET /error).');
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/test-eks-deploy',
    operationId: 'testDeployment',
    summary: 'Smoke-test the deployment',
    tags: ['Service'],
    auth: 'none',
    response: DeploymentResponse,
    handler: async ({ deps }) => {
      const { deployment, clock, modelProvider, sourceKinds } = deps;
      const reaches = await deps.reachability();
      return {
        version: deployment.version,
        revision: deployment.revision ?? null,
        node: deployment.node,
        environment: deployment.environment,
        host: deployment.host,
        started_at: deployment.startedAt.toISOString(),
        uptime_seconds: Math.max(0, Math.round((clock.now().getTime() - deployment.startedAt.getTime()) / 1000)),
        model_provider: modelProvider,
        sources: [...sourceKinds],
        healthy: reaches.every(({ ok }) => ok),
        reaches: reaches.map(presentCheck),
      };
    },
  }),
  endpoint({
    method: 'get',
    path: '/healthz',
    operationId: 'getHealth',
    summary: 'Check liveness',
    tags: ['Service'],
    auth: 'none',
    rateLimited: false,
    response: HealthResponse,
    handler: async () => ({ status: 'ok' as const }),
  }),
  endpoint({
    method: 'get',
    path: '/readyz',
    operationId: 'getReadiness',
    summary: 'Check readiness',
    tags: ['Service'],
    auth: 'none',
    rateLimited: false,
    response: ReadinessResponse,
    errors: [503],
    handler: async ({ deps }) => {
      const checks = await readiness(deps);
      const missing = checks.filter(({ ok }) => !ok).map(({ name }) => name);
      if (missing.length > 0) {
        throw new DependencyDown(`Not ready: ${missing.join(', ')}`, 'not_ready', {
          fields: { missing, checks: checks.map(presentCheck) },
        });
      }
      return { status: 'ready' as const, checks: checks.map(presentCheck) };
    },
  }),
  endpoint({
    method: 'get',
    path: '/metrics',
    operationId: 'getMetrics',
    summary: 'Get Prometheus metrics',
    tags: ['Service'],
    auth: 'none',
    rateLimited: false,
    content: { 'text/plain': 'Prometheus text format 0.0.4' },
    handler: async ({ deps }) =>
      new ContentResponse('text/plain', await deps.metrics.metrics(), { 'Content-Type': deps.metrics.contentType }),
  }),
];
