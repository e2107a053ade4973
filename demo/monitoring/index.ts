/**
 * The second half of the live demo: what went wrong is repaired, a monitoring agent is made in plain words, something
 * else goes wrong, and the agent notices it by itself.
 */
import pc from 'picocolors';
import type { CasebookAddress } from '../casebook-api.ts';
import type { LiveShop } from '../live/index.ts';
import type { LiveIncident } from '../shop/incidents.ts';
import { followInvestigation, type Concluded } from '../terminal/investigate.ts';
import { showWaiting } from '../terminal/waiting.ts';
import { makeAgent, type MonitoringAgent } from './agent.ts';
import { DESCRIPTION } from './description.ts';
import { planLines } from './plan-lines.ts';
import { untilFound, untilLearned } from './until.ts';

export { deleteEarlierAgents } from './agent.ts';
export { agentHints } from './hints.ts';

export interface Watched {
  agent: MonitoringAgent;
  /** From the fault to the confirmed finding. */
  noticedAfterSeconds: number;
  concluded: Concluded;
}

interface Stage {
  casebook: CasebookAddress;
  shop: LiveShop;
  signal: AbortSignal;
}

/**
 * @param faults.first what is wrong now
 * @param faults.second what goes wrong once the agent has learned
 * @param onAgent called as soon as there is one
 * @throws saying what did not happen in time
 */
export async function letAgentNotice(
  stage: Stage,
  faults: { first: LiveIncident; second: LiveIncident },
  onAgent: (agent: MonitoringAgent) => void = () => undefined,
): Promise<Watched> {
  const { casebook, shop, signal } = stage;
  const { first, second } = faults;
  console.error('');
  await showWaiting(`Repairing ${first.service}`, () => shop.repair(first, signal));

  console.error(`\n  ${pc.bold('Monitoring')}  ${DESCRIPTION}\n`);
  const agent = await showWaiting('The agent is drafting its plan', () => makeAgent(casebook, signal));
  onAgent(agent);
  if (agent.checks.length === 0) throw new Error(`The agent drafted no checks. Its answer: ${agent.answer}`);
  for (const line of planLines(agent)) console.error(`  ${line}`);
  await showWaiting('The agent is learning what is normal', (update) =>
    untilLearned(casebook, agent, signal, (text) => update(`The agent is learning what is normal: ${text}`)),
  );

  console.error(`  ${pc.red('✗')} ${second.what} ${pc.dim('(hidden from the agent)')}`);
  const faultAt = Date.now();
  await shop.inject(second);
  const { finding, others } = await showWaiting('Waiting for the agent', (update) =>
    untilFound(casebook, agent.id, faultAt, signal, (seconds) => update(`Waiting for the agent: ${seconds} s`)),
  );
  const noticedAfterSeconds = (finding.openedAt - faultAt) / 1_000;
  console.error(`  ${pc.yellow('!')} ${finding.summary}`);
  for (const other of others) console.error(`  ${pc.yellow('!')} ${pc.dim(other.summary)}`);
  const seconds = noticedAfterSeconds.toFixed(0);
  console.error(
    `\n  ${pc.bold('Found')}  by the agent, ${seconds} s after the fault began. It opened an investigation:\n`,
  );
  return {
    agent,
    noticedAfterSeconds,
    concluded: await followInvestigation(casebook, finding.investigationId, signal),
  };
}
