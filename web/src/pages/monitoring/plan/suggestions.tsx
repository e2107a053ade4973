/** What fields of a plan are offered while one writes; anything else may be written all the same. */
import type { PlanDraft } from './draft.ts';
import type { Suggestion } from './field-types.ts';
import { valueAt } from './json.ts';

export const LIST_IDS: Record<Suggestion, string> = {
  source: 'offered-sources',
  service: 'offered-services',
  metric: 'offered-metrics',
  tool: 'offered-tools',
  time_zone: 'offered-time-zones',
};

/** Where in checks there are such values already. */
const USED: Record<Exclude<Suggestion, 'time_zone'>, readonly string[]> = {
  source: ['check.source'],
  service: ['check.service', 'check.caller', 'check.callee'],
  metric: ['check.metric'],
  tool: ['check.tool'],
};

/** What the plan names already: the next check is often about the same. */
export function usedIn({ checks }: PlanDraft, kind: Exclude<Suggestion, 'time_zone'>): string[] {
  const values = checks.flatMap(({ value }) => USED[kind].map((path) => valueAt(value, path)));
  return [...new Set(values.filter((value): value is string => typeof value === 'string' && value !== ''))];
}

export type Offered = Record<Exclude<Suggestion, 'time_zone'>, readonly string[]>;

const ZONES = Intl.supportedValuesOf('timeZone');

/** The lists behind the fields. Made once for all checks. */
export function SuggestionLists({ offered }: { offered: Offered }) {
  const all = { ...offered, time_zone: ['UTC', ...ZONES] };
  const kinds: readonly Suggestion[] = ['source', 'service', 'metric', 'tool', 'time_zone'];
  return kinds.map((kind) => (
    <datalist key={kind} id={LIST_IDS[kind]}>
      {all[kind].map((value) => (
        <option key={value} value={value} aria-label={value} />
      ))}
    </datalist>
  ));
}
