import { Credential } from '../../../src/features/identity/index.ts';
import { SECRET, type CreateIsolation } from '../../http/support/team-isolation.ts';

export const isolation: CreateIsolation = ({ em, teamId, userId, keyId }) => {
  const signedIn = em.create(Credential, {
    teamId,
    kind: 'session',
    name: SECRET,
    prefix: '',
    hash: 'y',
    scopes: ['team:read'],
    userId,
    signedInWith: 'link',
    expiresAt: new Date(Date.now() + 3_600_000),
  });
  return {
    examples: {
      revokeSession: { params: { session_id: signedIn.id } },
      changeSessionTeam: { body: { team_id: teamId } },
      createSignInLink: { body: {} },
      removeMember: { params: { user_id: userId } },
      revokeApiKey: { params: { api_key_id: keyId } },
      updateTeam: { body: { name: 'other' } },
      addMember: { body: { email: 'new@example.org', name: 'New' } },
      createApiKey: { body: { name: 'key', scopes: ['team:read'] } },
    },
    secrets: [teamId, keyId, userId, signedIn.id, 'owner@example.org'],
    shownAt: ['sessions'],
  };
};
