import type { ReadinessCheck } from '../../http/deps.ts';

export interface CheckResult {
  name: string;
  ok: boolean;
  /** How long the check took, ms. */
  latencyMs: number;
  /** Why it failed, without addresses or credentials. */
  reason?: string;
}

/** A check that takes longer has failed. */
const CHECK_TIMEOUT_MS = 3_000;

/** Runs the checks in parallel; a check that hangs or throws is a result, never an error. */
export function runChecks(checks: readonly ReadinessCheck[], timeoutMs = CHECK_TIMEOUT_MS): Promise<CheckResult[]> {
  return Promise.all(checks.map((check) => runCheck(check, timeoutMs)));
}

async function runCheck({ name, check }: ReadinessCheck, timeoutMs: number): Promise<CheckResult> {
  const started = performance.now();
  const deadline = new AbortController();
  const timedOut = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    deadline.abort(new Error('The check took too long.'));
    timedOut.reject(new TimedOut());
  }, timeoutMs);
  const elapsed = () => Math.round(performance.now() - started);
  try {
    await Promise.race([check(deadline.signal), timedOut.promise]);
    return { name, ok: true, latencyMs: elapsed() };
  } catch (error) {
    return { name, ok: false, latencyMs: elapsed(), reason: reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

class TimedOut extends Error {
  override name = 'TimedOut';
}

/** A word, not the message: driver messages quote addresses, users and sometimes credentials. */
function reasonOf(error: unknown): string {
  if (error instanceof TimedOut) return 'timeout';
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : 'failed';
}

/**
 * Shares one run of the checks among concurrent callers: a probe never gets an old answer, and each dependency is asked
 * once at a time.
 */
export function coalescedChecks(checks: readonly ReadinessCheck[]): () => Promise<CheckResult[]> {
  let underway: Promise<CheckResult[]> | undefined;
  return () => (underway ??= runChecks(checks).finally(() => (underway = undefined)));
}

/**
 * Shares one run of the checks among callers within a moment, so that a public endpoint cannot make this service hammer
 * its dependencies.
 */
export function sharedChecks(
  checks: readonly ReadinessCheck[],
  now: () => number,
  freshMs = 1_000,
): () => Promise<CheckResult[]> {
  let latest: { at: number; results: Promise<CheckResult[]> } | undefined;
  return () => {
    const at = now();
    if (!latest || at - latest.at >= freshMs) latest = { at, results: runChecks(checks) };
    return latest.results;
  };
}
