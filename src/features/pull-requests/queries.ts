import type { EntityManager } from '../../db/orm.ts';
import type { CodeHosts } from '../code-hosts/index.ts';
import type { PullRequestStatus } from './contract.ts';
import { PullRequest } from './entities.ts';
import { pullRequestNotFound } from './errors.ts';

export interface PullRequestQuery {
  investigationId?: string | undefined;
  chatId?: string | undefined;
  status?: PullRequestStatus | undefined;
  /** 1-based. */
  page: number;
  count: number;
}

/** The team's pull requests, the newest first. @param em bound to the team */
export async function listPullRequests(
  em: EntityManager,
  { investigationId, chatId, status, page, count }: PullRequestQuery,
): Promise<{ items: PullRequest[]; total: number }> {
  const [items, total] = await em.findAndCount(
    PullRequest,
    {
      ...(investigationId !== undefined && { origin: 'investigation', createdInConversationId: investigationId }),
      ...(chatId !== undefined && { origin: 'chat', createdInConversationId: chatId }),
      ...(status !== undefined && { status }),
    },
    { orderBy: { createdAt: 'desc', id: 'desc' }, limit: count, offset: (page - 1) * count },
  );
  return { items, total };
}

const MAX_OPENED = 20;

/** The pull requests opened from an investigation, the newest first. @param em bound to the team */
export async function openedFrom(
  em: EntityManager,
  investigationId: string,
): Promise<Pick<PullRequest, 'id' | 'repository' | 'title' | 'status' | 'number' | 'url'>[]> {
  const { items } = await listPullRequests(em, { investigationId, page: 1, count: MAX_OPENED });
  return items.map(({ id, repository, title, status, number, url }) => ({
    id,
    repository,
    title,
    status,
    number,
    url,
  }));
}

/** @throws {NotFound} */
export async function getPullRequest(em: EntityManager, id: string): Promise<PullRequest> {
  const row = await em.findOne(PullRequest, { id });
  if (!row) throw pullRequestNotFound();
  return row;
}

const MAX_BRANCHES = 500;

export interface Branches {
  repository: string;
  defaultBranch: string;
  branches: { name: string; commit: string }[];
  truncated: boolean;
}

/** The branches of a repository that a pull request can be merged into, from its mirror. @throws {NotFound} */
export async function listBranches(
  { codeHosts }: { codeHosts: Pick<CodeHosts, 'find' | 'mirrorOf'> },
  em: EntityManager,
  fullName: string,
  signal: AbortSignal,
): Promise<Branches> {
  const repository = await codeHosts.find(em, fullName);
  const { defaultBranch } = repository;
  const { stdout } = await codeHosts
    .mirrorOf(repository)
    .git(
      [
        'for-each-ref',
        '--sort=-committerdate',
        `--count=${2 * MAX_BRANCHES}`,
        '--format=%(objectname) %(refname:lstrip=2)',
        'refs/heads/',
      ],
      { signal },
    );
  const all = stdout
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => ({ commit: line.slice(0, line.indexOf(' ')), name: line.slice(line.indexOf(' ') + 1) }))
    // Ours hold proposed changes.
    .filter(({ name }) => !name.startsWith('casebook/'));
  const branches = [
    ...all.filter(({ name }) => name === defaultBranch),
    ...all.filter(({ name }) => name !== defaultBranch),
  ];
  return {
    repository: repository.fullName,
    defaultBranch,
    branches: branches.slice(0, MAX_BRANCHES),
    truncated: branches.length > MAX_BRANCHES,
  };
}
