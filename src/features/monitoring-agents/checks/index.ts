/** Runs the checks that need no model. */
import { runDependencyCheck } from './dependency.ts';
import { reasonOf } from './ask.ts';
import { runLogPatternCheck } from './log-pattern.ts';
import { runToolCheck } from './mcp-tool.ts';
import { runMetricCheck } from './metric.ts';
import type { CheapSubject, CheckContext, CheckResult, RunCheapCheck } from './port.ts';
import { failed } from './result.ts';
import { runServiceHealthCheck } from './service-health.ts';

/**
 * Runs one check that needs no model. A source that does not answer, or answers garbage, yields a result with status
 * `failed`.
 * @throws the signal's reason as soon as it fires, even if a source ignores the signal
 */
export const runCheapCheck: RunCheapCheck = async (subject, context) => {
  const { signal } = context;
  signal.throwIfAborted();
  const fired = Promise.withResolvers<never>();
  const fire = (): void => fired.reject(signal.reason);
  signal.addEventListener('abort', fire, { once: true });
  try {
    return await Promise.race([run(subject, context), fired.promise]);
  } catch (error) {
    signal.throwIfAborted();
    return failed(reasonOf(error, subject.type === 'mcp_tool' ? subject.tool : subject.source));
  } finally {
    signal.removeEventListener('abort', fire);
  }
};

function run(subject: CheapSubject, context: CheckContext): Promise<CheckResult> {
  switch (subject.type) {
    case 'metric':
      return runMetricCheck(subject, context);
    case 'log_pattern':
      return runLogPatternCheck(subject, context);
    case 'service_health':
      return runServiceHealthCheck(subject, context);
    case 'dependency':
      return runDependencyCheck(subject, context);
    default:
      return runToolCheck(subject, context);
  }
}
