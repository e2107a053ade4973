/** What comes from outside, once it is understood, and how agents are told of it. */
import type { AgentRef, CheckNow, Severity } from '../contract.ts';

/** Tools whose webhooks are recognised; `generic` is any other. `casebook`: our own form. */
export const ALERT_SOURCES = ['alertmanager', 'grafana', 'pagerduty', 'datadog', 'casebook', 'generic'] as const;
export type AlertSource = (typeof ALERT_SOURCES)[number];

/** An alert of another tool. Texts are bounded, and as PostgreSQL takes them. */
export interface OutsideAlert {
  /** The same whenever the tool speaks of this alert: `SOURCE:…`, at most 300 characters. */
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
  /** At most {@link MOST_LABELS}. */
  labels: Record<string, string>;
  /** http and https only; at most {@link MOST_LINKS}. */
  links: { label: string; url: string }[];
}

/** Alerts of one request that are taken. */
export const MOST_ALERTS = 200;
export const MOST_LABELS = 50;
export const MOST_LINKS = 10;

/** A new version of a service has gone out. */
export interface Deploy {
  /** The same for a repeated report: at most 300 characters. */
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
      /** Alerts that were left out: beyond {@link MOST_ALERTS}, or by the tool itself. */
      truncated: number;
    }
  | { kind: 'deploy'; source: 'casebook'; deploy: Deploy }
  | { kind: 'check_now'; source: 'casebook'; checkIds?: string[] }
  /** Understood, and nothing follows from it. */
  | { kind: 'ignored'; source: AlertSource; reason: string };

/** Tells an agent's workflow to run checks now; one that is missing is started. @throws when Temporal does not take it */
export type CheckNowSender = (agent: AgentRef & { title: string }, wanted: CheckNow) => Promise<void>;

/** Whether an agent heard of a trigger. */
export interface AgentTold {
  agentId: string;
  title: string;
  /** It was told, and runs its checks. */
  started: boolean;
  /** Why not, in words. */
  reason?: string;
}
