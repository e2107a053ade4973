/** The condition of a metric check, and the windows of all checks. */
import type { PlanInput } from '../../../../../src/features/monitoring-agents/plan/schema.ts';
import type { Aspect } from '../reading/aspects.ts';
import type { Operator, SaidLimit } from '../reading/thresholds.ts';
import { inUnit, unitKind } from '../reading/units.ts';

type CheckInput = NonNullable<PlanInput['checks']>[number];
type MetricInput = Extract<CheckInput['check'], { type: 'metric' }>;

interface Conditioned {
  condition: MetricInput['condition'];
  window_seconds: number;
  aggregate?: 'min' | 'max';
  notes: string[];
}

const LEAST_WINDOW = 10;
const MOST_WINDOW = 86_400;
const USUAL_WINDOW = 300;
const SHORT_WINDOW = 120;
const MOST_OWN_WINDOW = 3_600;
const LEAST_HISTORY = 3_600;
const MOST_HISTORY = 14 * 86_400;
/** Changes below this are nobody's trouble, whatever the spread was: 50 ms, one request of a hundred, a tenth of a CPU. */
const LEAST_CHANGES: Record<string, [value: number, unit: string]> = {
  latency: [50, 'ms'],
  errors: [1, '%'],
  cpu: [10, '%'],
};

/** What is looked at where nobody says: at least as long as nobody looks, and long enough for noisy series. */
export function windowFor(period: number): number {
  if (period < USUAL_WINDOW) return Math.max(SHORT_WINDOW, period);
  return Math.min(MOST_OWN_WINDOW, period);
}

/** History to compare with; never less than twice the window. @param most seconds */
export function historyFor(window: number, most = MOST_HISTORY): number {
  return Math.min(most, Math.max(LEAST_HISTORY, 4 * window));
}

/** @param unit of the metric, where it is known */
export function conditionFor(
  limit: SaidLimit,
  aspect: Aspect | undefined,
  unit: string | undefined,
  period: number,
): Conditioned {
  const { threshold, sustained, within } = limit;
  const window = boundedWindow(sustained ?? within ?? windowFor(period));
  const notes: string[] = [];
  if (threshold) {
    const converted = inUnit(threshold.value, threshold.unit, unit);
    if (converted && Number.isFinite(converted.value)) {
      const operator = threshold.operator ?? usualOperator(aspect);
      const aggregate = sustained === undefined ? undefined : worst(operator);
      if (converted.note) notes.push(converted.note);
      return {
        condition: { type: 'threshold', operator, value: converted.value },
        window_seconds: window,
        ...(aggregate && { aggregate }),
        notes,
      };
    }
    notes.push(
      `I cannot compare ${threshold.value} ${threshold.unit ?? ''} with a metric in ${unit ?? 'its unit'}, so I compare it with what is usual.`,
    );
  }
  const [change, of] = LEAST_CHANGES[aspect?.id ?? ''] ?? [];
  const least =
    change === undefined || unit === undefined || unitKind(unit) !== unitKind(of)
      ? undefined
      : inUnit(change, of, unit)?.value;
  return {
    condition: {
      type: 'baseline',
      direction: aspect?.direction ?? 'both',
      history_seconds: historyFor(window),
      ...(least !== undefined && { least_change: least }),
    },
    window_seconds: window,
    notes,
  };
}

/** Of all the window's points that one which is the last to be so. */
function worst(operator: Operator): 'min' | 'max' | undefined {
  if (operator.startsWith('>')) return 'min';
  return operator.startsWith('<') ? 'max' : undefined;
}

function usualOperator(aspect: Aspect | undefined): Operator {
  return aspect?.direction === 'below' ? '<' : '>';
}

/** A window as a check can have it, seconds. */
export function boundedWindow(seconds: number): number {
  return Math.min(MOST_WINDOW, Math.max(LEAST_WINDOW, Math.round(seconds)));
}
