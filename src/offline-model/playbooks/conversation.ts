/** The playbook for everything that is not an investigation: an honest word about what the offline model can do. */
import type { Playbook } from '../decide.ts';

const INTRODUCTION =
  "I am Casebook's offline model: I follow written playbooks and cannot converse freely, because no Anthropic API key " +
  'is configured (ANTHROPIC_API_KEY).';
const ABILITY =
  'What I can do is investigate a production problem: start an investigation with a description of the symptom, and I ' +
  'list the telemetry sources, query metrics, logs, dependencies and changes, rank the possible causes and write a ' +
  'report that cites what I found.';

export const conversation: Playbook = {
  name: 'conversation',
  fits: () => true,
  play: () => ({ text: `${INTRODUCTION}\n\n${ABILITY}`, calls: [] }),
};
