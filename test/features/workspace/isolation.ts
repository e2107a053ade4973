import type { CreateIsolation } from '../../http/support/team-isolation.ts';

/** Every team has files of its own: `endpoints.test.ts` reads one team's files with the other's key. */
export const isolation: CreateIsolation = () => {
  const query = { path: 'notes.md' };
  return {
    examples: {
      getWorkspaceFile: { query },
      searchWorkspace: { query: { pattern: '.' } },
      writeWorkspaceFile: { query, body: { content: 'x' } },
      createWorkspaceFile: { body: { path: 'new.md' } },
      editWorkspaceFile: { query, body: { search: 'x', replace: 'y' } },
      deleteWorkspaceFile: { query },
      writeWorkspaceBatch: { body: { files: [{ path: 'a', content: 'x' }] } },
    },
    secrets: [],
  };
};
