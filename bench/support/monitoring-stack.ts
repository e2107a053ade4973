import pg from 'pg';
import type { Client as Temporal } from '@temporalio/client';
import { createTemporalClient } from '../../temporal/connection.ts';
import {
  byTurn,
  startScriptedModel,
  type RecordedRequest,
  type ScriptedModel,
  type ScriptedStep,
} from '../../test/support/scripted-model/index.ts';
import { startBarePrometheus } from './bare-prometheus.ts';
import { listSources } from './scripts.ts';
import { withStack, type Stack, type StackOptions } from './stack.ts';

/** A stack for agents that watch a Prometheus on which all is well, and what a benchmark asks it with. */
export interface MonitoringStack extends Stack {
  teamId: string;
  database: pg.Client;
  client: Temporal;
  /** Requests to the model, which looks once and submits a green result. */
  modelRequests: readonly RecordedRequest[];
}

const green: ScriptedStep = {
  toolUses: [{ name: 'submit_check_result', input: { status: 'ok', summary: 'All is well.', observations: [] } }],
};

/** The environment of one more worker, on a queue of its own. */
export const workerEnv = (options: { taskQueue: string; cached?: number }): Record<string, string> => ({
  TEMPORAL_TASK_QUEUE: options.taskQueue,
  BENCH_CACHED_WORKFLOWS: String(options.cached ?? ''),
});

/** Runs `work` on a fresh stack with the worker of the benchmarks. */
export async function withMonitoringStack<T>(
  options: Omit<StackOptions, 'env' | 'worker'>,
  work: (stack: MonitoringStack) => Promise<T>,
): Promise<T> {
  const prometheus = await startBarePrometheus();
  try {
    return await withModel((model) => onStack({ ...options, prometheusUrl: prometheus.url, model }, work));
  } finally {
    await prometheus.stop();
  }
}

async function withModel<T>(work: (model: ScriptedModel) => Promise<T>): Promise<T> {
  const model = await startScriptedModel(byTurn([listSources, green]));
  try {
    return await work(model);
  } finally {
    await model.stop();
  }
}

async function onStack<T>(
  { prometheusUrl, model, ...options }: StackOptions & { prometheusUrl: string; model: ScriptedModel },
  work: (stack: MonitoringStack) => Promise<T>,
): Promise<T> {
  const env = { PROMETHEUS_URL: prometheusUrl, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'bench' };
  const worker = { program: 'bench/support/worker.ts', args: [] };
  return withStack({ ...options, env, worker }, async (stack) => {
    const database = new pg.Client({ connectionString: stack.adminUrl });
    const client = createTemporalClient(stack.temporal);
    try {
      await database.connect();
      const { id: teamId } = await stack.call<{ id: string }>('GET', '/api/team');
      return await work({ ...stack, teamId, database, client, modelRequests: model.requests });
    } finally {
      await client.connection.close();
      await database.end();
    }
  });
}
