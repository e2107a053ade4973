/** Pull requests as they end: opened, refused by the host, and in conflict with their base. */
import { CodeHostError, type CodeHost } from '@casebook/connectors';
import { anyTeam } from '../../src/db/team-filter.ts';
import { Team } from '../../src/features/identity/index.ts';
import { pullRequestWorkflowId } from '../../src/features/pull-requests/contract.ts';
import { folderCodeHosts, folderRepository, type FolderRepository } from '../features/pull-requests/code-hosts.ts';
import { fakeHost, type FakeHost } from '../features/pull-requests/host.ts';
import { storeProposal } from '../features/pull-requests/proposals.ts';
import type { Harness } from '../support/harness.ts';

function scenario(name: string, prepare: (shop: FolderRepository, host: FakeHost) => void) {
  const shop = folderRepository('00000000-0000-4000-8000-000000000000');
  const host = fakeHost(shop);
  const codeHosts = { ...folderCodeHosts([shop]), hostOf: async () => host as unknown as CodeHost };
  const begin = async (harness: Harness): Promise<{ id: string; workflowId: string }> => {
    const { orm } = harness.database;
    const [team] = await orm.em.fork().find(Team, {}, anyTeam);
    shop.row.teamId = team!.id;
    shop.origin.commit({ 'pool.ts': 'const size = 10;\n' });
    await shop.sync();
    const edits = [{ path: 'pool.ts', search: 'size = 10', replace: 'size = 20' }];
    const { investigationId } = await storeProposal(orm, shop, { edits });
    prepare(shop, host);
    await harness.request('POST', '/api/create-pr/from-investigation', { investigation_id: investigationId });
    const { body } = await harness.request('GET', '/api/pull-requests');
    const { items }: { items: { pull_request_id: string }[] } = body;
    for (const one of [shop.origin, shop.mirror]) one.remove();
    const id = items[0]!.pull_request_id;
    return { id, workflowId: pullRequestWorkflowId(id) };
  };
  return { name, script: [], codeHosts, begin };
}

export const pullRequestScenarios = [
  scenario('pull-request-opened', (_shop, host) => {
    host.next.find = [new CodeHostError('limited', 'Too many requests.', { retryAfterMs: 100 })];
  }),
  scenario('pull-request-refused', (_shop, host) => {
    host.next.create = [new CodeHostError('forbidden', 'This token may not open pull requests.')];
  }),
  scenario('pull-request-conflict', (shop) => {
    shop.origin.commit({ 'pool.ts': 'const pool = 7;\n' });
  }),
];
