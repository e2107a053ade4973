/** The proposals that a conversation holds. */
import { z } from 'zod';
import type { EntityManager } from '../../../db/orm.ts';
import { parseJson } from '../../../platform/parse-json.ts';
import { suggestion, type StoredSuggestion } from '../../investigations/index.ts';
import { ToolCall } from '../../transcripts/index.ts';
import { changeOf, proposalInput, SUGGEST_PR, type ProposedChange } from './schema.ts';

export interface FoundProposal {
  toolCallId: string;
  evidence: number;
  suggestion: StoredSuggestion;
  change: ProposedChange;
}

/** The tool that calls it where there are too many to offer each; see `tools/systems`. */
const CALLER = 'call_connected_tool';
const byCaller = z.object({ name: z.literal(SUGGEST_PR), input: z.unknown() });

/** A run that is refused so often has no use for its proposals. */
const MAX_CALLS = 50;

/**
 * The newest successful call of `suggest_pr` in a conversation, or a certain one.
 * @param em bound to the team
 */
export async function findProposal(
  em: EntityManager,
  conversationId: string,
  toolCallId?: string,
): Promise<FoundProposal | undefined> {
  const calls = await em.find(
    ToolCall,
    {
      conversationId,
      status: 'completed',
      isError: false,
      name: { $in: [SUGGEST_PR, CALLER] },
      ...(toolCallId !== undefined && { id: toolCallId }),
    },
    { orderBy: { evidence: 'desc' }, limit: MAX_CALLS, populate: ['content'], disableIdentityMap: true },
  );
  for (const { id, evidence, name, input, content } of calls) {
    const asked = proposalInput.safeParse(name === CALLER ? byCaller.safeParse(input).data?.input : input);
    const answer = suggestion.safeParse(parseJson(content ?? ''));
    if (asked.success && answer.success)
      return { toolCallId: id, evidence, suggestion: answer.data, change: changeOf(asked.data) };
  }
  return undefined;
}
