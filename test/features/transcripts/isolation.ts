import { randomUUID } from 'node:crypto';
import { Conversation, ToolCall } from '../../../src/features/transcripts/index.ts';
import { SECRET, type CreateIsolation, type Owner } from '../../http/support/team-isolation.ts';

/** A tool call of the owner's, in a conversation of its own unless another is given. */
export function ownedToolCall(
  { em, teamId }: Owner,
  { name = 'query_metric', conversationId }: { name?: string; conversationId?: string } = {},
): ToolCall {
  const conversation = conversationId ?? randomUUID();
  if (conversationId === undefined)
    em.create(Conversation, { id: conversation, teamId, kind: 'investigation', opening: SECRET });
  return em.create(ToolCall, {
    teamId,
    conversationId: conversation,
    step: 1,
    evidence: 1,
    toolUseId: 'x',
    name,
    input: {},
    summary: SECRET,
    status: 'completed',
    content: SECRET,
  });
}

export const isolation: CreateIsolation = (owner) => {
  const { id } = ownedToolCall(owner);
  return { examples: { getToolResult: { params: { tool_id: id } } }, secrets: [id] };
};
