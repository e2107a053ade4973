/** Traces of single requests, drawn from the state of the system at their time. */
import type { Span } from '../../src/features/sources/port.ts';
import type { Latency } from './latency.ts';
import type { CallSpec, RouteSpec, Scenario, ServiceSpec, SystemSpec } from './model.ts';
import { createRandom, type Random } from './random.ts';
import type { CallState, ServiceState, StepState } from './state.ts';

/** One request in this time is traced; samplers take as many of rare routes as of others. */
const SECONDS_PER_TRACE = 90;
/** Between two services, one way. */
const NETWORK_MS: Latency = { median: 0.3, sigma: 0.3 };
/** Of its own work, a service does this share before it calls others. */
const WORK_BEFORE_CALLS = 0.6;

/** A sample of the traces of a simulated run, in time order; third parties send no spans of their own. */
export function observeSpans(system: SystemSpec, scenario: Scenario, steps: StepState[], stepSeconds: number): Span[] {
  const random = createRandom(scenario.seed, `${scenario.id}/spans`);
  const spans: Span[] = [];
  const stepsPerTrace = Math.max(1, Math.round(SECONDS_PER_TRACE / stepSeconds));
  for (let i = 0; i + stepsPerTrace <= steps.length; i += stepsPerTrace) {
    const step = steps[i + Math.floor(random.next() * stepsPerTrace)]!;
    const start = step.at + stepSeconds * random.next();
    const request = new TracedRequest(system, step, random);
    request.arrive(random.pick(Object.keys(system.entry.routes)), start);
    spans.push(...request.spans);
  }
  const end = scenario.start + scenario.durationSeconds;
  return spans.filter((span) => span.start < end);
}

/** What became of one piece of work. */
interface Outcome {
  ms: number;
  failed: boolean;
}

/** Follows one request through the services, by the distributions of one step. */
class TracedRequest {
  readonly spans: Span[] = [];
  readonly #system: SystemSpec;
  readonly #step: StepState;
  readonly #random: Random;
  readonly #traceId: string;

  constructor(system: SystemSpec, step: StepState, random: Random) {
    this.#system = system;
    this.#step = step;
    this.#random = random;
    this.#traceId = random.hex(32);
  }

  /** @param start unix seconds */
  arrive(routeName: string, start: number): void {
    this.#serve(this.#system.entry.service, routeName, start);
  }

  #serve(service: string, routeName: string | undefined, start: number, parentId?: string): Outcome {
    const spec = this.#system.services.find(({ name }) => name === service)!;
    const state = this.#step.services.get(service)!;
    const route = spec.routes.find(({ name }) => name === routeName) ?? spec.routes[0]!;
    const span = this.#open(service, route.name, 'server', start, parentId);
    const work = this.#draw(state.routes.find(({ name }) => name === route.name)!.work) + this.#wait(state.queueMs);
    let outcome: Outcome = { ms: work, failed: this.#random.next() < state.ownErrorRatio };
    if (!outcome.failed) {
      const before = work * WORK_BEFORE_CALLS;
      const calls = this.#callOthers(spec, route, state, start + before / 1000, span.spanId);
      outcome = { ms: before + calls.ms + (calls.failed ? 0 : work - before), failed: calls.failed };
    }
    return this.#close(span, outcome);
  }

  /** The calls of a route, one after another, until one fails that it cannot do without. */
  #callOthers(spec: ServiceSpec, route: RouteSpec, state: ServiceState, start: number, parentId: string): Outcome {
    let ms = 0;
    let hasConnection = false;
    for (const call of route.calls) {
      for (let time = 0; time < call.times; time++) {
        if (state.pool?.target === call.callee && !hasConnection) {
          const { rejected, waitMs } = state.pool;
          if (this.#random.next() < rejected) return { ms: ms + spec.pool!.acquireTimeoutMs, failed: true };
          ms += this.#wait(Math.min(waitMs, spec.pool!.acquireTimeoutMs));
          hasConnection = true;
        }
        const made = this.#callWithRetries(spec.name, call, start + ms / 1000, parentId);
        ms += made.ms;
        if (made.failed && call.critical) return { ms, failed: true };
      }
    }
    return { ms, failed: false };
  }

  #callWithRetries(caller: string, call: CallSpec, start: number, parentId: string): Outcome {
    let ms = 0;
    for (let attempt = 0; attempt <= call.retries; attempt++) {
      const made = this.#callOnce(caller, call, start + ms / 1000, parentId);
      ms += made.ms;
      if (!made.failed) return { ms, failed: false };
    }
    return { ms, failed: true };
  }

  #callOnce(caller: string, call: CallSpec, start: number, parentId: string): Outcome {
    const { callee } = call;
    const spec = this.#system.services.find(({ name }) => name === callee)!;
    const operation = call.route ?? spec.routes[0]!.name;
    const span = this.#open(caller, `${operation} ${callee}`, 'client', start, parentId);
    const there = this.#draw(NETWORK_MS);
    const served =
      spec.kind === 'external' ? this.#draw(this.#step.services.get(callee)!.routes[0]!.latency) : undefined;
    const outcome =
      served === undefined
        ? this.#serve(callee, operation, start + there / 1000, span.spanId)
        : { ms: served, failed: this.#random.next() < this.#step.services.get(callee)!.ownErrorRatio };
    const ms = there + outcome.ms + this.#draw(NETWORK_MS);
    const timeoutMs = this.#callOf(caller, callee)?.timeoutMs ?? call.timeoutMs;
    return this.#close(span, ms > timeoutMs ? { ms: timeoutMs, failed: true } : { ms, failed: outcome.failed });
  }

  /** A fault may have replaced the time-out of a call. */
  #callOf(caller: string, callee: string): CallState | undefined {
    return this.#step.calls.find((call) => call.caller === caller && call.callee === callee);
  }

  #open(service: string, operation: string, kind: 'server' | 'client', start: number, parentId?: string): Span {
    const ids = { traceId: this.#traceId, spanId: this.#random.hex(16), ...(parentId !== undefined && { parentId }) };
    const span: Span = { ...ids, service, operation, start, durationMs: 0, kind };
    this.spans.push(span);
    return span;
  }

  #close(span: Span, outcome: Outcome): Outcome {
    span.durationMs = Math.round(outcome.ms * 1e3) / 1e3;
    if (outcome.failed) span.status = 'error';
    return outcome;
  }

  #draw({ median, sigma }: Latency): number {
    return median * Math.exp(sigma * this.#random.normal());
  }

  /** An exponentially distributed wait. */
  #wait(meanMs: number): number {
    return -meanMs * Math.log(1 - this.#random.next());
  }
}
