/** What operators read about an agent in the Temporal UI. Pure. */
import type { AgentState, CheckState } from '../src/features/monitoring-agents/contract.ts';
import { escaped } from './runs.state.ts';

/** Table rows; the rest is one line. */
const MAX_ROWS = 20;

/** Markdown. */
export function detailsOf({ settings, health, reasons, checks }: AgentState): string {
  const titles = new Map(
    settings.plan.checks.map(({ id, title, enabled }) => [id, enabled ? title : `${title} (disabled)`]),
  );
  const standing = settings.active ? health : 'paused';
  const row = (check: CheckState): string => {
    const result = check.last ? `${check.last.status}: ${cell(check.last.digest)}` : 'no result yet';
    const next = check.running ? 'running' : check.dueAt === null ? '' : new Date(check.dueAt).toISOString();
    return `| ${cell(titles.get(check.checkId) ?? check.checkId)} | ${result} | ${next} |`;
  };
  const shown = checks.slice(0, MAX_ROWS);
  return [
    `**${cell(settings.title)}** is ${standing} · plan version ${settings.planVersion} · channel: ${cell(settings.config.channel)}`,
    ...reasons.map((reason) => `- ${cell(reason)}`),
    '',
    '| Check | Last result | Next run |',
    '| --- | --- | --- |',
    ...shown.map(row),
    ...(checks.length > shown.length ? [`and ${checks.length - shown.length} more`] : []),
  ].join('\n');
}

const cell = (text: string): string => escaped(text.replace(/\s+/g, ' '));
