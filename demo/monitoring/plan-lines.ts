import pc from 'picocolors';
import type { MonitoringAgent } from './agent.ts';

const MAX_CHECKS = 6;
const MAX_CHARACTERS = 160;
const WORDS: Record<string, string> = { notify: 'notify', investigate: 'start an investigation' };

/** A drafted plan in a few lines: what each check looks at and when, and what follows from a finding. */
export function planLines({ checks }: Pick<MonitoringAgent, 'checks'>): string[] {
  const shown = checks.slice(0, MAX_CHECKS).map(({ id, description, actions }) => {
    const then = actions.map((action) => WORDS[action] ?? action).join(', ');
    return `${pc.cyan('◆')} ${pc.bold(id)} ${cut(description)} ${pc.dim(`— on a finding: ${then}`)}`;
  });
  const more = checks.length - shown.length;
  return more > 0 ? [...shown, pc.dim(`… and ${more} more`)] : shown;
}

const cut = (text: string): string =>
  text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1).toWellFormed()}…` : text;
