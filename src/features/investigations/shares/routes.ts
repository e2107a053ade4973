import { apiKey, unlessGuessing, type Principal } from '../../../http/authenticate.ts';
import { NotFound } from '../../../http/errors.ts';
import { endpoint } from '../deps.ts';
import { InvestigationParams } from '../schemas.ts';
import { presentShare, presentShared } from './presenter.ts';
import {
  ShareCreatedResponse,
  SharedHeaders,
  SharedReportResponse,
  ShareListResponse,
  ShareParams,
  ShareRequest,
  ShareResponse,
} from './schemas.ts';
import { createShare, listShares, openShare, revokeShare } from './service.ts';

/** Whoever shares a report may read it. */
const SHARE = apiKey('investigations:read', 'investigations:share');
const tags = ['Investigations'];

/** Who did it, for the log. */
const actorIn = ({ teamId, userId, credentialId }: Principal) => ({ teamId, userId, credentialId });

const listAll = endpoint({
  method: 'get',
  path: '/api/investigations/{investigation_id}/shares',
  operationId: 'listInvestigationShares',
  summary: 'List the active read-only links to a report',
  tags,
  auth: SHARE,
  params: InvestigationParams,
  response: ShareListResponse,
  errors: [404],
  handler: async ({ params, em, deps }) => ({
    shares: (await listShares(em, params.investigation_id, deps.clock.now())).map(presentShare),
  }),
});

const create = endpoint({
  method: 'post',
  path: '/api/investigations/{investigation_id}/shares',
  operationId: 'shareInvestigation',
  summary: 'Create a read-only link to a report',
  description:
    'Anyone who has the link can read the report without signing in, until it expires or is revoked. It is revoked with the API key or session that created it, and when the person who created it leaves the team.',
  tags,
  auth: SHARE,
  params: InvestigationParams,
  body: ShareRequest,
  response: ShareCreatedResponse,
  errors: [404, 409],
  handler: async ({ params, body, em, principal, deps, log }) => {
    const wanted = { investigationId: params.investigation_id, label: body.label, days: body.expires_in_days };
    const terms = { pepper: deps.sharePepper, now: deps.clock.now() };
    const { share, token } = await createShare(em, principal, wanted, terms);
    const presented = presentShare(share);
    const { id: shareId, expires_at: expiresAt } = presented;
    log.info({ shareId, investigationId: params.investigation_id, expiresAt, ...actorIn(principal) }, 'report shared');
    return { ...presented, token, url: `${deps.links.appUrl}/shared#${token}` };
  },
});

const revoke = endpoint({
  method: 'delete',
  path: '/api/investigations/{investigation_id}/shares/{share_id}',
  operationId: 'revokeInvestigationShare',
  summary: 'Revoke a read-only link to a report',
  description: 'It stops working at once. Revoking it again changes nothing.',
  tags,
  auth: SHARE,
  params: ShareParams,
  response: ShareResponse,
  errors: [404],
  handler: async ({ params, em, principal, deps, log }) => {
    const { investigation_id: investigationId, share_id: id } = params;
    const share = await revokeShare(em, principal, { investigationId, id }, deps.clock.now());
    log.info({ shareId: id, investigationId, ...actorIn(principal) }, 'shared report revoked');
    return presentShare(share);
  },
});

const read = endpoint({
  method: 'get',
  path: '/api/shared',
  operationId: 'getSharedReport',
  summary: 'Read the report that a read-only link leads to',
  description: 'Needs no API key. Unknown tokens count as failed sign-ins of the address they come from.',
  tags,
  auth: 'none',
  headers: SharedHeaders,
  response: SharedReportResponse,
  errors: [404],
  handler: async ({ ctx, headers, em, deps, log }) => {
    ctx.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' });
    const terms = { pepper: deps.sharePepper, now: deps.clock.now() };
    const opened = await unlessGuessing(ctx, deps, () => openShare(em, headers['x-share-token'], terms));
    if (!opened || opened === 'ended') throw new NotFound('This link has expired, was revoked, or never existed.');
    const { row, investigation } = opened;
    const { id: shareId, teamId, investigationId } = row;
    log.info({ shareId, investigationId, teamId }, 'shared report opened');
    return presentShared(opened, investigation);
  },
});

export const shareEndpoints = [listAll, create, revoke, read];
