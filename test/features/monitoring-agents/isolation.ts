import { Chat } from '../../../src/features/chats/index.ts';
import { Effect } from '../../../src/features/effects/index.ts';
import {
  Finding,
  MonitoringAgent,
  MonitoringPlanVersion,
  MonitoringSession,
} from '../../../src/features/monitoring-agents/entities.ts';
import { Plan } from '../../../src/features/monitoring-agents/plan/schema.ts';
import { NOTIFICATION } from '../../../src/features/notifications/index.ts';
import { Conversation } from '../../../src/features/transcripts/index.ts';
import { SECRET, type CreateIsolation, type Owner } from '../../http/support/team-isolation.ts';

export const isolation: CreateIsolation = (owner) => {
  const { agent, version, session, finding, notification } = ownedAgent(owner);
  const ofFinding = { params: { finding_id: finding.id } };
  const ofAgent = { params: { chat_id: agent.id } };
  return {
    examples: {
      monitoringChat: { body: { message: 'What is watched?', chat_id: agent.id } },
      getMonitoringChat: ofAgent,
      deleteMonitoringChat: ofAgent,
      pauseMonitoringChat: ofAgent,
      resumeMonitoringChat: ofAgent,
      runMonitoringChecks: { ...ofAgent, body: {} },
      getMonitoringPlan: ofAgent,
      updateMonitoringPlan: { ...ofAgent, body: { active: false } },
      listMonitoringPlanVersions: ofAgent,
      getMonitoringConfig: ofAgent,
      updateMonitoringConfig: { ...ofAgent, body: { title: 'mine' } },
      testMonitoringChannel: ofAgent,
      listMonitoringSessions: ofAgent,
      getMonitoringSession: { params: { chat_id: agent.id, session_id: session.id } },
      listMonitoringFindings: ofAgent,
      getFinding: ofFinding,
      acknowledgeFinding: { ...ofFinding, body: {} },
      closeFinding: { ...ofFinding, body: {} },
      muteFinding: { ...ofFinding, body: { until: '2100-01-01T00:00:00Z' } },
      assignFinding: { ...ofFinding, body: { user_id: null } },
      commentFinding: { ...ofFinding, body: { text: 'mine' } },
      triggerMonitoring: { query: { chat_id: agent.id }, body: { type: 'check_now' } },
    },
    secrets: [agent.id, session.id, finding.id, notification.id, version.id],
    shownAt: [
      `monitoring-chat/${agent.id}/sessions/${session.id}`,
      `monitoring-chat/${agent.id}/plan/versions`,
      `findings/${finding.id}`,
    ],
  };
};

/** A monitoring agent with everything that is stored of one. */
function ownedAgent({ em, teamId }: Owner) {
  const now = new Date();
  const check = {
    id: 'health',
    title: SECRET,
    schedule: { every_seconds: 60 },
    check: { type: 'service_health' as const, source: 'shop' },
  };
  const chat = em.create(Chat, { teamId, title: SECRET, titledBy: 'person', isMonitoring: true, lastTurnAt: now });
  em.create(Conversation, { id: chat.id, teamId, kind: 'chat', opening: null });
  const agent = em.create(MonitoringAgent, {
    id: chat.id,
    teamId,
    title: SECRET,
    planVersion: 1,
    channel: { type: 'webhook', label: SECRET, sealed: 'x' },
    healthSince: now,
    healthReasons: [SECRET],
    lastResultAt: now,
    nextDueAt: now,
    silentAt: null,
    createdByCredentialId: null,
    createdByUserId: null,
    deletedAt: null,
  });
  const agentId = agent.id;
  const version = em.create(MonitoringPlanVersion, {
    teamId,
    agentId,
    version: 1,
    plan: Plan.parse({ summary: SECRET, checks: [check] }),
    reason: SECRET,
    createdByCredentialId: null,
    createdByUserId: null,
    turnId: null,
    scopes: [],
  });
  const evidence = [{ source: 'shop', question: SECRET, answer: SECRET }];
  const session = em.create(MonitoringSession, {
    teamId,
    agentId,
    checkId: 'health',
    checkType: 'service_health',
    title: SECRET,
    planVersion: 1,
    trigger: 'schedule',
    status: 'finding',
    scheduledAt: now,
    startedAt: now,
    finishedAt: now,
    summary: SECRET,
    evidence,
    model: null,
  });
  const finding = em.create(Finding, {
    teamId,
    agentId,
    dedupKey: SECRET,
    origin: 'check',
    openedAt: now,
    status: 'open',
    title: SECRET,
    summary: SECRET,
    severity: 'warning',
    service: SECRET,
    actions: ['notify'],
    judgement: null,
    sources: {},
    evidence,
    coolDownSeconds: 900,
    lastSeenAt: now,
    resolvedAt: null,
    closedAt: null,
    investigationId: null,
  });
  const notification = em.create(Effect, {
    teamId,
    kind: NOTIFICATION,
    key: `finding:${finding.id}:opened:1`,
    ownerId: agentId,
    subjectId: finding.id,
    status: 'failed',
    target: { type: 'webhook', label: SECRET },
    payload: {
      event: 'opened',
      sender: { id: agentId, title: SECRET },
      severity: 'warning',
      title: SECRET,
      text: SECRET,
      links: [],
      at: now.getTime(),
    },
    lastError: SECRET,
    receipt: null,
    leasedUntil: null,
    finishedAt: now,
    expiresAt: null,
  });
  return { agent, version, session, finding, notification };
}
