import { randomUUID } from 'node:crypto';
import { creatorOf } from '../../../src/db/base.ts';
import { Chat } from '../../../src/features/chats/index.ts';
import { PullRequest } from '../../../src/features/pull-requests/index.ts';
import { newRun } from '../../../src/features/runs/index.ts';
import { Conversation } from '../../../src/features/transcripts/index.ts';
import { Investigation } from '../../../src/features/investigations/index.ts';
import { SECRET, type CreateIsolation } from '../../http/support/team-isolation.ts';

export const isolation: CreateIsolation = ({ em, teamId }) => {
  const [investigationId, chatId] = [randomUUID(), randomUUID()];
  em.create(Conversation, { id: investigationId, teamId, kind: 'investigation', opening: SECRET });
  em.create(Investigation, {
    id: investigationId,
    ...newRun('investigation', investigationId, { teamId, scopes: [] }),
    query: SECRET,
    trigger: 'api',
    status: 'completed',
    finishedAt: new Date(),
  });
  em.create(Conversation, { id: chatId, teamId, kind: 'chat' });
  em.create(Chat, {
    id: chatId,
    teamId,
    ...creatorOf(),
    title: SECRET,
    titledBy: 'person',
    investigationId: null,
    lastTurnAt: new Date(),
    deletedAt: null,
  });
  const { id } = em.create(PullRequest, {
    id: randomUUID(),
    teamId,
    ...creatorOf(),
    key: 'owned',
    origin: 'investigation',
    createdInConversationId: investigationId,
    toolCallId: randomUUID(),
    repository: `owner/${SECRET}`,
    base: 'main',
    title: SECRET,
    body: SECRET,
    change: { revertCommit: 'a'.repeat(40) },
    isDraft: false,
    branch: 'casebook/owned',
    status: 'merged',
    commit: 'b'.repeat(40),
    number: 12,
    url: `https://code.invalid/${SECRET}`,
    mergeCommit: null,
    error: null,
    conflicts: null,
    startedAt: new Date(),
    lookAt: null,
    mergedAt: null,
  });
  return {
    examples: {
      getPullRequest: { params: { pull_request_id: id } },
      createPullRequestFromInvestigation: { body: { investigation_id: investigationId } },
      createPullRequestFromChat: { body: { chat_id: chatId } },
      listPullRequestBranches: { query: { repo: 'owner/name' } },
      listPullRequests: { query: { investigation_id: investigationId } },
    },
    secrets: [id, investigationId, chatId],
    shownAt: [`pull-requests/${id}`, 'pull-requests'],
  };
};
