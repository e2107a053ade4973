/**
 * Results whose end was cut off hold items of which only the beginning is there. This keeps the items that have what
 * whoever reads them relies on.
 */

type Kind = 'string' | 'number' | 'list' | 'object' | 'any';

/** By the name of the list: what its items must have. */
const ITEMS: Record<string, Record<string, Kind>> = {
  sources: { id: 'string', kind: 'string', title: 'string', capabilities: 'list', alerts: 'list' },
  alerts: { name: 'string', service: 'string', at: 'string', summary: 'string' },
  metrics: { metric: 'string', services: 'list', statistics: 'list' },
  edges: { caller: 'string', callee: 'string' },
  series: { service: 'string', points: 'list', anomaly: 'object' },
  causes: { rank: 'number', service: 'string', score: 'number', own_score: 'number', signals: 'list' },
  signals: {
    metric: 'string',
    meaning: 'string',
    direction: 'string',
    score: 'number',
    baseline_median: 'any',
    incident_value: 'any',
  },
  patterns: { pattern: 'string', count: 'number', services: 'list', first: 'string', last: 'string' },
  lines: { at: 'string', service: 'string', message: 'string' },
  changes: { id: 'string', at: 'string', kind: 'string', summary: 'string' },
};

/** A copy without the items, at any depth, that lack a member they must have. */
export function wholeItems(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wholeItems);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]): [string, unknown] => {
    const items = wholeItems(member);
    const needed = Object.hasOwn(ITEMS, key) ? ITEMS[key] : undefined;
    return [key, needed && Array.isArray(items) ? items.filter((item) => isWhole(item, needed)) : items];
  });
  return Object.fromEntries(members);
}

function isWhole(item: unknown, needed: Record<string, Kind>): boolean {
  return (
    isObject(item) && Object.entries(needed).every(([key, kind]) => Object.hasOwn(item, key) && is(item[key], kind))
  );
}

function is(value: unknown, kind: Kind): boolean {
  if (kind === 'any') return true;
  if (kind === 'list') return Array.isArray(value);
  return kind === 'object' ? isObject(value) : typeof value === kind;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
