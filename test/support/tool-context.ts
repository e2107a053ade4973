import { createHash } from 'node:crypto';
import type { SourceCatalog } from '../../src/features/sources/port.ts';
import type { StoredEvidence, ToolContext } from '../../src/features/tools/tool.ts';
import { ALERT_AT, catalogOf, sampleIncident } from './telemetry-source.ts';

/** A stored tool result, with the digest a store gives it. */
export function storedEvidence(evidence: number, tool: string, content: string): StoredEvidence {
  const sha256 = createHash('sha256').update(content, 'utf8').digest('hex');
  return { evidence, toolCallId: `call-${evidence}`, tool, content, sha256 };
}

/** What a tool runs with: the sample incident, a clock half an hour after its alert, and the evidence given. */
export function toolContext(
  given: { sources?: SourceCatalog; evidence?: StoredEvidence[]; signal?: AbortSignal } = {},
): ToolContext {
  const { sources = catalogOf(sampleIncident()), evidence = [], signal = new AbortController().signal } = given;
  return {
    conversationId: 'conversation',
    teamId: 'team',
    actor: { teamId: 'team', scopes: ['team:admin'] },
    sources,
    runId: 'conversation',
    toolCallId: 'call',
    evidence: {
      read: async (number) => evidence.find((stored) => stored.evidence === number),
      readById: async (id) => evidence.find((stored) => stored.toolCallId === id),
    },
    clock: { now: () => new Date((ALERT_AT + 1_800) * 1_000) },
    signal,
  };
}
