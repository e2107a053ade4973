/** Maps services and calls of the API to the graph. */
import type { ComponentProps } from 'react';
import type { ServiceGraph } from '../../../components/graph/service-graph.tsx';
import type { Graph } from '../queries.ts';

type Props = ComponentProps<typeof ServiceGraph>;

/** @param isTentative no report confirms the suspect */
export const toService = (
  { name, role, reason }: Graph['services'][number],
  isTentative: boolean,
): Props['services'][number] => ({
  name,
  role: role === 'suspect' && !isTentative ? 'cause' : role,
  ...(reason !== null && { note: reason }),
});

export const toCall = (call: Graph['calls'][number]): Props['calls'][number] => ({
  caller: call.caller,
  callee: call.callee,
  stale: call.stale,
  onFaultPath: call.on_fault_path,
  ...(call.calls_per_second !== null && { callsPerSecond: call.calls_per_second }),
  ...(call.error_ratio !== null && { errorRatio: call.error_ratio }),
  ...(call.p95_seconds !== null && { p95Seconds: call.p95_seconds }),
});
