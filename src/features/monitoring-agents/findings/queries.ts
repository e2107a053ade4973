import type { EntityManager } from '../../../db/orm.ts';
import type { FindingStatus } from '../contract.ts';
import { Finding, MonitoringNotification } from '../entities.ts';

export interface FindingQuery {
  /** Absent: of all agents of the team, and of none. */
  agentId?: string;
  /** Absent: all that people were or are to be told of; `pending` ones are asked for by name. */
  status?: FindingStatus;
  /** 1-based. */
  page: number;
  count: number;
}

/** The team's findings, the newest first. @param em bound to the team */
export async function listFindings(
  em: EntityManager,
  wanted: FindingQuery,
): Promise<{ items: Finding[]; total: number }> {
  const { agentId, status, page, count } = wanted;
  const [items, total] = await em.findAndCount(
    Finding,
    { ...(agentId !== undefined && { agentId }), status: status ?? { $ne: 'pending' } },
    { orderBy: { openedAt: 'desc', createdAt: 'desc', id: 'desc' }, limit: count, offset: (page - 1) * count },
  );
  return { items, total };
}

export interface FindingDetail {
  finding: Finding;
  evidence: Finding['evidence'];
  /** The oldest first. */
  notifications: MonitoringNotification[];
}

/** One finding with what was told of it. @param em bound to the team */
export async function findFinding(em: EntityManager, id: string): Promise<FindingDetail | undefined> {
  const finding = await em.findOne(Finding, { id }, { populate: ['evidence'] });
  if (!finding) return undefined;
  const notifications = await em.find(
    MonitoringNotification,
    { findingId: id },
    { orderBy: { createdAt: 'asc', id: 'asc' } },
  );
  return { finding, evidence: finding.evidence, notifications };
}
