/** The state of a pull request at its host, as a row has it, and when to look again. Pure. */
import type { HostPullRequest } from '@casebook/connectors';
import type { PullRequest } from './entities.ts';
import type { Changes } from './rows.ts';

const MINUTE_MS = 60_000;
/** Webhooks tell sooner; this finds what they missed. */
const LOOK_AGAIN_MS = 10 * MINUTE_MS;
const LOOK_SELDOM_MS = 60 * MINUTE_MS;
/** While checks run or may begin to. */
const LOOK_SOON_MS = MINUTE_MS;
const FRESH_MS = 15 * MINUTE_MS;
const OLD_MS = 2 * 24 * 60 * MINUTE_MS;

/** @param createdAt of the row; the older it is, the less often it is looked at */
export function nextLook(
  { status, checks }: Pick<PullRequest, 'status' | 'checks'>,
  createdAt: Date,
  now: Date,
): Date | null {
  if (status !== 'open') return null;
  const age = now.getTime() - createdAt.getTime();
  const wait = checks === 'pending' || age < FRESH_MS ? LOOK_SOON_MS : age < OLD_MS ? LOOK_AGAIN_MS : LOOK_SELDOM_MS;
  return new Date(now.getTime() + wait);
}

export function stateOf(
  found: HostPullRequest,
  now: Date,
  { createdAt, mergedAt }: Pick<PullRequest, 'createdAt' | 'mergedAt'>,
): Changes {
  const { number, url, state: status, isDraft, checks, review, mergeCommit } = found;
  return {
    status,
    number,
    url,
    isDraft,
    checks,
    review,
    mergeCommit,
    lookAt: nextLook({ status, checks }, createdAt, now),
    ...(status === 'merged' && { mergedAt: mergedAt ?? now }),
  };
}

/** Whether people would see a difference. */
export function differs(row: PullRequest, { lookAt: _lookAt, mergedAt: _mergedAt, ...changes }: Changes): boolean {
  const known: Record<string, unknown> = { ...row };
  return Object.entries(changes).some(([name, value]) => known[name] !== value);
}
