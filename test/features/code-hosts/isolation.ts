import { randomUUID } from 'node:crypto';
import { creatorOf } from '../../../src/db/base.ts';
import { Listing, Repository } from '../../../src/features/code-hosts/entities.ts';
import { Integration } from '../../../src/features/integrations/entities.ts';
import { SECRET, type CreateIsolation } from '../../http/support/team-isolation.ts';

export const isolation: CreateIsolation = ({ em, teamId }) => {
  const later = new Date(Date.now() + 3_600_000);
  const host = (family: Integration['family'], slug: string, settings: object) => {
    const made = em.create(Integration, {
      id: randomUUID(),
      teamId,
      ...creatorOf(),
      family,
      name: `${SECRET} ${slug}`,
      slug,
      status: 'connected',
      statusSince: new Date(),
      settings: { ...settings },
      sealed: SECRET,
      found: { warnings: [SECRET], resources: [] },
      dueAt: later,
    } as never);
    const listing = {
      teamId,
      integrationId: made.id,
      listedAt: null,
      dueAt: later,
      error: SECRET,
      webhookError: SECRET,
    };
    em.create(Listing, listing);
    return made;
  };
  const gitea = host('gitea', 'owned-gitea', { url: 'https://gitea.invalid' });
  host('github', 'owned-github', {});
  host('codehost-b', 'gitlab', { url: 'https://gitlab.invalid' });
  const repository = em.create(Repository, {
    teamId,
    integrationId: gitea.id,
    hostId: '7',
    fullName: 'owner/owned-repository',
    defaultBranch: 'main',
    cloneUrl: 'https://gitea.invalid/owner/owned-repository.git',
    webUrl: 'https://gitea.invalid/owner/owned-repository',
    isPrivate: true,
    isArchived: false,
    webhookId: null,
    webhookDueAt: later,
    head: null,
    wantedAt: null,
    syncedAt: null,
    dueAt: later,
    error: SECRET,
    sizeBytes: null,
  });
  return {
    examples: {
      removeCodeHost: { params: { integration_id: gitea.id } },
      finishGitLabOAuth: { body: { code: 'x', state: SECRET } },
      getGitLabOAuthURL: { body: {} },
      // The caller's own, under the owner's name: refused where the address is not public.
      connectGitea: { body: { name: 'owned-gitea', url: 'https://10.0.0.1', token: 'x' } },
      // GitHub cannot be reached from a test: what is left out is refused before it is asked.
      connectGitHub: { body: {} },
    },
    secrets: [gitea.id, repository.id, 'owned-gitea', 'owned-github', 'owned-repository'],
    shownAt: ['code-hosts', 'code-hosts/repositories', 'codehost-b/status'],
  };
};
