import { randomUUID } from 'node:crypto';
import { creatorOf } from '../../../src/db/base.ts';
import { Investigation } from '../../../src/features/investigations/index.ts';
import { newRun } from '../../../src/features/runs/index.ts';
import { Conversation } from '../../../src/features/transcripts/index.ts';
import { Credential } from '../../../src/features/identity/index.ts';
import { InvestigationShare } from '../../../src/features/investigations/shares/entities.ts';
import { SECRET, type CreateIsolation } from '../../http/support/team-isolation.ts';

export const isolation: CreateIsolation = ({ em, teamId }) => {
  const id = randomUUID();
  em.create(Investigation, {
    id,
    ...newRun('investigation', id, { teamId, scopes: [] }),
    query: SECRET,
    trigger: 'api',
    status: 'completed',
    alertSummary: SECRET,
    investigationText: SECRET,
    startedAt: new Date(),
    finishedAt: new Date(),
  });
  em.create(Conversation, { id, teamId, kind: 'investigation', opening: SECRET });
  const params = { investigation_id: id };
  const share = { id: randomUUID(), teamId };
  em.create(Credential, {
    ...share,
    ...creatorOf(),
    kind: 'share',
    name: SECRET,
    prefix: '',
    hash: randomUUID(),
    scopes: [],
    expiresAt: new Date(Date.now() + 3_600_000),
  });
  em.create(InvestigationShare, { ...share, investigationId: id, opened: 0 });
  return {
    examples: {
      getInvestigation: { params },
      getInvestigationDetail: { params },
      getInvestigationGraph: { params },
      streamInvestigationEvents: { params },
      cancelInvestigation: { params },
      rerunInvestigation: { params },
      listSimilarInvestigations: { params },
      judgeInvestigation: { params, body: { judgement: 'right' } },
      listInvestigationShares: { params },
      shareInvestigation: { params, body: {} },
      revokeInvestigationShare: { params: { ...params, share_id: share.id } },
      addInvestigationMessage: { params, body: { text: 'hello' } },
    },
    secrets: [id],
    shownAt: [`v1/investigations/${id}`],
  };
};
