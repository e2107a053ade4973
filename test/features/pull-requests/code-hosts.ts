/** Repositories whose host is a folder: what is pushed arrives there. */
import { randomUUID } from 'node:crypto';
import { CodeHostError } from '@casebook/connectors';
import type { CodeHosts, Mirror, Repository } from '../../../src/features/code-hosts/index.ts';
import { repositoryNotFound } from '../../../src/features/code-hosts/errors.ts';
import { createOutbound } from '../../../src/platform/outbound/index.ts';
import { bareRepository, type BareRepository } from './bare-repository.ts';

export interface FolderRepository {
  row: Repository;
  /** At the host. */
  origin: BareRepository;
  mirror: BareRepository;
  /** Fetches, as a webhook would have it done. */
  sync(): Promise<void>;
}

/** A repository row as the room stores it, of no integration. */
export const repositoryRow = (teamId: string, fullName: string): Repository => ({
  id: randomUUID(),
  createdAt: new Date(),
  updatedAt: new Date(),
  teamId,
  integrationId: null,
  hostId: fullName,
  fullName,
  defaultBranch: 'main',
  cloneUrl: `https://code.example.org/${fullName}.git`,
  webUrl: `https://code.example.org/${fullName}`,
  isPrivate: true,
  isArchived: false,
  webhookId: null,
  webhookDueAt: new Date(),
  head: null,
  wantedAt: null,
  syncedAt: new Date(),
  dueAt: new Date(),
  error: null,
  sizeBytes: null,
});

export function folderRepository(teamId: string, fullName = 'acme/shop'): FolderRepository {
  const [origin, mirror] = [bareRepository(), bareRepository()];
  const row = repositoryRow(teamId, fullName);
  return {
    row,
    origin,
    mirror,
    async sync() {
      await mirror.git([
        '-c',
        'protocol.file.allow=always',
        'fetch',
        '--quiet',
        '--prune',
        origin.path,
        '+refs/heads/*:refs/heads/*',
      ]);
    },
  };
}

/** `hostOf` and `onWebhook` are for the test to replace. */
export function folderCodeHosts(repositories: readonly FolderRepository[]): CodeHosts {
  const of = ({ id }: Repository): FolderRepository => {
    const found = repositories.find(({ row }) => row.id === id);
    if (!found) throw new CodeHostError('not_found', 'no such repository');
    return found;
  };
  return {
    networkOf: async () => createOutbound({ allow: [] }).network,
    hostOf: () => Promise.reject(new CodeHostError('unavailable', 'There is no host in this test.')),
    async find(_em, fullName) {
      const found = repositories.find(({ row }) => row.fullName === fullName);
      if (!found) throw repositoryNotFound(fullName);
      return found.row;
    },
    list: async () => repositories.map(({ row }) => row),
    mirrorOf: (repository): Mirror => mirrorOf(of(repository)),
    onWebhook: () => undefined,
  };
}

function mirrorOf({ mirror, origin, row, sync }: FolderRepository): Mirror {
  return {
    gitDir: mirror.path,
    git: (args, options) => mirror.git(args, options),
    async head(branch = row.defaultBranch) {
      const args = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`];
      const { stdout, code } = await mirror.git(args, { accept: [1, 128] });
      if (code !== 0) throw new CodeHostError('not_found', `There is no branch ${JSON.stringify(branch)}`);
      return stdout.toString().trim();
    },
    async resolve(revision) {
      const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
      const { stdout, code } = await mirror.git(args, { accept: [1, 128] });
      return code === 0 ? stdout.toString().trim().split('\n').at(-1) : undefined;
    },
    fetchNow: sync,
    async push(refspecs) {
      const args = ['-c', 'protocol.file.allow=always', 'push', '--quiet', '--atomic', '--porcelain'];
      const { code } = await mirror.git([...args, origin.path, ...refspecs], { accept: [1] });
      if (code !== 0) throw new CodeHostError('conflict', 'Git: rejected');
    },
  };
}
