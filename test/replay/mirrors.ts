/** Mirrors to be recorded: of a repository that is fetched, and of one whose host refuses. */
import { randomUUID } from 'node:crypto';
import { anyTeam, forTeam } from '../../src/db/team-filter.ts';
import { mirrorWorkflowId } from '../../src/features/code-hosts/contract.ts';
import { Repository } from '../../src/features/code-hosts/entities.ts';
import { createMirrorLauncher } from '../../src/features/code-hosts/launch.ts';
import { Team } from '../../src/features/identity/index.ts';
import { createVault } from '../../src/features/integrations/vault.ts';
import { startGitHttp } from '../support/git-http.ts';
import type { Harness } from '../support/harness.ts';
import { createIntegration } from '../support/integration-rows.ts';
import { byTurn } from '../support/scripted-model/index.ts';
import { waitUntil } from '../support/wait-until.ts';

const CREDENTIAL = { username: 'casebook', password: 'a-token' };

/** @param options.token which the host may not accept; `again`: a push during the first fetch is fetched as well */
const beginMirror =
  ({ token = CREDENTIAL.password, again = false } = {}) =>
  async ({ api, database, temporal, taskQueue }: Harness): Promise<{ id: string; workflowId: string }> => {
    const host = await startGitHttp(CREDENTIAL);
    const hosted = host.create('acme/shop');
    hosted.commit({ 'README.md': 'one\n' });
    const [team] = await database.orm.em.fork().find(Team, {}, anyTeam);
    const em = forTeam(database.orm.em, team!.id);
    const integration = createIntegration(em, createVault(api.deps.secrets), {
      teamId: team!.id,
      family: 'gitea',
      name: 'code',
      settings: { url: host.url },
      secrets: { token, webhook_secret: 's' },
    });
    const row = em.create(Repository, {
      teamId: team!.id,
      integrationId: integration.id,
      hostId: randomUUID(),
      fullName: 'acme/shop',
      defaultBranch: 'main',
      cloneUrl: hosted.cloneUrl,
      webUrl: hosted.cloneUrl,
      isPrivate: true,
      isArchived: false,
      webhookId: null,
      webhookDueAt: new Date(Date.now() + 3_600_000),
      head: null,
      wantedAt: null,
      syncedAt: null,
      dueAt: new Date(Date.now() + 3_600_000),
      error: null,
      sizeBytes: null,
    });
    await em.flush();
    const launcher = createMirrorLauncher(temporal, { taskQueue, fetchesPerHistory: 1 });
    let isPushed = !again;
    host.answer = (request) => {
      if (isPushed || request.method !== 'POST') return false;
      isPushed = true;
      hosted.commit({ 'README.md': 'two\n' });
      void launcher.want(row);
      return false;
    };
    await launcher.want(row);
    const isOver = async (): Promise<true | undefined> =>
      (await launcher.state(row.id)) === 'running' ? undefined : true;
    await waitUntil(isOver, { what: 'the mirror' });
    await host.close();
    return { id: row.id, workflowId: mirrorWorkflowId(row.id) };
  };

const shared = {
  script: byTurn([]),
  env: { CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1' },
};

export const mirrorScenarios = [
  { ...shared, name: 'mirror', begin: beginMirror() },
  { ...shared, name: 'mirror-continued-as-new', begin: beginMirror({ again: true }) },
  { ...shared, name: 'mirror-refused', begin: beginMirror({ token: 'withdrawn' }) },
];
