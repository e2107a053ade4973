import { randomUUID } from 'node:crypto';
import { WorkspaceDraft } from '../../../src/features/workspace/entities.ts';
import { SECRET, type CreateIsolation } from '../../http/support/team-isolation.ts';

/** Every team has files of its own: `endpoints.test.ts` reads one team's files with the other's key. */
export const isolation: CreateIsolation = ({ em, teamId }) => {
  const base = '0'.repeat(40);
  const changes = { base, commit: null, paths: [], conflicts: [], diff: SECRET, truncated: false };
  const draft = em.create(WorkspaceDraft, {
    teamId,
    runId: randomUUID(),
    base,
    tree: null,
    status: 'proposed',
    commit: null,
    outcome: { ...changes, status: 'proposed' },
    finishedAt: null,
  });
  const query = { path: 'notes.md' };
  const params = { proposal_id: draft.id };
  return {
    examples: {
      getWorkspaceFile: { query },
      searchWorkspace: { query: { pattern: '.' } },
      writeWorkspaceFile: { query, body: { content: 'x' } },
      createWorkspaceFile: { body: { path: 'new.md' } },
      editWorkspaceFile: { query, body: { search: 'x', replace: 'y' } },
      deleteWorkspaceFile: { query },
      writeWorkspaceBatch: { body: { files: [{ path: 'a', content: 'x' }] } },
      getWorkspaceProposal: { params },
      applyWorkspaceProposal: { params },
      discardWorkspaceProposal: { params },
    },
    secrets: [draft.id],
    shownAt: [`workspace/proposals/${draft.id}`],
  };
};
