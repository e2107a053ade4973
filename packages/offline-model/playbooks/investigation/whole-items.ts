/** Drops incomplete items from results that were cut off. */
import { isRecord } from '../calls.ts';

/** Required members of items, by the name of their list. */
const MEMBERS: Record<string, string[]> = {
  sources: ['id', 'kind', 'title', 'capabilities', 'alerts'],
  alerts: ['name', 'service', 'at', 'summary'],
  metrics: ['metric', 'services', 'statistics'],
  edges: ['caller', 'callee'],
  series: ['service', 'points', 'anomaly'],
  causes: ['rank', 'service', 'score', 'own_score', 'signals'],
  signals: ['metric', 'meaning', 'direction', 'score', 'baseline_median', 'incident_value'],
  patterns: ['pattern', 'count', 'services', 'first', 'last'],
  lines: ['at', 'service', 'message'],
  changes: ['id', 'at', 'kind', 'summary'],
};

export function wholeItems(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wholeItems);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const items = wholeItems(member);
      const needed = Object.hasOwn(MEMBERS, key) ? (MEMBERS[key] ?? []) : [];
      const isWhole = (item: unknown): boolean =>
        needed.length === 0 || (isRecord(item) && needed.every((name) => item[name] !== undefined));
      return [key, Array.isArray(items) ? items.filter(isWhole) : items];
    }),
  );
}
