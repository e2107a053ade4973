import { randomUUID } from 'node:crypto';
/** Every team-scoped endpoint of the API, called with another team's key. Temporal is not there: nothing may get so far. */
import { Approval, newRun } from '../../../src/features/runs/index.ts';
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { endpoints } from '../../../src/app.ts';
import { startApi, type RunningApi } from '../../../src/bin/api.ts';
import type { EntityManager } from '../../../src/db/orm.ts';
import { forTeam } from '../../../src/db/team-filter.ts';
import { Chat, ChatTurn } from '../../../src/features/chats/index.ts';
import { drawChart } from '../../../src/features/charts/index.ts';
import { Effect } from '../../../src/features/effects/index.ts';
import { NOTIFICATION } from '../../../src/features/notifications/index.ts';
import { Investigation } from '../../../src/features/investigations/entities.ts';
import {
  Finding,
  MonitoringAgent,
  MonitoringPlanVersion,
  MonitoringSession,
} from '../../../src/features/monitoring-agents/entities.ts';
import { Plan } from '../../../src/features/monitoring-agents/plan/schema.ts';
import { eventId } from '../../../src/features/chats/stream/event-id.ts';
import { Satellite } from '../../../src/features/satellites/entities.ts';
import { creatorOf } from '../../../src/db/base.ts';
import { Credential } from '../../../src/features/identity/index.ts';
import { Conversation, Message, ToolCall } from '../../../src/features/transcripts/index.ts';
import { send, sendJson, testConfig, recordedLog } from '../../http/support/api.ts';
import { assertTeamIsolation, type Example } from '../../http/support/team-isolation.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const ROOT_KEY = 'key-of-the-first-team';

describe('team isolation @never-forgiven', () => {
  let database: TestDatabase;
  let api: RunningApi;
  let home: string;
  let url: string;
  before(async () => {
    database = await createTestDatabase();
    home = await mkdtemp(join(tmpdir(), 'casebook-isolation-'));
    const config = testConfig({
      HOST: '127.0.0.1',
      PORT: '0',
      CASEBOOK_HOME: home,
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      CASEBOOK_BOOTSTRAP_API_KEY: ROOT_KEY,
    });
    api = await startApi(config, recordedLog('silent').log);
    await api.prepared;
    url = `http://127.0.0.1:${api.port}`;
  });
  after(async () => {
    await api.stop();
    await database.drop();
    await rm(home, { recursive: true });
  });

  const newTeam = async (name: string) => {
    const body = { name, admin_email: `${name}@example.org`, admin_name: `admin of ${name}` };
    const { json } = await sendJson(`${url}/api/teams`, body, { headers: { 'x-api-key': ROOT_KEY } });
    const [id, key, keyId]: string[] = [json.team.id, json.api_key.api_key, json.api_key.id];
    assert.ok(id && key && keyId);
    return { id, key, keyId };
  };

  it('holds for every endpoint', async () => {
    const [owner, other] = [await newTeam('owner'), await newTeam('other')];
    const members = await send(`${url}/api/team/members`, { headers: { 'x-api-key': owner.key } });
    const userId: string = members.json.members[0].user_id;
    const em = forTeam(database.orm.em, owner.id);
    const investigationId = randomUUID();
    const investigation = em.create(Investigation, {
      id: investigationId,
      ...newRun('investigation', investigationId, { teamId: owner.id, scopes: [] }),
      query: 'the text of the owner',
      status: 'completed',
      alertSummary: 'the text of the owner',
      investigationText: 'the text of the owner',
      startedAt: new Date(),
      finishedAt: new Date(),
    });
    em.create(Conversation, {
      id: investigation.id,
      teamId: owner.id,
      kind: 'investigation',
      opening: 'the text of the owner',
    });
    const toolCall = em.create(ToolCall, {
      teamId: owner.id,
      conversationId: investigation.id,
      step: 1,
      evidence: 1,
      toolUseId: 'x',
      name: 'query_metric',
      input: {},
      summary: 'the text of the owner',
      status: 'completed',
      content: 'the text of the owner',
    });
    const secret = 'the text of the owner';
    const chat = em.create(Chat, { teamId: owner.id, title: secret, titledBy: 'question', lastTurnAt: new Date() });
    em.create(Conversation, { id: chat.id, teamId: owner.id, kind: 'chat', opening: null });
    const turn = em.create(ChatTurn, {
      ...newRun('chat', chat.id, { teamId: owner.id, scopes: [] }),
      chatId: chat.id,
      number: 1,
      purpose: 'answer',
      status: 'completed',
      question: secret,
      text: secret,
      searchText: secret,
      firstStep: 1,
      lastStep: 1,
      citations: [],
      startedAt: new Date(),
      finishedAt: new Date(),
    });
    em.create(Message, { teamId: owner.id, conversationId: chat.id, text: secret, deliveredStep: 1 });
    const drawn = em.create(ToolCall, {
      teamId: owner.id,
      conversationId: chat.id,
      step: 1,
      evidence: 1,
      toolUseId: 'y',
      name: drawChart.name,
      input: {},
      summary: secret,
      status: 'completed',
      content: secret,
    });
    const satelliteToken = em.create(Credential, {
      teamId: owner.id,
      kind: 'satellite',
      name: secret,
      prefix: 'cbs_x',
      hash: 'x',
      ...creatorOf(),
    });
    const tool = { server: 'tools', name: secret, description: secret, inputSchema: {}, readOnly: true };
    const satellite = em.create(Satellite, {
      teamId: owner.id,
      name: 'of-the-owner',
      version: secret,
      labels: {},
      instance: owner.id,
      tokenId: satelliteToken.id,
      connectedAt: new Date(),
      lastHeartbeatAt: new Date(),
      clockOffsetMs: 0,
      health: [],
      summary: {
        connectors: [{ id: 'prometheus', kind: 'prometheus', title: secret, operations: ['query'] }],
        servers: ['tools'],
        tools: 1,
        omittedTools: 0,
      },
      inventory: { version: secret, labels: {}, connectors: [], tools: [tool], omittedTools: 0 },
      inventoryBytes: 1,
      inventoryDigest: 'x',
      clusters: [],
    });
    const approval = em.create(Approval, {
      teamId: owner.id,
      runId: turn.id,
      conversationId: chat.id,
      kind: 'chat',
      toolCallId: drawn.id,
      digest: 'x',
      requires: 'chats:act',
      status: 'pending',
      expiresAt: new Date(Date.now() + 3_600_000),
      workflowId: 'x',
    });
    const watched = watchedBy(em, owner.id, secret);
    const signedIn = em.create(Credential, {
      teamId: owner.id,
      kind: 'session',
      name: secret,
      prefix: '',
      hash: 'y',
      scopes: ['team:read'],
      userId,
      signedInWith: 'link',
      expiresAt: new Date(Date.now() + 3_600_000),
    });
    await em.flush();

    const own = await send(`${url}/api/v1/investigations/${investigation.id}`, { headers: { 'x-api-key': owner.key } });
    assert.equal(own.status, 200, own.text);
    for (const path of [
      `monitoring-chat/${watched.agent.id}/sessions/${watched.session.id}`,
      `monitoring-chat/${watched.agent.id}/plan/versions`,
      `findings/${watched.finding.id}`,
      'sessions',
    ]) {
      const { text } = await send(`${url}/api/${path}`, { headers: { 'x-api-key': owner.key } });
      assert.match(text, /the text of the owner/, 'the owner sees it');
    }

    const params = { investigation_id: investigation.id };
    const ofChat = { chat_id: chat.id };
    const messages = [{ role: 'user', content: 'What was said?' }];
    const seen = eventId(turn.id, { logId: 'start', index: 1, place: 0 });
    // The other team names itself, as it must; what it asks for is the owner's.
    const ofSatellite = { params: { satellite_id: satellite.id }, query: { team_id: other.id } };
    const asking = { team_id: other.id, satellite_id: satellite.id };
    const ofAgent = { params: { chat_id: watched.agent.id } };
    const examples: Record<string, Example> = {
      monitoringChat: { body: { message: 'What is watched?', chat_id: watched.agent.id } },
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
      getMonitoringSession: { params: { chat_id: watched.agent.id, session_id: watched.session.id } },
      listMonitoringFindings: ofAgent,
      getFinding: { params: { finding_id: watched.finding.id } },
      triggerMonitoring: { query: { chat_id: watched.agent.id }, body: { type: 'check_now' } },
      listSatellites: { query: { team_id: other.id } },
      listSatelliteTools: { query: { team_id: other.id } },
      getSatellite: ofSatellite,
      deleteSatellite: ofSatellite,
      listSatelliteClusters: ofSatellite,
      getSatelliteDependencies: ofSatellite,
      querySatelliteIntegration: { body: { ...asking, connector: 'prometheus', operation: 'query' } },
      callSatelliteTool: { body: { ...asking, server: 'tools', tool: secret } },
      querySatelliteDependencies: { body: { ...asking, service: secret, query_type: 'get_impact' } },
      createSatelliteToken: { body: { name: 'mine' } },
      revokeSatelliteToken: { params: { token_id: satelliteToken.id } },
      chat: { body: { messages, chat_id: chat.id } },
      chatViz: { body: { prompt: 'Draw it', chat_id: chat.id, tool_id: drawn.id } },
      chatEditor: { body: { messages, chat_id: chat.id } },
      followChat: { params: ofChat, query: { last_event_id: seen } },
      cancelChatTurn: { params: ofChat },
      getChat: { params: ofChat },
      updateChatTitle: { params: ofChat, body: { title: 'mine' } },
      deleteChat: { params: ofChat },
      searchChats: { query: { q: 'text owner' } },
      getChart: { params: { tool_id: drawn.id } },
      revokeSession: { params: { session_id: signedIn.id } },
      changeSessionTeam: { body: { team_id: owner.id } },
      createSignInLink: { body: {} },
      removeMember: { params: { user_id: userId } },
      revokeApiKey: { params: { api_key_id: owner.keyId } },
      updateTeam: { body: { name: 'other' } },
      addMember: { body: { email: 'new@example.org', name: 'New' } },
      createApiKey: { body: { name: 'key', scopes: ['team:read'] } },
      getInvestigation: { params },
      getInvestigationDetail: { params },
      getInvestigationGraph: { params },
      streamInvestigationEvents: { params },
      cancelInvestigation: { params },
      rerunInvestigation: { params },
      addInvestigationMessage: { params, body: { text: 'hello' } },
      getApproval: { params: { approval_id: approval.id } },
      decideApproval: { params: { approval_id: approval.id }, body: { decision: 'approve', digest: 'x' } },
      getToolResult: { params: { tool_id: toolCall.id } },
      listSourceServices: { params: { source_id: 'satellite:of-the-owner/prometheus' } },
      searchSourceMetrics: { params: { source_id: 'satellite:of-the-owner/prometheus' } },
      getToolResultSeries: { params: { tool_id: toolCall.id } },
      extractCitation: { body: { tool_result: 'found', citation_id: 1, text_with_citation: 'It was found [1].' } },
    };
    const called = await assertTeamIsolation({
      url,
      endpoints,
      otherTeamKey: other.key,
      examples,
      secrets: [
        owner.id,
        owner.keyId,
        userId,
        investigation.id,
        toolCall.id,
        chat.id,
        turn.id,
        drawn.id,
        approval.id,
        satelliteToken.id,
        signedIn.id,
        watched.agent.id,
        watched.session.id,
        watched.finding.id,
        watched.notification.id,
        watched.version.id,
        'of-the-owner',
        'the text of the owner',
        'owner@example.org',
      ],
      except: { investigate: 'makes a thing of the caller itself, and needs Temporal' },
    });
    assert.ok(called.length >= 25, `${called.length} endpoints were called: ${called.join(', ')}`);
    const still = await send(`${url}/api/api-keys`, { headers: { 'x-api-key': owner.key } });
    assert.equal(still.status, 200, 'the owner’s key still works');
  });

  it('is noticed when it is missing', async () => {
    const other = await newTeam('noticed');
    const leaking = { ...endpoints.find(({ operationId }) => operationId === 'getTeam')! };
    const options = { url, endpoints: [leaking], otherTeamKey: other.key, examples: {}, secrets: ['noticed'] };
    await assert.rejects(assertTeamIsolation(options), /getTeam shows another team noticed/);
  });
});

/** A monitoring agent with everything that is stored of one. */
function watchedBy(em: EntityManager, teamId: string, secret: string) {
  const now = new Date();
  const check = {
    id: 'health',
    title: secret,
    schedule: { every_seconds: 60 },
    check: { type: 'service_health' as const, source: 'shop' },
  };
  const chat = em.create(Chat, { teamId, title: secret, titledBy: 'person', isMonitoring: true, lastTurnAt: now });
  em.create(Conversation, { id: chat.id, teamId, kind: 'chat', opening: null });
  const agent = em.create(MonitoringAgent, {
    id: chat.id,
    teamId,
    title: secret,
    planVersion: 1,
    channel: { type: 'webhook', label: secret, sealed: 'x' },
    healthSince: now,
    healthReasons: [secret],
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
    plan: Plan.parse({ summary: secret, checks: [check] }),
    reason: secret,
    createdByCredentialId: null,
    createdByUserId: null,
    turnId: null,
    scopes: [],
  });
  const evidence = [{ source: 'shop', question: secret, answer: secret }];
  const session = em.create(MonitoringSession, {
    teamId,
    agentId,
    checkId: 'health',
    checkType: 'service_health',
    title: secret,
    planVersion: 1,
    trigger: 'schedule',
    status: 'finding',
    scheduledAt: now,
    startedAt: now,
    finishedAt: now,
    summary: secret,
    evidence,
    model: null,
  });
  const finding = em.create(Finding, {
    teamId,
    agentId,
    dedupKey: secret,
    origin: 'check',
    openedAt: now,
    status: 'open',
    title: secret,
    summary: secret,
    severity: 'warning',
    service: secret,
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
    target: { type: 'webhook', label: secret },
    payload: {
      event: 'opened',
      sender: { id: agentId, title: secret },
      severity: 'warning',
      title: secret,
      text: secret,
      links: [],
      at: now.getTime(),
    },
    lastError: secret,
    receipt: null,
    leasedUntil: null,
    finishedAt: now,
    expiresAt: null,
  });
  return { agent, version, session, finding, notification };
}

describe('bad input', () => {
  it('is answered with 401 or 422 by every endpoint that needs a key, never with a 500', async () => {
    const database = await createTestDatabase();
    const home = await mkdtemp(join(tmpdir(), 'casebook-input-'));
    const env = { HOST: '127.0.0.1', PORT: '0', CASEBOOK_HOME: home, DATABASE_URL: database.url };
    const config = testConfig({ ...env, TEMPORAL_ADDRESS: '127.0.0.1:1', CASEBOOK_BOOTSTRAP_API_KEY: ROOT_KEY });
    const api = await startApi(config, recordedLog('silent').log);
    await api.prepared;
    try {
      for (const { method, path, auth, body, bodyLimitBytes = 1_048_576, params, operationId } of endpoints) {
        if (auth === 'none') continue;
        const target = `http://127.0.0.1:${api.port}${path.replaceAll(/\{\w+\}/g, 'not-an-id')}`;
        const header: Record<string, string> =
          auth.via[0] === 'bearer' ? { authorization: `Bearer ${ROOT_KEY}` } : { 'x-api-key': ROOT_KEY };
        const json = { 'content-type': 'application/json' };
        const unauthenticated = await send(target, { method: method.toUpperCase() });
        assert.equal(unauthenticated.status, 401, operationId);
        if (params) {
          const wrongId = await send(target, {
            method: method.toUpperCase(),
            headers: { ...header, ...json },
            body: '{}',
          });
          // Sources go by names of people's own: any text may be one.
          const isName = path.includes('{source_id}');
          assert.equal(wrongId.status, isName ? 404 : 422, operationId);
          if (isName) continue;
          assert.ok(wrongId.json.detail.some(({ loc }: { loc: string[] }) => loc[0] === 'path'));
        }
        if (!body) continue;
        for (const [headers, text] of [
          [json, '{"'],
          [json, '[]'],
          [json, '{"query":"\\u0000","name":"\\u0000","text":"\\u0000","email":"\\u0000"}'],
          [{ 'content-type': 'text/xml' }, '<a/>'],
          [json, '{"query":7,"name":7,"text":7}'],
        ] as const) {
          const reply = await send(target, {
            method: method.toUpperCase(),
            headers: { ...header, ...headers },
            body: text,
          });
          assert.equal(reply.status, 422, `${operationId} ${text}: ${reply.text}`);
          assert.ok(Array.isArray(reply.json.detail));
        }
        const large = await send(target, {
          method: method.toUpperCase(),
          headers: { ...header, ...json },
          body: `"${'x'.repeat(bodyLimitBytes + 50_000)}"`,
        });
        assert.equal(large.status, 413, operationId);
      }
    } finally {
      await api.stop();
      await database.drop();
      await rm(home, { recursive: true });
    }
  });
});
