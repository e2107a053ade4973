import type { z } from 'zod';
import type { FilterQuery } from '@mikro-orm/core';
import type { EntityManager } from '../../../db/orm.ts';
import { NotFound } from '../../../http/errors.ts';
import { ToolCall } from '../../transcripts/index.ts';
import { MonitoringSession } from '../entities.ts';
import { presentSession, presentSessionDetail } from './presenter.ts';
import type { SessionListQuery, SessionListResponse, SessionResponse } from './schemas.ts';

/** The sessions of an agent, the newest first, as the API shows them. @param em bound to the agent's team */
export async function listSessions(
  em: EntityManager,
  agentId: string,
  { check_id: checkId, status, page, count }: SessionListQuery,
): Promise<z.input<typeof SessionListResponse>> {
  const where: FilterQuery<MonitoringSession> = { agentId };
  if (checkId !== undefined) where.checkId = checkId;
  if (status) where.status = status;
  const found = await em.find(MonitoringSession, where, {
    orderBy: { startedAt: 'desc', id: 'desc' },
    limit: count + 1,
    offset: (page - 1) * count,
  });
  return { sessions: found.slice(0, count).map(presentSession), page, count, has_more: found.length > count };
}

/**
 * One session with its evidence.
 * @throws {NotFound} when the agent has no such session
 */
export async function readSession(
  em: EntityManager,
  agentId: string,
  sessionId: string,
): Promise<z.input<typeof SessionResponse>> {
  const session = await em.findOne(MonitoringSession, { id: sessionId, agentId }, { populate: ['evidence'] });
  if (!session) throw new NotFound('There is no such session.');
  const calls = await em.find(ToolCall, { conversationId: session.id }, { orderBy: { evidence: 'asc' } });
  return presentSessionDetail(session, session.evidence, calls);
}
