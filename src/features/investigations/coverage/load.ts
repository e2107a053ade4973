import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { EntityManager } from '../../../db/orm.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { LoadSources } from '../../sources/index.ts';
import { capabilityOf, listSources } from '../../tools/index.ts';
import { evidenceReader, sourceOfCall, ToolCall } from '../../transcripts/index.ts';
import { coverageOf, type Coverage, type CoveredSource } from './compute.ts';

const listed = z.object({ sources: z.array(z.object({ id: z.string(), error: z.string().optional() })) });

/**
 * What the sources of an investigation's team covered, from its stored calls.
 * @param em bound to the team
 */
export async function loadCoverage(
  { sources, clock }: { sources: LoadSources; clock: Clock },
  em: EntityManager,
  { id: conversationId, teamId }: { id: string; teamId: string },
): Promise<Coverage> {
  const calls = await em.find(ToolCall, { conversationId, status: 'completed' }, { orderBy: { evidence: 'asc' } });
  const catalog = await sources({ teamId, toolCallId: randomUUID(), clock });
  const listing = calls.findLast(({ name, isError }) => name === listSources.name && !isError);
  const errors = listing ? await errorsIn(em, conversationId, listing.evidence) : new Map<string, string>();
  const known = catalog.list().map(({ id, capabilities }): CoveredSource => {
    const error = errors.get(id);
    return { id, capabilities: [...capabilities], ...(error !== undefined && { error }) };
  });
  const queries = calls.flatMap((call) => {
    const { name, answer, digest } = call;
    if (answer === null || answer === undefined || name === listSources.name) return [];
    const source = sourceOfCall(call);
    const capability = capabilityOf(name);
    return [
      { answer, digest: digest ?? '', ...(capability && { capability }), ...(source !== undefined && { source }) },
    ];
  });
  return coverageOf(known, queries);
}

/** By source: why it could not describe itself. */
async function errorsIn(em: EntityManager, conversationId: string, evidence: number): Promise<Map<string, string>> {
  const stored = await evidenceReader(em, conversationId).read(evidence);
  const { sources = [] } = listed.safeParse(JSON.parse(stored?.content ?? '{}')).data ?? {};
  return new Map(sources.flatMap(({ id, error }) => (error === undefined ? [] : [[id, error] as const])));
}
