/** What the list of investigations shows, as kept in the address. */
import type { Schema } from '../../api/client.ts';
import { sinceIn, startOf, type Since } from '../../components/time-filter.ts';
import { outcomeFilter, outcomeIn, type Outcome } from './outcome.ts';

type Trigger = Schema<'InvestigationSummary'>['trigger'];

/** By the value in the address and the API. */
export const TRIGGERS: readonly { value: Trigger; title: string }[] = [
  { value: 'person', title: 'Person' },
  { value: 'finding', title: 'Finding' },
  { value: 'chat', title: 'Chat' },
  { value: 'api', title: 'API' },
  { value: 'rerun', title: 'Rerun' },
];

/** Least confidences, in percent. */
export const CONFIDENCES = [50, 75, 90] as const;

export interface ListFilter {
  search?: string | undefined;
  outcome?: Outcome | undefined;
  service?: string | undefined;
  source?: string | undefined;
  trigger?: Trigger | undefined;
  confidence?: (typeof CONFIDENCES)[number] | undefined;
  since?: Since | undefined;
}

type Address = Partial<Record<'q' | 'status' | 'service' | 'source' | 'trigger' | 'since', string>> & {
  confidence?: number;
};

/** The filter of an address, which may contain anything. */
export const filterIn = (address: Address): ListFilter => ({
  search: address.q,
  outcome: outcomeIn(address.status),
  service: address.service?.slice(0, 200),
  source: address.source?.slice(0, 200),
  trigger: TRIGGERS.find(({ value }) => value === address.trigger)?.value,
  confidence: CONFIDENCES.find((percent) => percent === address.confidence),
  since: sinceIn(address.since),
});

/** The address of a filter, on its first page. */
export const addressOf = ({ search, outcome, ...others }: ListFilter) => ({ q: search, status: outcome, ...others });

/** The parameters of the API. */
export const parametersOf = ({ outcome, confidence, since, ...others }: ListFilter) => ({
  ...others,
  ...outcomeFilter(outcome),
  min_confidence: confidence && confidence / 100,
  from: startOf(since),
});

/** The fields behind "More filters" that filter anything. */
export const countMore = ({ service, source, trigger, confidence, since }: ListFilter): number =>
  [service, source, trigger, confidence, since].filter((value) => value !== undefined).length;
