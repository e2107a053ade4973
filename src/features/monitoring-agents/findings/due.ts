/** The next steps for a finding, from its row and its earlier notifications. Pure. */
import type { Effect } from '../../effects/index.ts';
import type { Finding } from '../entities.ts';
import type { Notice } from './contract.ts';
import { NOTIFICATION_EVENTS } from './messages.ts';

/** A notification of the finding; its event is in its key. */
type Notified = Pick<Effect, 'status' | 'key'>;
type Standing = Pick<
  Finding,
  'id' | 'agentId' | 'actions' | 'judgement' | 'judge' | 'status' | 'isFlapping' | 'revision'
>;

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

/** The next notification; they are sent one after the other. @param told the finding's notifications, in any order */
export function nextNotice(
  finding: Standing,
  told: readonly Notified[],
  investigation: FindingInvestigation | undefined,
): Notice | undefined {
  const unfinished = told.find(({ status }) => status === 'pending');
  if (unfinished) return noticeOf(finding.id, unfinished);
  if (finding.agentId === null || !finding.actions.includes('notify') || !isWorthIt(finding)) return undefined;
  const last = newestOf(finding.id, told)?.event;
  const ofNow = (event: Notice['event']): Notice => ({ event, n: String(finding.revision) });
  if (last === undefined) return ofNow(finding.isFlapping ? 'flapping' : 'opened');
  const report = investigation && !isReported(finding.id, told, investigation) ? investigation : undefined;
  if (report && report.status !== 'processing') return { event: 'report', n: report.id };
  if (finding.isFlapping) return last === 'flapping' ? undefined : ofNow('flapping');
  const isOpen = finding.status === 'open';
  if (last === 'flapping') return ofNow(isOpen ? 'reopened' : 'resolved');
  if (isOpen) return last === 'resolved' ? ofNow('reopened') : undefined;
  return last === 'resolved' ? undefined : ofNow('resolved');
}

/** The newest notice of the finding's status: by revision, regardless of the senders' clocks. */
function newestOf(findingId: string, notified: readonly Notified[]): Notice | undefined {
  // One revision may have two: a late notice that it opened, and one that it is over.
  const rank = ({ event, n }: Notice): number => Number(n) * 2 - (event === 'opened' ? 1 : 0);
  return notified
    .map((one) => noticeOf(findingId, one))
    .filter(({ event }) => event !== 'report')
    .toSorted((a, b) => rank(b) - rank(a))[0];
}

/** Whether people were notified of the end of an investigation. */
function isReported(findingId: string, told: readonly Notified[], { id }: FindingInvestigation): boolean {
  const key = notificationKey(findingId, { event: 'report', n: id });
  return told.some((one) => one.key === key);
}

/**
 * Whether to open an investigation: for an open finding, and again when it came back and the last investigation is
 * older than its cool-down. A flapping finding was investigated when it began.
 * @param now unix milliseconds
 */
export function isToBeInvestigated(
  finding: Standing & Pick<Finding, 'opens' | 'coolDownSeconds' | 'investigationId'>,
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
