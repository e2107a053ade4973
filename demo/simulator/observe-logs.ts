import {
  accessMessage,
  failureMessage,
  poolExhaustedMessage,
  routine,
  slowStatementMessage,
  timeoutMessage,
} from './log-phrases.ts';
import type { LogEvent, Scenario, ServiceSpec, SystemSpec } from './model.ts';
import { createRandom, type Random } from './random.ts';
import type { CallState, ServiceState, StepState } from './state.ts';

/** Share of requests whose access log line is kept, as log pipelines sample them. */
const ACCESS_SAMPLE = 1 / 12_000;
/** Mean number of routine lines of a service and step. */
const ROUTINE_LINES = 0.07;

/** The log lines of a simulated run, in time order. Errors are rate limited, as loggers do under load. */
export function observeLogs(
  system: SystemSpec,
  scenario: Scenario,
  steps: StepState[],
  stepSeconds: number,
): LogEvent[] {
  const events: LogEvent[] = [...scenario.logs];
  const specs = new Map(system.services.map((spec) => [spec.name, spec]));
  const random = createRandom(scenario.seed, `${scenario.id}/logs`);
  for (const { at, services, calls } of steps) {
    const put = (service: string, level: LogEvent['level'], message: string) =>
      events.push({ at: at - stepSeconds * random.next(), service, level, message });
    for (const [name, state] of services) serviceLines(specs.get(name)!, state, stepSeconds, random, put);
    for (const call of calls) callLines(specs.get(call.caller)!, call, stepSeconds, random, put);
  }
  const end = scenario.start + scenario.durationSeconds;
  return events
    .filter(({ at }) => at >= scenario.start && at < end)
    .map((event) => ({ ...event, at: Math.round(event.at * 1000) / 1000 }))
    .sort((a, b) => a.at - b.at);
}

type Put = (service: string, level: LogEvent['level'], message: string) => void;

/** Many occurrences, few lines: their number grows with the square root, up to a limit. */
const lines = (occurrences: number, perRoot: number, random: Random) =>
  random.poisson(Math.min(0.6, perRoot * Math.sqrt(occurrences)));

function serviceLines(spec: ServiceSpec, state: ServiceState, stepSeconds: number, random: Random, put: Put): void {
  if (spec.kind === 'external') return;
  const phrases = routine[spec.name] ?? [];
  for (let i = random.poisson(phrases.length > 0 ? ROUTINE_LINES : 0); i > 0; i--) {
    const [level, message] = random.pick(phrases);
    put(spec.name, level, message(random));
  }
  if (spec.kind === 'http') {
    for (const route of state.routes) {
      for (let i = random.poisson(route.requestsPerSecond * stepSeconds * ACCESS_SAMPLE); i > 0; i--) {
        const ms = route.latency.median * Math.exp(route.latency.sigma * random.normal());
        const failed = random.next() < route.errorRatio;
        put(spec.name, failed ? 'error' : 'info', accessMessage(route.name, ms, failed, random));
      }
    }
  }
  if (state.killed > 0) {
    put(spec.name, 'error', `container killed: OOMKilled (exit code 137), memory limit ${state.memoryLimitMb}Mi`);
    put(spec.name, 'info', 'starting, waiting for readiness');
  }
  if (state.memoryMb > 0.9 * state.memoryLimitMb && spec.kind === 'http' && random.next() < 0.2) {
    put(
      spec.name,
      'warn',
      `garbage collection took ${Math.round(400 + 900 * random.next())} ms, heap ${Math.round((100 * state.memoryMb) / state.memoryLimitMb)} % full`,
    );
  }
  const { pool } = state;
  if (pool && spec.pool) {
    for (let i = lines(state.requestsPerSecond * stepSeconds * pool.rejected, 0.06, random); i > 0; i--) {
      put(
        spec.name,
        'error',
        poolExhaustedMessage(spec.name, pool, state.replicasAvailable, spec.pool.acquireTimeoutMs),
      );
    }
  }
  if (spec.kind === 'postgres') {
    const { latency } = state.routes[0]!;
    const slow = latency.median * Math.exp(1.645 * latency.sigma);
    if (slow > 250) {
      for (let i = random.poisson(0.6); i > 0; i--)
        put(spec.name, 'info', slowStatementMessage(spec.name, slow * (0.8 + random.next())));
    }
  }
}

function callLines(caller: ServiceSpec, call: CallState, stepSeconds: number, random: Random, put: Put): void {
  const attempts = call.attemptsPerSecond * stepSeconds;
  for (let i = lines(attempts * call.timeoutRatio, 0.06, random); i > 0; i--) {
    put(caller.name, 'error', timeoutMessage(caller.name, call.callee, call.timeoutMs, random));
  }
  for (let i = lines(attempts * call.errorRatio, 0.012, random); i > 0; i--) {
    put(caller.name, 'warn', failureMessage(caller.name, call.callee, random));
  }
}
