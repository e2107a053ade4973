/** The finding filters of an address; unknown values are ignored. */
import type { FindingStatus, FindingSummary } from './queries.ts';

type Severity = FindingSummary['severity'];

export const STATUSES: readonly { value: FindingStatus; title: string }[] = [
  { value: 'open', title: 'Open' },
  { value: 'resolved', title: 'Resolved' },
  { value: 'closed', title: 'Closed' },
  { value: 'pending', title: 'Unconfirmed' },
];

export const SEVERITIES: readonly { value: Severity; title: string }[] = [
  { value: 'critical', title: 'Critical' },
  { value: 'warning', title: 'Warning' },
  { value: 'info', title: 'Info' },
];

type Origin = FindingSummary['origin'];

export const ORIGINS: readonly { value: Origin; title: string }[] = [
  { value: 'check', title: 'Check' },
  { value: 'alert', title: 'External alert' },
  { value: 'health', title: 'Agent health' },
];

const oneOf =
  <T extends string>(options: readonly { value: T }[]) =>
  (written: unknown): T | undefined =>
    options.find(({ value }) => value === written)?.value;

export const statusOf = oneOf(STATUSES);
export const severityOf = oneOf(SEVERITIES);
export const originOf = oneOf(ORIGINS);
