import { z } from 'zod';
import { apiKey } from '../../../http/authenticate.ts';
import { addMember, listMembers, removeMember } from '../members.ts';
import { presentMember } from '../presenter.ts';
import * as schemas from '../schemas.ts';
import { endpoint } from './deps.ts';

export const memberEndpoints = [
  endpoint({
    method: 'get',
    path: '/api/team/members',
    operationId: 'listMembers',
    summary: 'List members',
    tags: ['Teams'],
    auth: apiKey('team:read'),
    response: schemas.MemberListResponse,
    handler: async ({ em }) => ({
      members: (await listMembers(em)).map(presentMember),
    }),
  }),
  endpoint({
    method: 'post',
    path: '/api/team/members',
    operationId: 'addMember',
    summary: 'Add a member',
    tags: ['Teams'],
    auth: apiKey('team:admin'),
    body: schemas.MemberAddRequest,
    response: schemas.MemberResponse,
    errors: [409],
    handler: async ({ em, principal, body }) => presentMember(await addMember(em, principal, body)),
  }),
  endpoint({
    method: 'delete',
    path: '/api/team/members/{user_id}',
    operationId: 'removeMember',
    summary: 'Remove a member',
    description:
      'Revokes the API keys and links that act for this person in the team or that they created, and everything derived ' +
      'from those. Their sessions end.',
    tags: ['Teams'],
    auth: apiKey('team:admin'),
    params: z.object({ user_id: z.guid().meta({ format: 'uuid' }) }),
    response: schemas.MemberRemovedResponse,
    errors: [404, 409],
    handler: async ({ em, principal, params, deps }) => {
      const revoked = await removeMember(em, principal, params.user_id, deps.clock.now());
      deps.authenticator.forget(revoked);
      return { user_id: params.user_id, removed: true as const };
    },
  }),
];
