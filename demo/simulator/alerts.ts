import type { Alert } from '../../src/features/sources/port.ts';
import type { MetricColumn } from './metrics.ts';
import type { AlertRule } from './model.ts';

/** An alert manager groups what fires within this time of the first alert into one page. */
const GROUP_SECONDS = 300;

/**
 * The page that the rules would have sent: the first alert and those that follow within five minutes.
 * @param reportingSeconds from the last sample a rule needed to the page
 */
export function firedAlerts(
  rules: AlertRule[],
  columns: MetricColumn[],
  timestamps: number[],
  reportingSeconds: number,
): Alert[] {
  const fired = rules.flatMap((rule): Alert[] => {
    const statistic = rule.metric === 'latency' ? 'p95' : 'Average';
    const column = columns.find(
      ({ service, metric, statistic: s }) => service === rule.service && metric === rule.metric && s === statistic,
    );
    if (!column) throw new Error(`the rule ${rule.name} watches a metric that nobody records`);
    let since: number | undefined;
    for (const [i, value] of column.values.entries()) {
      if (!(value > rule.above)) since = undefined;
      else since ??= timestamps[i]!;
      if (since === undefined || timestamps[i]! - since < rule.forSeconds) continue;
      const shown =
        rule.metric === 'latency'
          ? `p95 latency is ${value.toFixed(2)} s`
          : `${(value * 100).toFixed(1)} % of requests fail`;
      const limit = rule.metric === 'latency' ? `${rule.above} s` : `${rule.above * 100} %`;
      return [
        {
          name: rule.name,
          service: rule.service,
          metric: rule.metric,
          at: timestamps[i]! + reportingSeconds,
          summary: `${rule.service}: ${shown}, above ${limit} for ${rule.forSeconds / 60} minutes`,
        },
      ];
    }
    return [];
  });
  fired.sort((a, b) => a.at - b.at);
  return fired.filter(({ at }) => at - fired[0]!.at <= GROUP_SECONDS);
}
