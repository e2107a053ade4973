import { isOpen } from '../../runs/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { ToolCall } from '../../transcripts/index.ts';
import { getInvestigation } from '../service.ts';
import { buildGraph, type InvestigationGraph } from './build.ts';
import { GRAPH_TOOLS } from './results.ts';

/** The latest results are read: a run that asks again has a reason. */
const MAX_RESULTS = 60;
/** For all results together; the tools' own limits keep each within tens of thousands. */
const MAX_CHARACTERS = 4_000_000;
const MAX_CALLS = 1_000;

/** @param em bound to the team @throws {NotFound} if the team has no such investigation */
export async function loadGraph(em: EntityManager, investigationId: string): Promise<InvestigationGraph> {
  const { id, report, status } = await getInvestigation(em, investigationId);
  const calls = await em.find(
    ToolCall,
    { conversationId: id, status: 'completed', isError: false },
    { fields: ['id', 'evidence', 'name', 'input', 'bytes'], orderBy: { evidence: 'desc' }, limit: MAX_CALLS },
  );
  const wanted = calls.filter(({ name }) => GRAPH_TOOLS.includes(name));
  let room = MAX_CHARACTERS;
  const read = wanted.slice(0, MAX_RESULTS).filter(({ bytes }) => (room -= bytes ?? 0) >= 0);
  const contents = await em
    .fork()
    .find(ToolCall, { id: { $in: read.map((call) => call.id) } }, { fields: ['id', 'content'] });
  const contentOf = new Map(contents.map((call) => [call.id, call.content]));
  return buildGraph({
    report,
    isRunning: isOpen(status),
    results: read.map((call) => ({
      toolCallId: call.id,
      evidence: call.evidence,
      tool: call.name,
      content: contentOf.get(call.id) ?? '',
    })),
    looks: calls.flatMap((call) => {
      const service = serviceIn(call.input);
      return service === undefined ? [] : [{ toolCallId: call.id, evidence: call.evidence, service }];
    }),
    omitted: wanted.length - read.length,
  });
}

/** The service a call was about, as all tools name it. */
function serviceIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('service' in input)) return undefined;
  return typeof input.service === 'string' ? input.service : undefined;
}
