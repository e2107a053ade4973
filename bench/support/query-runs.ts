/** Queries running workflows from concurrent loops for a while, with nothing in between, and prints how many answered. */
import { createTemporalClient } from '../../temporal/connection.ts';
import { runProgressQuery } from '../../src/features/runs/contract.ts';
import { programInput } from './program.ts';

export interface QueryRunsInput {
  address: string;
  namespace: string;
  workflowIds: string[];
  loops: number;
  seconds: number;
}

export interface QueryRunsOutput {
  /** Answered queries. */
  queriesPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Refused queries by the name of the error, such as RESOURCE_EXHAUSTED. */
  errors: Record<string, number>;
}

const { address, namespace, workflowIds, loops, seconds } = programInput() as QueryRunsInput;
const client = createTemporalClient({ address, namespace });
const latencies: number[] = [];
const errors: Record<string, number> = {};
const began = performance.now();
const end = began + seconds * 1000;

async function loop(first: number): Promise<void> {
  for (let turn = first; performance.now() < end; turn++) {
    const asked = performance.now();
    try {
      await client.workflow.getHandle(workflowIds[turn % workflowIds.length]!).query(runProgressQuery);
      latencies.push(performance.now() - asked);
    } catch (error) {
      const { cause } = error as { cause?: { details?: string; message?: string } };
      const name = cause?.details ?? cause?.message ?? (error as Error).message;
      errors[name] = (errors[name] ?? 0) + 1;
    }
  }
}

await Promise.all(Array.from({ length: loops }, (_, index) => loop(index)));
const elapsed = (performance.now() - began) / 1000;
await client.connection.close();
latencies.sort((a, b) => a - b);
const output: QueryRunsOutput = {
  queriesPerSecond: latencies.length / elapsed,
  p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
  p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
  errors,
};
process.stdout.write(`${JSON.stringify(output)}\n`);
