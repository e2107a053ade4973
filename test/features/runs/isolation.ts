import { Approval } from '../../../src/features/runs/index.ts';
import type { CreateIsolation } from '../../http/support/team-isolation.ts';
import { ownedChat } from '../chats/isolation.ts';

export const isolation: CreateIsolation = (owner) => {
  const { chat, turn, drawn } = ownedChat(owner);
  const approval = owner.em.create(Approval, {
    teamId: owner.teamId,
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
  const params = { approval_id: approval.id };
  return {
    examples: {
      getApproval: { params },
      decideApproval: { params, body: { decision: 'approve', digest: 'x' } },
    },
    secrets: [approval.id, chat.id, turn.id, drawn.id],
  };
};
