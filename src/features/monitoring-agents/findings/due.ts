/** The next steps for a finding, from its row and its earlier notifications. Pure. */
import type { Effect } from '../../effects/index.ts';
import type { Finding, FindingAct } from '../entities.ts';
import type { Notice } from './contract.ts';
import { isStatusEvent, NOTIFICATION_EVENTS } from './messages.ts';

/** A notification of the finding; its event is in its key. */
type Notified = Pick<Effect, 'status' | 'key'>;
type Standing = Pick<
  Finding,
  | 'id'
  | 'agentId'
  | 'actions'
  | 'judgement'
  | 'judge'
  | 'status'
  | 'isFlapping'
  | 'revision'
  | 'opens'
  | 'coolDownSeconds'
> & { acknowledgedAt: Date | null; mutedUntil: Date | null; closedBy: string | null };
/** What a person did, in order of time. */
type Acted = Pick<FindingAct, 'id' | 'kind' | 'isNotified'>;

export interface FindingInvestigation {
  id: string;
  status: string;
  createdAt: Date;
}

/** Identifies a notification for ever: the receiver's idempotency key. */
export const notificationKey = (findingId: string, { event, n }: Notice): string =>
  `finding:${findingId}:${event}:${n}`;

/** Whether a model must judge it before anybody is notified. */
export const isToBeJudged = ({ judge, judgement, status }: Standing): boolean =>
  judge && judgement === null && status !== 'pending';

/** Whether to act on it at all, as far as a model has a say. */
const isWorthIt = (finding: Standing): boolean =>
  !isToBeJudged(finding) && finding.judgement?.isWorthIt !== false && finding.status !== 'pending';

/**
 * The next notification; they are sent one after the other.
 * @param notified the finding's notifications, in any order
 * @param acts what people did with it
 * @param now unix milliseconds
 */
export function nextNotice(
  finding: Standing,
  notified: readonly Notified[],
  investigation: FindingInvestigation | undefined,
  acts: readonly Acted[],
  now: number,
): Notice | undefined {
  const unfinished = notified.find(({ status }) => status === 'pending');
  if (unfinished) return noticeOf(finding.id, unfinished);
  if (finding.agentId === null || !finding.actions.includes('notify') || !isWorthIt(finding)) return undefined;
  const last = newestOf(finding.id, notified)?.event;
  const ofNow = (event: Notice['event']): Notice => ({ event, n: String(finding.revision) });
  const isMuted = finding.mutedUntil !== null && finding.mutedUntil.getTime() > now;
  if (last === undefined) return isMuted ? undefined : ofNow(finding.isFlapping ? 'flapping' : 'opened');
  // Acts before the last mute of which nobody was notified in time are no news after it.
  const recent = isMuted ? acts.slice(acts.findLastIndex(({ kind }) => kind === 'muted')).slice(0, 1) : acts;
  const act = recent.find(
    ({ id, kind, isNotified }) => isNotified && !isNoticeSent(finding.id, notified, { event: kind, n: id }),
  );
  if (act) return { event: act.kind, n: act.id };
  if (isMuted) return undefined;
  const report = investigation && !isReported(finding.id, notified, investigation) ? investigation : undefined;
  if (report && report.status !== 'processing') return { event: 'report', n: report.id };
  if (finding.closedBy !== null) return undefined;
  const isOpen = finding.status === 'open';
  if (finding.acknowledgedAt !== null && isOpen)
    return last === 'resolved' && now >= lastsSince(finding) ? ofNow('reopened') : undefined;
  if (finding.isFlapping && finding.acknowledgedAt === null) return last === 'flapping' ? undefined : ofNow('flapping');
  if (last === 'flapping') return ofNow(isOpen ? 'reopened' : 'resolved');
  if (isOpen) return last === 'resolved' ? ofNow('reopened') : undefined;
  return last === 'resolved' ? undefined : ofNow('resolved');
}

/** When an open finding has lasted for its cool-down, unix milliseconds: it did not just come and go. */
const lastsSince = ({ opens, coolDownSeconds }: Standing): number => (opens.at(-1) ?? 0) + coolDownSeconds * 1_000;

/**
 * When time alone makes a notification due or changes who is notified, unix milliseconds; null: never.
 * @param now unix milliseconds
 */
export function noticeChangesAt(finding: Standing, now: number): number | null {
  const { status, acknowledgedAt, mutedUntil } = finding;
  const times = [
    ...(mutedUntil === null ? [] : [mutedUntil.getTime()]),
    ...(status === 'open' && acknowledgedAt !== null && lastsSince(finding) > now ? [lastsSince(finding)] : []),
  ];
  return times.length === 0 ? null : Math.min(...times);
}

/** The newest notice of the finding's status: by revision, regardless of the senders' clocks. */
function newestOf(findingId: string, notified: readonly Notified[]): Notice | undefined {
  // One revision may have two: a late notice that it opened, and one that it is over.
  const rank = ({ event, n }: Notice): number => Number(n) * 2 - (event === 'opened' ? 1 : 0);
  return notified
    .map((one) => noticeOf(findingId, one))
    .filter(({ event }) => isStatusEvent(event))
    .toSorted((a, b) => rank(b) - rank(a))[0];
}

/** Whether people were notified of the end of an investigation. */
const isReported = (findingId: string, notified: readonly Notified[], { id }: FindingInvestigation): boolean =>
  isNoticeSent(findingId, notified, { event: 'report', n: id });

function isNoticeSent(findingId: string, notified: readonly Notified[], notice: Notice): boolean {
  const key = notificationKey(findingId, notice);
  return notified.some((one) => one.key === key);
}

/**
 * Whether to open an investigation: for an open finding, and again when it came back and the last investigation is
 * older than its cool-down. A flapping finding was investigated when it began.
 * @param now unix milliseconds
 */
export function isToBeInvestigated(
  finding: Standing & Pick<Finding, 'investigationId'>,
  investigation: FindingInvestigation | undefined,
  now: number,
): boolean {
  const { status, isFlapping, actions, opens, coolDownSeconds, investigationId } = finding;
  if (status !== 'open' || isFlapping || !actions.includes('investigate') || !isWorthIt(finding)) return false;
  if (investigationId === null) return true;
  if (!investigation || investigation.status === 'processing') return false;
  const since = investigation.createdAt.getTime();
  return (opens.at(-1) ?? 0) > since && now - since > coolDownSeconds * 1_000;
}

/** The event that a notification of a finding is about, from its key. */
export function noticeOf(findingId: string, { key }: Pick<Effect, 'key'>): Notice {
  const [word, n = ''] = key.slice(`finding:${findingId}:`.length).split(':');
  const event = NOTIFICATION_EVENTS.find((one) => one === word);
  if (event === undefined) throw new Error(`${key} is not the key of a notification of the finding.`);
  return { event, n };
}
