/** How an investigation stands or ended: a completed one may have found no cause. */
import type { Schema } from '../../api/client.ts';
import type { Tone } from '../../components/ui/badge.tsx';

type Summary = Pick<Schema<'InvestigationSummary'>, 'status' | 'root_cause_service'>;

/** In display order, by the value in the address. */
export const OUTCOMES = [
  { value: 'processing', title: 'Running', tone: 'accent' },
  { value: 'cause_found', title: 'Cause found', tone: 'good' },
  { value: 'no_cause', title: 'No cause found', tone: 'warn' },
  { value: 'failed', title: 'Failed', tone: 'bad' },
  { value: 'cancelled', title: 'Cancelled', tone: 'neutral' },
] as const satisfies readonly { value: string; title: string; tone: Tone }[];

export type Outcome = (typeof OUTCOMES)[number]['value'];

/** The outcome filter of an address, which may contain anything. */
export const outcomeIn = (text: string | undefined): Outcome | undefined =>
  OUTCOMES.find(({ value }) => value === text)?.value;

/** The parameters of the API that list only this outcome. */
export const outcomeFilter = (outcome: Outcome | undefined) =>
  outcome === 'cause_found' || outcome === 'no_cause' ? { outcome } : { status: outcome };

export function outcomeOf({ status, root_cause_service: service }: Summary): (typeof OUTCOMES)[number] {
  const value = status === 'completed' ? (service === null ? 'no_cause' : 'cause_found') : status;
  return OUTCOMES.find((outcome) => outcome.value === value) ?? OUTCOMES[0];
}
