/** The monitoring agent of the demo, over the public API. */
import { z } from 'zod';
import { callApi, type CasebookAddress } from '../casebook-api.ts';
import { AGENT_TITLE, DESCRIPTION, YOUNG_SHOP } from './description.ts';
import type { Finding } from './finding.ts';
import type { Session } from './learning.ts';

const BASE = '/api/monitoring-chat';

const listed = z.object({ chats: z.array(z.object({ chat_id: z.string(), title: z.string() })) });
const planned = z.object({
  checks: z.array(z.object({ id: z.string(), description: z.string() })),
  plan: z.object({ checks: z.array(z.object({ id: z.string(), on_finding: z.array(z.string()) })) }),
});
const made = z.object({ chat_id: z.string(), response: z.string().nullable(), ...planned.shape });
const sessions = z.object({
  sessions: z.array(
    z.object({
      id: z.string(),
      check_id: z.string(),
      status: z.string(),
      summary: z.string().nullable(),
      finished_at: z.string().nullable(),
      observations: z.array(z.object({ is_finding: z.boolean() })),
    }),
  ),
});
const findings = z.object({
  findings: z.array(
    z.object({
      id: z.string(),
      origin: z.string(),
      status: z.string(),
      title: z.string(),
      summary: z.string(),
      opened_at: z.string().nullable(),
      investigation: z.object({ id: z.string() }).nullable(),
    }),
  ),
});

/** A new agent, with the plan that it drafted from its description. */
export interface MonitoringAgent {
  id: string;
  /** Its reply to the description. */
  answer: string;
  checks: { id: string; description: string; actions: string[] }[];
}

/** Deletes the agents of earlier demos: two would see and investigate everything twice. @returns how many there were */
export async function deleteEarlierAgents(casebook: CasebookAddress, signal?: AbortSignal): Promise<number> {
  const { chats } = listed.parse(await callApi(casebook, 'GET', `${BASE}/list`, { signal }));
  const earlier = chats.filter(({ title }) => title === AGENT_TITLE);
  for (const { chat_id: id } of earlier) await callApi(casebook, 'DELETE', `${BASE}/${id}`, { signal });
  return earlier.length;
}

/** Has an agent draft its plan from the description, then sets the times, as a person would with the plan form. */
export async function makeAgent(casebook: CasebookAddress, signal: AbortSignal): Promise<MonitoringAgent> {
  const body = { message: DESCRIPTION, title: AGENT_TITLE };
  const drafted = made.parse(await callApi(casebook, 'POST', BASE, { body, signal }));
  const id = drafted.chat_id;
  const change = { plan: { checks: drafted.checks.map((check) => ({ id: check.id, ...YOUNG_SHOP })) } };
  const { checks, plan } = planned.parse(
    await callApi(casebook, 'PATCH', `${BASE}/${id}/plan`, { body: change, signal }),
  );
  const actions = new Map(plan.checks.map((check) => [check.id, check.on_finding]));
  return {
    id,
    answer: drafted.response ?? '',
    checks: checks.map((check) => ({ ...check, actions: actions.get(check.id) ?? [] })),
  };
}

/** The newest runs of its checks, the newest first. */
export async function readSessions(
  casebook: CasebookAddress,
  agentId: string,
  signal: AbortSignal,
): Promise<Session[]> {
  const path = `${BASE}/${agentId}/sessions?count=50`;
  const read = sessions.parse(await callApi(casebook, 'GET', path, { signal }));
  return read.sessions.map(({ check_id: check, status, summary, finished_at: finishedAt, observations }) => ({
    check,
    status,
    summary: summary ?? '',
    isFinished: finishedAt !== null,
    judged: observations.length,
  }));
}

/** What it found, the newest first. */
export async function readFindings(
  casebook: CasebookAddress,
  agentId: string,
  signal: AbortSignal,
): Promise<Finding[]> {
  const read = findings.parse(await callApi(casebook, 'GET', `${BASE}/${agentId}/findings?count=100`, { signal }));
  return read.findings.map(({ opened_at: openedAt, investigation, ...finding }) => ({
    ...finding,
    openedAt: openedAt === null ? null : Date.parse(openedAt),
    investigationId: investigation?.id ?? null,
  }));
}
