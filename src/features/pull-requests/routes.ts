import { apiKey } from '../../http/authenticate.ts';
import type { ApiDeps } from '../../http/deps.ts';
import { endpointFor } from '../../http/endpoint.ts';
import type { PullRequestDeps } from './deps.ts';
import { openFromChat, openFromInvestigation } from './open.ts';
import { presentCreated, presentPullRequest } from './presenter.ts';
import { getPullRequest, listBranches, listPullRequests } from './queries.ts';
import {
  BranchesQuery,
  BranchesResponse,
  ChatCreatePRRequest,
  CreatePRResponse,
  InvestigationCreatePRRequest,
  PullRequestListQuery,
  PullRequestListResponse,
  PullRequestParams,
  PullRequestResponse,
} from './schemas.ts';

const READ = 'pull-requests:read';
const WRITE = 'pull-requests:write';
const tags = ['Pull requests'];
const WAITS =
  'Returns once it is open at the host, or after 20 seconds as pending; follow says where to read its state. ' +
  'A repeated request returns the same pull request.';

const endpoint = endpointFor<ApiDeps & { pullRequests: PullRequestDeps }>();

const fromChat = endpoint({
  method: 'post',
  path: '/api/create-pr/from-chat',
  operationId: 'createPullRequestFromChat',
  summary: 'Open the pull request that a chat suggests',
  description: WAITS,
  tags,
  auth: apiKey(WRITE),
  body: ChatCreatePRRequest,
  response: CreatePRResponse,
  errors: [404, 409],
  handler: async ({ body, deps, em, principal, signal }) => {
    const { chat_id: chatId, tool_call_id: toolCallId, ...options } = body;
    return presentCreated(
      await openFromChat(deps.pullRequests, em, principal, { chatId, toolCallId, ...options }, signal),
    );
  },
});

const fromInvestigation = endpoint({
  method: 'post',
  path: '/api/create-pr/from-investigation',
  operationId: 'createPullRequestFromInvestigation',
  summary: 'Open the pull request that an investigation recommends',
  description: WAITS,
  tags,
  auth: apiKey(WRITE),
  body: InvestigationCreatePRRequest,
  response: CreatePRResponse,
  errors: [404, 409],
  handler: async ({ body, deps, em, principal, signal }) => {
    const { investigation_id: investigationId, ...options } = body;
    return presentCreated(
      await openFromInvestigation(deps.pullRequests, em, principal, { investigationId, ...options }, signal),
    );
  },
});

const branches = endpoint({
  method: 'get',
  path: '/api/create-pr/branches',
  operationId: 'listPullRequestBranches',
  summary: 'List the branches that a pull request can be merged into',
  tags,
  auth: apiKey(READ),
  query: BranchesQuery,
  response: BranchesResponse,
  errors: [404],
  handler: async ({ query, deps, em, signal }) => {
    const found = await listBranches(deps.pullRequests, em, query.repo, signal);
    const { repository, defaultBranch, truncated } = found;
    return {
      repository,
      default_branch: defaultBranch,
      branches: found.branches.map((branch) => ({ ...branch, is_default: branch.name === defaultBranch })),
      truncated,
    };
  },
});

const list = endpoint({
  method: 'get',
  path: '/api/pull-requests',
  operationId: 'listPullRequests',
  summary: 'List pull requests, newest first',
  tags,
  auth: apiKey(READ),
  query: PullRequestListQuery,
  response: PullRequestListResponse,
  handler: async ({ query, em }) => {
    const { investigation_id: investigationId, chat_id: chatId, status, page, count } = query;
    const { items, total } = await listPullRequests(em, { investigationId, chatId, status, page, count });
    return { items: items.map(presentPullRequest), page, count, total };
  },
});

const get = endpoint({
  method: 'get',
  path: '/api/pull-requests/{pull_request_id}',
  operationId: 'getPullRequest',
  summary: 'Get a pull request and its state at the host',
  tags,
  auth: apiKey(READ),
  params: PullRequestParams,
  response: PullRequestResponse,
  errors: [404],
  handler: async ({ params, em }) => presentPullRequest(await getPullRequest(em, params.pull_request_id)),
});

export const pullRequestEndpoints = [fromChat, fromInvestigation, branches, list, get];
