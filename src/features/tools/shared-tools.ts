import { listServices } from './list-services.ts';
import { listSources } from './list-sources.ts';
import { promql } from './promql.ts';
import { queryMetric } from './query-metric.ts';
import { rankRootCauses } from './rank-root-causes.ts';
import { readToolResult } from './read-tool-result.ts';
import { recentChanges } from './recent-changes.ts';
import { searchLogs } from './search-logs.ts';
import { searchMetrics } from './search-metrics.ts';
import { serviceDependencies } from './service-dependencies.ts';
import type { Tool } from './tool.ts';
import { updatePlan } from './update-plan.ts';

/** What every kind of run can do; each kind adds its own tools. */
export const sharedTools: readonly Tool[] = [
  listSources,
  listServices,
  searchMetrics,
  queryMetric,
  promql,
  searchLogs,
  serviceDependencies,
  recentChanges,
  rankRootCauses,
  readToolResult,
  updatePlan,
];
