import type { Alert, Change, ServiceEdge, Span } from '../../src/features/sources/port.ts';
import { firedAlerts } from './alerts.ts';
import { observeMetrics, type MetricColumn } from './metrics.ts';
import type { AlertRule, LogEvent, Scenario, SystemSpec, Truth } from './model.ts';
import { observeLogs } from './observe-logs.ts';
import { observeSpans } from './observe-spans.ts';
import { simulate } from './simulate.ts';
import type { StepState } from './state.ts';

/** Everything that was recorded of an incident, and apart from it what really happened. */
export interface SimulatedIncident {
  id: string;
  title: string;
  window: { from: number; to: number };
  baseline: { from: number; to: number };
  alerts: Alert[];
  timestamps: number[];
  metrics: MetricColumn[];
  edges: ServiceEdge[];
  logs: LogEvent[];
  /** A sample of whole traces. */
  spans: Span[];
  changes: Change[];
  services: { name: string; description: string }[];
  truth: Truth;
}

/** From the last sample an alert needs to the page. */
const REPORTING_SECONDS = 40;

/**
 * Simulates a scenario and records it as its monitoring would.
 * @param stepSeconds resolution of the metrics
 * @throws when no alert fires: then there is nothing to investigate
 */
export function simulateIncident(
  system: SystemSpec,
  rules: AlertRule[],
  scenario: Scenario,
  stepSeconds = 30,
): SimulatedIncident {
  const steps = simulate(system, scenario, stepSeconds);
  const timestamps = steps.map(({ at }) => at);
  const metrics = observeMetrics(system, scenario, steps, stepSeconds);
  const alerts = firedAlerts(rules, metrics, timestamps, REPORTING_SECONDS);
  if (alerts.length === 0) throw new Error(`${scenario.id}: no alert fires`);
  if (alerts[0]!.at < scenario.onset) throw new Error(`${scenario.id}: ${alerts[0]!.name} fires before the fault`);
  return {
    id: scenario.id,
    title: scenario.title,
    window: { from: scenario.start, to: scenario.start + scenario.durationSeconds },
    baseline: { from: scenario.start, to: scenario.start + 3600 },
    alerts,
    timestamps,
    metrics,
    edges: observedEdges(steps),
    logs: observeLogs(system, scenario, steps, stepSeconds),
    spans: observeSpans(system, scenario, steps, stepSeconds),
    changes: [...scenario.changes].sort((a, b) => a.at - b.at),
    services: system.services.map(({ name, description }) => ({ name, description })),
    truth: { incident: scenario.id, onset: new Date(scenario.onset * 1000).toISOString(), ...scenario.truth },
  };
}

/** Mean calls a second over the run, retries included. */
function observedEdges(steps: StepState[]): ServiceEdge[] {
  const sums = new Map<string, ServiceEdge & { callsPerSecond: number }>();
  for (const { calls } of steps) {
    for (const { caller, callee, attemptsPerSecond } of calls) {
      const key = `${caller} ${callee}`;
      const edge = sums.get(key) ?? { caller, callee, callsPerSecond: 0 };
      sums.set(key, edge);
      edge.callsPerSecond += attemptsPerSecond / steps.length;
    }
  }
  return [...sums.values()].sort((a, b) => (`${a.caller} ${a.callee}` < `${b.caller} ${b.callee}` ? -1 : 1));
}
