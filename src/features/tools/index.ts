/** The agent's tools: how they are defined, offered and called, and how their results reach a model. */
import type { Room } from '../../room.ts';
import { listServices, listSources } from './telemetry/list-sources.ts';
import { promql } from './telemetry/promql.ts';
import { queryMetric, searchMetrics } from './telemetry/metrics.ts';
import { rankRootCauses } from './telemetry/rank-root-causes.ts';
import { readToolResult } from './read-tool-result.ts';
import { recentChanges } from './telemetry/recent-changes.ts';
import { compareTraces } from './telemetry/compare-traces.ts';
import { getTrace } from './telemetry/get-trace.ts';
import { searchLogs } from './telemetry/search-logs.ts';
import { searchTraces } from './telemetry/search-traces.ts';
import { serviceDependencies } from './telemetry/service-dependencies.ts';
import type { Tool } from './tool.ts';
import { connectSystems } from './systems/index.ts';
import { updatePlan } from './update-plan.ts';

export { listSources } from './telemetry/list-sources.ts';
export { downsample, resultPoints } from './telemetry/series.ts';
export { frameToolResult, parseFramedToolResult, restore } from './framing.ts';
export { groupLogPatterns, type LogPattern } from '../diagnosis/index.ts';
export { createRegistryCache, createToolRegistry, type ToolRegistry } from './registry.ts';
export { clip, count, oneLine, safeCut } from './text.ts';
export { timeField } from './telemetry/source-tool.ts';
export { toIso, toIsoWindow, toUnixSeconds } from './time.ts';
export * from './systems/index.ts';
export * from './tool.ts';
export { normalizeOutput, VIEW_CHARACTERS, viewOf } from './view.ts';
export type * from './results.ts';

/** What every kind of run can do; each kind adds its own tools. */
export const sharedTools: readonly Tool[] = [
  listSources,
  listServices,
  searchMetrics,
  queryMetric,
  promql,
  searchLogs,
  searchTraces,
  getTrace,
  compareTraces,
  serviceDependencies,
  recentChanges,
  rankRootCauses,
  readToolResult,
  updatePlan,
];

const capabilities = new Map(sharedTools.map(({ name, capability }) => [name, capability]));

/** What a tool queries; undefined if it queries no source. */
export const capabilityOf = (tool: string) => capabilities.get(tool);

export const toolsRoom = { name: 'tools', tools: sharedTools, build: () => ({ connectSystems }) } satisfies Room;
