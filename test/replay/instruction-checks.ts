/** Checks that a model carries out, as their agent starts them, to be recorded. */
import { waitUntil } from '../support/wait-until.ts';
import { instruction, use } from '../features/monitoring-agents/conversation/support.ts';
import type { Harness } from '../support/harness.ts';
import { byTurn } from '../support/scripted-model/index.ts';
import { listSources } from '../support/scripts.ts';
import { sampleIncident } from '../support/telemetry-source.ts';

const sources = [sampleIncident()];
const observations = [{ subject: 'sources', text: 'There are sources.', evidence: [1], excerpts: ['"sources":'] }];
const found = use('submit_check_result', { status: 'finding', summary: 'There are sources.', observations });
const held = { ...listSources, hold: { gate: 'hold', at: 'start' as const } };

async function beginCheck(harness: Harness, title: string) {
  const { body } = await harness.request('POST', '/api/monitoring-chat', {
    message: title,
    plan: { checks: [instruction('look', title, { max_steps: 4 })] },
  });
  const { chat_id: id } = body as { chat_id: string };
  const session = await waitUntil(
    async () => {
      const listed = await harness.request('GET', `/api/monitoring-chat/${id}/sessions`);
      return (listed.body as { sessions: { id: string }[] }).sessions[0];
    },
    { what: 'the session' },
  );
  return { id, workflowId: `check-${session.id}` };
}

/** What is recorded of instruction checks, as `record.ts` takes it. */
export const checkScenarios = [
  { name: 'check-finding', script: byTurn([listSources, found]), sources, begin: beginCheck },
  {
    name: 'check-continued-as-new',
    script: byTurn([listSources, listSources, found]),
    sources,
    budget: { stepsPerHistory: 2 },
    begin: beginCheck,
  },
  { name: 'check-without-result', script: byTurn([{}]), sources, budget: { maxSteps: 1 }, begin: beginCheck },
  {
    name: 'check-cancelled',
    script: byTurn([held]),
    sources,
    begin: beginCheck,
    meanwhile: async (harness: Harness, id: string) => {
      await harness.model.waitForHold('hold');
      await harness.request('POST', `/api/monitoring-chat/${id}/pause`);
    },
  },
];
