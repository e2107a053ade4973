/** Commits of mirrors beside what the host reports: each change once. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ConnectorOperation } from '@casebook/connectors';
import type { CommitsDeps } from '../../../src/features/code-hosts/commits.ts';
import { commitChanges } from '../../../src/features/code-hosts/commits.ts';
import type { Repository } from '../../../src/features/code-hosts/entities.ts';
import type { Mirror } from '../../../src/features/code-hosts/port.ts';
import type { Integration } from '../../../src/features/integrations/index.ts';
import { sourceOf } from '../../../src/features/integrations/source.ts';
import { runGit } from '../../../src/platform/git/index.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { startGitHttp, type GitHttp } from '../../support/git-http.ts';

const T0 = 1_767_225_600;
const HOUR = 3_600;
const signal = new AbortController().signal;

describe('code hosts: changes', () => {
  let host: GitHttp;
  before(async () => {
    host = await startGitHttp();
  });
  after(() => host.close());

  it('a merge is one change; other commits to the default branch, releases and deployments are theirs', async () => {
    const shop = host.create('acme/shop');
    const base = shop.commit({ a: '1' }, { at: T0 - HOUR });
    const direct = shop.commit({ a: '2' }, { at: T0, message: 'Raise the limit\n\nBecause.', author: 'Ada' });
    const onBranch = shop.commit({ b: '1' }, { at: T0 + 60, branch: 'feature', parent: direct });
    // As hosts merge: a commit with two parents.
    const env = { GIT_AUTHOR_DATE: `@${T0 + 120} +0000`, GIT_COMMITTER_DATE: `@${T0 + 120} +0000` };
    const merge = shop.merge('feature', { message: 'Merge #1', env });
    const later = shop.commit({ 'services/cart/x': '1' }, { at: T0 + HOUR, message: 'Change the cart' });
    const row = { id: randomUUID(), teamId: randomUUID(), family: 'gitea', slug: 'code', name: 'Code' } as Integration;
    const repository = {
      id: randomUUID(),
      fullName: 'acme/shop',
      webUrl: 'https://code.example.org/acme/shop',
      head: later,
    } as Repository;
    const mirrorOf = (): Mirror =>
      ({
        gitDir: shop.path,
        git: (args: readonly string[], options = {}) => runGit('git', shop.path, args, options),
      }) as Mirror;
    const orm = {
      em: { fork: () => ({ setFilterParams: () => undefined, find: async () => [repository] }) },
    } as unknown as CommitsDeps['orm'];
    const otherChanges = commitChanges({ orm, log: createLogger({ name: 'test', level: 'silent' }), mirrorOf });
    const reported = [
      {
        id: 'acme/shop:pull_request:1',
        at: T0 + 121,
        kind: 'merge',
        service: 'shop',
        summary: 'Add b (#1)',
        commit: merge,
      },
      {
        id: 'acme/shop:deployment:9',
        at: T0 + 130,
        kind: 'deployment',
        service: 'shop',
        summary: 'to production',
        commit: direct,
      },
    ];
    const source = sourceOf(
      {
        connections: { call: async () => ({ changes: reported, truncated: false }) } as never,
        fresh: async () => ({}) as never,
        used: () => undefined,
        otherChanges,
      },
      row,
      [{ name: 'changes', tool: false } as ConnectorOperation],
      { teamId: row.teamId, toolCallId: 'call' } as never,
    );
    const changes = async (query: object) =>
      source.changes!({ from: T0 - 60, to: T0 + 2 * HOUR, ...query }, { signal });
    const all = await changes({});
    assert.deepEqual(
      all.toSorted((a, b) => a.at - b.at).map(({ kind, commit }) => [kind, commit]),
      [
        ['commit', direct],
        ['merge', merge],
        ['deployment', direct],
        ['commit', later],
      ],
    );
    assert.ok(!all.some(({ commit }) => commit === onBranch || commit === base));
    assert.deepEqual(
      all.find(({ kind, commit }) => kind === 'commit' && commit === direct),
      {
        id: `acme/shop:commit:${direct}`,
        at: T0,
        kind: 'commit',
        service: 'shop',
        summary: 'Raise the limit',
        commit: direct,
        author: 'Ada',
        url: `https://code.example.org/acme/shop/commit/${direct}`,
      },
    );
    // A service that is a directory of the repository.
    const cart = await changes({ service: 'cart' });
    assert.deepEqual(
      cart.map(({ service, commit }) => [service, commit]),
      [['cart', later]],
    );
    assert.deepEqual(await changes({ service: 'unknown' }), []);
    assert.deepEqual(await changes({ from: T0 + HOUR, to: T0 + HOUR }), reported);
  });
});
