import type { z } from 'zod';
import { findingWorkflowId } from '../contract.ts';
import { notificationOf, type Notification } from '../../notifications/index.ts';
import type { Finding, FindingAct } from '../entities.ts';
import { noticeOf } from './due.ts';
import type { NotificationEvent } from './messages.ts';
import type { FindingDetail, FindingRefs } from './queries.ts';
import type { FindingListResponse, FindingResponse, NotificationResponse } from './schemas.ts';

type Summary = z.input<typeof FindingListResponse>['findings'][number];

/** Base URLs in responses. */
export interface FindingLinks {
  /** Without a trailing slash. */
  appUrl: string;
}

export function presentFinding(
  finding: Omit<Finding, 'evidence'>,
  { appUrl }: FindingLinks,
  { agentTitles, investigationStatuses, memberNames }: FindingRefs,
  now: Date,
): Summary {
  const { judgement, agentId, investigationId } = finding;
  const title = agentId === null ? undefined : agentTitles.get(agentId);
  return {
    id: finding.id,
    chat_id: finding.agentId,
    origin: finding.origin,
    status: finding.status,
    flapping: finding.isFlapping,
    title: finding.title,
    summary: finding.summary,
    severity: finding.severity,
    service: finding.service,
    dedup_key: finding.dedupKey,
    on_finding: finding.actions,
    judgement: judgement && {
      worth_telling: judgement.isWorthIt,
      title: judgement.title,
      reason: judgement.reason,
      model: judgement.model,
      cost: judgement.costUsd,
    },
    occurrences: finding.occurrences,
    opened_at: iso(finding.openedAt),
    last_seen_at: finding.lastSeenAt.toISOString(),
    resolved_at: iso(finding.resolvedAt),
    closed_at: iso(finding.closedAt),
    times_opened: finding.opens.length,
    acknowledged:
      finding.acknowledgedAt === null
        ? null
        : { at: finding.acknowledgedAt.toISOString(), by: finding.acknowledgedBy ?? 'somebody' },
    muted_until: finding.mutedUntil !== null && finding.mutedUntil > now ? finding.mutedUntil.toISOString() : null,
    assignee:
      finding.assigneeUserId === null
        ? null
        : {
            user_id: finding.assigneeUserId,
            name: memberNames.get(finding.assigneeUserId) ?? finding.assigneeName ?? 'somebody',
            member: memberNames.has(finding.assigneeUserId),
          },
    closed_by: finding.closedBy,
    agent: agentId === null || title === undefined ? null : { id: agentId, title },
    investigation:
      investigationId === null
        ? null
        : {
            id: investigationId,
            url: `${appUrl}/investigation/${investigationId}`,
            status: investigationStatuses.get(investigationId) ?? null,
          },
  };
}

export function presentFindingDetail(
  detail: FindingDetail,
  links: FindingLinks,
  refs: FindingRefs,
  now: Date,
): z.input<typeof FindingResponse> {
  const { finding, evidence, notifications, acts } = detail;
  const sources = Object.entries(finding.sources).map(([source, { isFailing, streak, text, sessionId, at }]) => ({
    source,
    failing: isFailing,
    streak,
    text,
    session_id: sessionId ?? null,
    at: new Date(at).toISOString(),
  }));
  return {
    ...presentFinding(finding, links, refs, now),
    sources: sources.sort((a, b) => b.at.localeCompare(a.at)),
    evidence: [...evidence],
    details: finding.details,
    notifications: notifications.map((effect) =>
      presentNotification(notificationOf(effect), noticeOf(finding.id, effect).event),
    ),
    timeline: timelineOf(finding, acts),
    workflow_id: findingWorkflowId(finding.id),
  };
}

type Entry = z.input<typeof FindingResponse>['timeline'][number];

/** What happened, from the row, and what people did. */
function timelineOf(finding: Finding, acts: readonly FindingAct[]): Entry[] {
  const happened = (event: Entry['event'], time: number, id: string = event): Entry => ({
    id,
    event,
    at: new Date(time).toISOString(),
    by: null,
    user_id: null,
    via: 'time',
    text: null,
    until: null,
    assignee: null,
  });
  const { opens, resolvedAt, closedAt, closedBy } = finding;
  const entries = [
    ...opens.map((time) => happened('opened', time, `opened ${time}`)),
    ...(resolvedAt ? [happened('resolved', resolvedAt.getTime())] : []),
    ...acts.map((act): Entry => ({
      id: act.id,
      event: act.kind,
      at: act.createdAt.toISOString(),
      by: act.via === 'time' ? null : act.actorName,
      user_id: act.createdByUserId,
      via: act.via,
      text: act.text,
      until: iso(act.until),
      assignee: act.assigneeName,
    })),
    ...(closedAt && closedBy === null ? [happened('closed_by_itself', closedAt.getTime())] : []),
  ];
  return entries.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function presentNotification(
  notification: Notification,
  event: NotificationEvent,
): z.input<typeof NotificationResponse> {
  const { id, channel, status, message, attempts, lastError, delivered, createdAt, deliveredAt } = notification;
  return {
    id,
    event,
    channel,
    status,
    title: message.title,
    text: message.text,
    attempts,
    last_error: lastError,
    receipt: delivered?.receipt ?? null,
    created_at: createdAt.toISOString(),
    delivered_at: iso(deliveredAt),
  };
}

function iso(date: Date | null): string | null {
  return date ? date.toISOString() : null;
}
