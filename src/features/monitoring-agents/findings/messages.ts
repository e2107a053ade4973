/** The wording of a finding's notifications. Pure; the presentation is up to the channel. */
import type { Finding, FindingAct } from '../entities.ts';
import { ACT_KINDS, type ActKind } from './act-kinds.ts';
import type { NotificationMessage } from '../../notifications/index.ts';
import { failingOf } from './prompt.ts';

/** What becomes of a finding by itself. */
const STATUS_EVENTS = ['opened', 'resolved', 'reopened', 'flapping'] as const;

/** The event of a notification; `test`: somebody is testing the channel. The others are what people do. */
export const NOTIFICATION_EVENTS = [...STATUS_EVENTS, 'report', 'test', ...ACT_KINDS] as const;
export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];

export const isStatusEvent = (event: NotificationEvent): boolean => STATUS_EVENTS.some((one) => one === event);
export const isAct = (event: NotificationEvent): event is ActKind => ACT_KINDS.some((one) => one === event);

/** Maximum characters of a report that are sent. */
const MAX_MARKDOWN = 100_000;
const MAX_TITLE = 200;

export interface FindingMessage {
  event: Exclude<NotificationEvent, 'test'>;
  finding: Pick<
    Finding,
    | 'id'
    | 'title'
    | 'summary'
    | 'severity'
    | 'service'
    | 'sources'
    | 'opens'
    | 'openedAt'
    | 'resolvedAt'
    | 'status'
    | 'judgement'
    | 'details'
    | 'origin'
    | 'acknowledgedBy'
    | 'assigneeName'
  >;
  /** What a person did. */
  act?: Pick<FindingAct, 'actorName' | 'text' | 'until' | 'assigneeName'>;
  agent: { id: string; title: string };
  /** The investigation that the finding opened. */
  investigation?: {
    id: string;
    status: string;
    alertSummary: string | null;
    investigationText: string | null;
    explanation: string | null;
    /** Another finding, which began at the same time, opened it. */
    isShared?: boolean;
  };
  /** It was flapping until now. */
  wasFlapping?: boolean;
  appUrl: string;
  at: Date;
}

export function composeMessage(message: FindingMessage): NotificationMessage {
  const { event, finding, agent, investigation, appUrl, at } = message;
  const [title, lines] = WORDING[event](message);
  const isReport = event === 'report';
  const markdown = isReport ? investigation?.investigationText : undefined;
  const alertLinks = event === 'opened' ? linksOf(finding.details) : [];
  return {
    event,
    ...messageFrom(agent, finding),
    isOver: event === 'resolved',
    // People who do not follow the thread should see that it came back.
    isBroadcast: event === 'reopened',
    severity: finding.severity,
    title: clipped(title),
    text: lines.filter((line) => line !== '').join('\n'),
    ...(markdown && { markdown: markdown.slice(0, MAX_MARKDOWN).toWellFormed() }),
    ...(PRESSABLE.some((one) => one === event) && { buttons: buttonsOf(finding) }),
    links: [
      ...(investigation ? [{ label: 'Investigation', url: `${appUrl}/investigation/${investigation.id}` }] : []),
      { label: 'Monitoring agent', url: `${appUrl}/monitoring/${agent.id}` },
      ...alertLinks,
    ],
    at: at.getTime(),
  };
}

/** What people can do right where they read that it is there. */
export const BUTTONS = {
  finding_acknowledge: 'Acknowledge',
  finding_assign: 'Assign to me',
  finding_mute: 'Mute for 4 hours',
  finding_close: 'Close',
} as const;
const PRESSABLE: readonly NotificationEvent[] = ['opened', 'reopened', 'flapping'];

const buttonsOf = ({ id }: { id: string }): NonNullable<NotificationMessage['buttons']> =>
  Object.entries(BUTTONS).map(([action, label]) => ({ action, label, value: id }));

/** The reporter, for people and for webhooks. */
export const messageFrom = (
  { id, title }: { id: string; title: string },
  finding?: { id: string },
): Pick<NotificationMessage, 'sender' | 'data'> => ({
  sender: { id, title },
  data: { agent: { id, title }, finding: finding ? { id: finding.id } : null },
});

type Worded = [title: string, lines: string[]];

const actWording = (words: (act: NonNullable<FindingMessage['act']>) => string) => {
  return ({ finding, act }: FindingMessage): Worded => {
    if (!act) throw new Error('A notification of what a person did needs that.');
    return [`${words(act)}: ${nameOf(finding)}`, [act.text ?? '']];
  };
};

const WORDING: Record<FindingMessage['event'], (message: FindingMessage) => Worded> = {
  acknowledged: actWording(({ actorName }) => `Acknowledged by ${actorName}`),
  unacknowledged: actWording(({ actorName }) => `Unacknowledged by ${actorName}`),
  closed: actWording(({ actorName }) => `Closed by ${actorName}`),
  muted: actWording(({ actorName, until }) => `Muted by ${actorName} until ${timeOf(until ?? new Date(0))}`),
  unmuted: actWording(({ actorName }) => `Unmuted by ${actorName}`),
  assigned: actWording(({ actorName, assigneeName }) => `Assigned to ${assigneeName ?? 'nobody'} by ${actorName}`),
  unassigned: actWording(({ actorName }) => `Unassigned by ${actorName}`),
  commented: actWording(({ actorName }) => `Comment by ${actorName}`),
  opened: ({ finding, investigation }) => [
    nameOf(finding),
    [
      finding.summary,
      ...othersOf(finding),
      ...aboutOf(finding),
      ...(finding.judgement ? [finding.judgement.reason] : []),
      investigatedAs(investigation),
    ],
  ],
  report: ({ finding, investigation }) => {
    const about = nameOf(finding);
    const { status, alertSummary, explanation } = investigation ?? {
      status: 'failed',
      alertSummary: null,
      explanation: null,
    };
    if (status === 'completed') {
      const lines = [`Triggered by: ${about}`, ...overOf(finding), ...personsOf(finding)];
      return [`Report: ${alertSummary ?? about}`, lines];
    }
    const end = status === 'cancelled' ? 'was cancelled' : 'failed';
    return [`The investigation ${end}: ${about}`, [explanation ?? '', ...overOf(finding)]];
  },
  resolved: ({ finding, wasFlapping, at }) => [
    `Resolved: ${nameOf(finding)}`,
    [
      wasFlapping ? 'Stopped flapping; stable now.' : '',
      finding.summary,
      finding.openedAt ? `Duration: ${spanOf(lastOpen(finding), finding.resolvedAt ?? at)}.` : '',
      countOf(finding),
      ...personsOf(finding),
    ],
  ],
  reopened: ({ finding, wasFlapping }) => [
    `${wasFlapping ? 'Ongoing' : 'Reopened'}: ${nameOf(finding)}`,
    [
      wasFlapping ? 'Stopped flapping; the problem persists.' : '',
      finding.summary,
      ...othersOf(finding),
      `Since ${timeOf(lastOpen(finding))}.`,
      countOf(finding),
      ...personsOf(finding),
    ],
  ],
  flapping: ({ finding }) => [
    `Flapping: ${nameOf(finding)}`,
    [
      `Opened ${finding.opens.length} times recently. Notifications resume once it is stable.`,
      finding.summary,
      ...personsOf(finding),
    ],
  ],
};

/** How often it came, if more than once. */
function countOf({ opens }: FindingMessage['finding']): string {
  return opens.length < 2 ? '' : `Opened ${opens.length} times since ${timeOf(new Date(opens[0]!))}.`;
}

/** Who takes care of it. */
function personsOf({ acknowledgedBy, assigneeName }: FindingMessage['finding']): string[] {
  const by = acknowledgedBy === null ? '' : `Acknowledged by ${acknowledgedBy}. `;
  const to = assigneeName === null ? '' : `Assigned to ${assigneeName}.`;
  return [`${by}${to}`.trim()];
}

function investigatedAs(investigation: FindingMessage['investigation']): string {
  if (!investigation) return '';
  if (!investigation.isShared) return 'Investigation started; the report will follow here.';
  return 'Several findings opened together and share the investigation below; its report will follow here.';
}

const nameOf = ({ judgement, title }: FindingMessage['finding']): string => judgement?.title ?? title;
const lastOpen = ({ opens, openedAt }: FindingMessage['finding']): Date => new Date(opens.at(-1) ?? openedAt ?? 0);

/** If several sources are failing: those that the summary does not name. */
function othersOf(finding: FindingMessage['finding']): string[] {
  const others = failingOf(finding).filter((text) => text !== finding.summary);
  const shown = others.slice(0, 10).map((text) => `- ${text}`);
  return others.length > 10 ? [...shown, `- and ${others.length - 10} more`] : shown;
}

function aboutOf(finding: FindingMessage['finding']): string[] {
  const service = finding.service === null ? '' : `Service: ${finding.service}. `;
  return [`${service}Severity: ${finding.severity}. Since ${timeOf(lastOpen(finding))}.`];
}

function overOf({ status, resolvedAt }: FindingMessage['finding']): string[] {
  return status === 'open' || resolvedAt === null ? [] : [`Resolved at ${timeOf(resolvedAt)}.`];
}

function linksOf({ links }: Record<string, unknown>): { label: string; url: string }[] {
  if (!Array.isArray(links)) return [];
  return links.flatMap((link: unknown) =>
    typeof link === 'object' && link !== null && 'label' in link && 'url' in link
      ? [{ label: String(link.label), url: String(link.url) }]
      : [],
  );
}

const timeOf = (date: Date): string => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** @returns for example "2 h 5 min" */
function spanOf(from: Date, to: Date): string {
  const seconds = Math.max(0, Math.round((to.getTime() - from.getTime()) / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const clipped = (title: string): string =>
  title.length <= MAX_TITLE ? title : `${title.slice(0, MAX_TITLE - 1).toWellFormed()}…`;
