import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from './stack.ts';

export interface EndedInvestigation {
  id: string;
  status: 'completed' | 'failed' | 'cancelled';
  seconds: number;
}

/** Starts an investigation over the API. @returns its id */
export async function startInvestigation(stack: Stack, query: string): Promise<string> {
  const started = await stack.call<{ investigation_id: string }>('POST', '/api/v1/investigate', { query });
  return started.investigation_id;
}

/** Does what a program does that uses the API: starts an investigation and polls it until it has ended. */
export async function investigate(
  stack: Stack,
  query: string,
  { signal, pollEveryMs = 100 }: { signal: AbortSignal; pollEveryMs?: number },
): Promise<EndedInvestigation> {
  const began = performance.now();
  const id = await startInvestigation(stack, query);
  for (;;) {
    const { status } = await stack.call<{ status: EndedInvestigation['status'] | 'processing' }>(
      'GET',
      `/api/v1/investigations/${id}`,
    );
    if (status !== 'processing') return { id, status, seconds: (performance.now() - began) / 1000 };
    await sleep(pollEveryMs, undefined, { signal });
  }
}
