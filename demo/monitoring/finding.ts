/** Which finding is that of a fault. Pure. */

/** What an agent found, as far as the demo looks at it. */
export interface Finding {
  id: string;
  /** `check`, or `health`: some checks of the agent cannot run. */
  origin: string;
  status: string;
  title: string;
  /** The newest observation in words. */
  summary: string;
  /** Unix milliseconds; null while it is not confirmed. */
  openedAt: number | null;
  investigationId: string | null;
}

/** What an agent reports of the system it watches: seen, and not over. */
export const openOf = (findings: readonly Finding[]): Finding[] =>
  findings.filter(({ origin, status }) => origin === 'check' && status === 'open');

/** Not currently reported, but a recurrence would reuse the same finding instead of opening a new one. */
export const unsettledOf = (findings: readonly Finding[]): Finding[] =>
  findings.filter(({ origin, status }) => origin === 'check' && status !== 'closed');

/**
 * The first finding that was not there before a fault, and what was found with it.
 * @param faultAt unix milliseconds
 */
export function foundSince(
  findings: readonly Finding[],
  faultAt: number,
): { first: Finding & { openedAt: number }; others: Finding[] } | undefined {
  const since = openOf(findings)
    .flatMap((finding) => (finding.openedAt === null ? [] : [{ ...finding, openedAt: finding.openedAt }]))
    .filter(({ openedAt }) => openedAt >= faultAt)
    .toSorted((a, b) => a.openedAt - b.openedAt);
  // One of the simultaneous findings that is being investigated.
  const first = since.find(({ investigationId }) => investigationId !== null) ?? since[0];
  return first && { first, others: since.filter(({ id }) => id !== first.id) };
}
