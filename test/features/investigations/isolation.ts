import { randomUUID } from 'node:crypto';
import { Investigation } from '../../../src/features/investigations/index.ts';
import { newRun } from '../../../src/features/runs/index.ts';
import { Conversation } from '../../../src/features/transcripts/index.ts';
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
      addInvestigationMessage: { params, body: { text: 'hello' } },
    },
    secrets: [id],
    shownAt: [`v1/investigations/${id}`],
  };
};
