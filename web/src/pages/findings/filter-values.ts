/** The finding filters of an address; unknown values are ignored. */
import type { FindingStatus, FindingSummary } from './queries.ts';

export const STATUS_WORDS: Record<FindingStatus, string> = {
  open: 'Open',
  resolved: 'Resolved',
  closed: 'Closed',
  pending: 'Unconfirmed',
};

export const SEVERITY_WORDS: Record<FindingSummary['severity'], string> = {
  critical: 'Critical',
  warning: 'Warning',
  info: 'Info',
};

const oneOf =
  <T extends string>(words: Record<T, string>) =>
  (written: unknown): T | undefined =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is one of the names
    typeof written === 'string' && Object.hasOwn(words, written) ? (written as T) : undefined;

export const statusOf = oneOf(STATUS_WORDS);
export const severityOf = oneOf(SEVERITY_WORDS);
