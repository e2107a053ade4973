/** Rows of an investigation as a run leaves them, made without a run. */
import { newRun } from '../../src/features/runs/index.ts';
import { randomUUID } from 'node:crypto';
import type { Orm } from '../../src/db/orm.ts';
import { forTeam } from '../../src/db/team-filter.ts';
import { Investigation } from '../../src/features/investigations/index.ts';
import { contentDigest, Conversation, ToolCall } from '../../src/features/transcripts/index.ts';

export interface StoredInvestigation {
  id: string;
  teamId: string;
}

export interface InvestigationRows {
  /** Default: a team of its own. */
  teamId?: string;
  /** Columns of the investigation that are not empty. */
  row?: Partial<Investigation>;
  /** The result the model handed in, if it did. */
  result?: Record<string, unknown>;
  /** What each tool call returned, one call a step. */
  results?: string[];
  /** The tool that is called. */
  tool?: string;
  /** Columns of every tool call that are not the usual ones. */
  call?: Partial<ToolCall>;
  /** Ids of these calls, where something points to them; the others get new ones. */
  toolIds?: string[];
}

/** Stores an investigation that is processing, with its conversation and tool results. */
export async function storeInvestigation(orm: Orm, rows: InvestigationRows = {}): Promise<StoredInvestigation> {
  const { teamId = randomUUID(), row, result, results = [], tool = 'promql', toolIds = [], call } = rows;
  const id = randomUUID();
  const em = forTeam(orm.em, teamId);
  em.create(Conversation, {
    id,
    teamId,
    kind: 'investigation',
    opening: 'Checkout is slow.',
    plan: [],
    result: result ? { toolCallId: randomUUID(), value: result } : null,
  });
  em.create(Investigation, {
    id,
    ...newRun('investigation', id, { teamId, scopes: [] }),
    query: 'Checkout is slow.',
    rerunOfId: null,
    trigger: 'api',
    alertSummary: null,
    investigationText: null,
    report: null,
    ...row,
  } as Investigation);
  for (const [index, content] of results.entries()) {
    em.create(ToolCall, {
      id: toolIds[index] ?? randomUUID(),
      teamId,
      conversationId: id,
      step: index + 1,
      evidence: index + 1,
      toolUseId: `use-${index + 1}`,
      name: tool,
      input: {},
      summary: 'Query Prometheus',
      status: 'completed',
      digest: 'found',
      view: content.slice(0, 100),
      content,
      bytes: Buffer.byteLength(content),
      sha256: contentDigest(content),
      startedAt: new Date(),
      finishedAt: new Date(),
      ...call,
    } as ToolCall);
  }
  await em.flush();
  return { id, teamId };
}
