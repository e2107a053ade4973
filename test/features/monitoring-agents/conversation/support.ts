/** Monitoring agents over the API, in words. */
import assert from 'node:assert/strict';
import type { PlanInput } from '../../../../src/features/monitoring-agents/plan/schema.ts';
import type { RecordedRequest, ScriptedStep } from '../../../support/scripted-model/index.ts';
import type { Chats, Said } from '../../chats/support.ts';

type CheckInput = NonNullable<PlanInput['checks']>[number];

/** A check that is run once, when its plan begins. */
export const check = (
  id: string,
  subject: CheckInput['check'] = { type: 'service_health', source: 'shop' },
): CheckInput => ({
  id,
  title: `Check ${id}`,
  schedule: { every_seconds: 86_400 },
  on_finding: ['notify'],
  check: subject,
});

export const instruction = (id: string, text: string, more: { max_steps?: number } = {}): CheckInput =>
  check(id, { type: 'instruction', instruction: text, ...more });

export const use = (name: string, input: object = {}, text?: string): ScriptedStep => ({
  ...(text !== undefined && { text }),
  toolUses: [{ name, input: { ...input } }],
});

export const update = (input: object): ScriptedStep => use('update_monitoring_plan', { reason: 'As asked.', ...input });

export interface MonitoringAnswer {
  chat_id: string;
  title: string;
  response: string | null;
  status: string;
  active: boolean;
  plan: { summary: string; checks: { id: string; severity: string; schedule: { every_seconds?: number } }[] };
  plan_version: number;
  checks: { id: string; description: string }[];
  notification_channel: { type: string; label: string } | null;
  webhook_secret?: string;
  usage: { api_calls_count: number; model: string | null };
}

/** Says something to an agent, or has a new one made, and expects its answer. */
export async function tell(
  chats: Chats,
  body: object,
  options?: Parameters<Chats['call']>[3],
): Promise<MonitoringAnswer> {
  const said = await chats.call('POST', '/api/monitoring-chat', body, options);
  assert.equal(said.status, 200, JSON.stringify(said.body));
  return said.body;
}

/** The places of a 422, in the order of the answer. */
export const placesOf = ({ status, body }: Said): string[] => {
  assert.equal(status, 422, JSON.stringify(body));
  return (body as { detail: { loc: string[] }[] }).detail.map(({ loc }) => loc.join('.'));
};

/** What the model read of its last tool calls. */
export function lastResults(request: RecordedRequest | undefined): string {
  return JSON.stringify(request?.body.messages.at(-1)?.content ?? '');
}
