/** External triggers in parsed form, and how agents are notified of them. */
import type { AgentRef, CheckNow, Severity } from '../contract.ts';

/** Tools whose webhooks are recognised; `generic` is any other. `casebook`: Casebook's own format. */
export const ALERT_SOURCES = ['alertmanager', 'grafana', 'pagerduty', 'datadog', 'casebook', 'generic'] as const;
type AlertSource = (typeof ALERT_SOURCES)[number];

/** Another tool's alert. Texts are bounded and fit for PostgreSQL. */
export interface OutsideAlert {
  /** The same in every report of this alert: `SOURCE:…`, at most 300 characters. */
  fingerprint: string;
  source: AlertSource;
  /** One line, at most 200 characters. */
  title: string;
  /** At most 2,000 characters; may be empty. */
  summary: string;
  severity: Severity;
  /** At most 200 characters. */
  service?: string;
  status: 'firing' | 'resolved';
  /** When it began, unix milliseconds. */
  startsAt?: number;
  /** At most {@link MAX_LABELS}. */
  labels: Record<string, string>;
  /** http and https only; at most {@link MAX_LINKS}. */
  links: { label: string; url: string }[];
}

/** Maximum alerts accepted from one request. */
export const MAX_ALERTS = 200;
export const MAX_LABELS = 50;
export const MAX_LINKS = 10;

/** A new version of a service was deployed. */
export interface Deploy {
  /** The same for a repeated report; at most 300 characters. */
  fingerprint: string;
  service: string;
  version?: string;
  environment?: string;
  author?: string;
  url?: string;
  summary?: string;
}

/** What a request asks for. */
export type Trigger =
  | {
      kind: 'alerts';
      source: AlertSource;
      alerts: OutsideAlert[];
      /** Number of dropped alerts: beyond {@link MAX_ALERTS}, or dropped by the tool itself. */
      truncated: number;
    }
  | { kind: 'deploy'; source: 'casebook'; deploy: Deploy }
  | { kind: 'check_now'; source: 'casebook'; checkIds?: string[] }
  /** Recognised, but irrelevant. */
  | { kind: 'ignored'; source: AlertSource; reason: string };

/** Has an agent's workflow run checks now; starts a missing workflow. @throws when Temporal does not accept it */
export type CheckNowSender = (agent: AgentRef & { title: string }, wanted: CheckNow) => Promise<void>;

/** Whether an agent was notified of a trigger. */
export interface AgentNotified {
  agentId: string;
  title: string;
  /** It was notified, and runs its checks. */
  started: boolean;
  /** If not, why, in words. */
  reason?: string;
}
