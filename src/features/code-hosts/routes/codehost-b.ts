/** GitLab, with the consent of a person. */
import { endpointFor } from '../../../http/endpoint.ts';
import { askGitLab, connectGitLab, findOnly, removeOnly } from '../../integrations/index.ts';
import type { CodeHostDeps } from '../deps.ts';
import { removeRepositories } from '../listing.ts';
import { presentHosts } from '../presenter.ts';
import * as schemas from '../schemas.ts';
import { resyncGitLab } from '../service.ts';
import { presentConnected, reading, tags, writing } from './code-hosts.ts';

const endpoint = endpointFor<CodeHostDeps>();
const prefix = '/api/codehost-b';
const family = 'codehost-b';
const slug = 'gitlab';

export const codehostB = [
  endpoint({
    method: 'post',
    path: `${prefix}/oauth/url`,
    operationId: 'getGitLabOAuthURL',
    summary: 'Begin to connect GitLab with the consent of a person',
    description: 'Nothing is stored before `callback` brings the code.',
    tags,
    auth: writing,
    body: schemas.GitLabOAuthURLRequest,
    response: schemas.GitLabOAuthURLResponse,
    handler: async ({ em, body, principal, deps }) => {
      const { url, state } = await askGitLab(deps, em, principal, body);
      return { authorization_url: url, state };
    },
  }),
  endpoint({
    method: 'post',
    path: `${prefix}/oauth/callback`,
    operationId: 'finishGitLabOAuth',
    summary: 'Finish connecting GitLab with the code that the browser brought back',
    tags,
    auth: writing,
    body: schemas.GitLabOAuthCallbackRequest,
    response: schemas.GitLabOAuthCallbackResponse,
    errors: [409, 503],
    handler: async ({ em, body, principal, deps, signal }) => {
      const row = await connectGitLab(deps, em, principal, body, signal);
      const status = row.status === 'connected' ? ('connected' as const) : ('failing' as const);
      return { status, ...(await presentConnected(deps, em, row, signal)) };
    },
  }),
  endpoint({
    method: 'get',
    path: `${prefix}/status`,
    operationId: 'getGitLabStatus',
    summary: 'Get the state of the connection to GitLab',
    tags,
    auth: reading,
    response: schemas.GitLabStatusResponse,
    handler: async ({ em, deps: { integrations } }) => {
      const row = await findOnly(em, family, slug);
      if (!row)
        return {
          connected: false,
          status: 'not_connected' as const,
          error: null,
          last_checked_at: null,
          code_host: null,
        };
      const [host] = await presentHosts(integrations, em, [row]);
      const { status, error, last_checked_at } = host!;
      return { connected: status === 'connected', status, error, last_checked_at, code_host: host! };
    },
  }),
  endpoint({
    method: 'post',
    path: `${prefix}/resync`,
    operationId: 'resyncGitLab',
    summary: "List GitLab's repositories again, and fetch every mirror",
    tags,
    auth: writing,
    response: schemas.GitLabResyncResponse,
    errors: [409, 503],
    handler: async ({ em, deps: { integrations, codeHostListings }, signal }) => {
      const { row, wanted } = await resyncGitLab(codeHostListings, em.fork(), signal);
      const [host] = await presentHosts(integrations, em, [row]);
      const { repositories, listed_at, listing_error, webhooks, webhook_error } = host!;
      return { repositories, listed_at, listing_error, webhooks, webhook_error, wanted };
    },
  }),
  endpoint({
    method: 'delete',
    path: `${prefix}/`,
    operationId: 'removeGitLab',
    summary: 'Remove the connection to GitLab, its webhooks and mirrors',
    description: 'The tokens are revoked at GitLab too.',
    tags,
    auth: writing,
    response: schemas.GitLabRemoveResponse,
    handler: async ({ em, principal, deps: { integrations, codeHostListings } }) => ({
      removed: await removeOnly(
        integrations.service,
        em,
        principal,
        family,
        slug,
        removeRepositories(codeHostListings),
      ),
    }),
  }),
];
