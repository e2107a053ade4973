import { z } from 'zod';
import { apiKey } from '../../http/authenticate.ts';
import type { ApiDeps } from '../../http/deps.ts';
import { endpointFor } from '../../http/endpoint.ts';
import { createApiKey, listApiKeys, revokeApiKey } from './api-keys.ts';
import type { ApiKeyAuthenticator } from './authenticator.ts';
import { addMember, listMembers, removeMember } from './members.ts';
import { presentApiKey, presentMember, presentTeam, presentUser } from './presenter.ts';
import * as schemas from './schemas.ts';
import { createTeam, currentUser, listTeams, ownTeam, renameTeam } from './service.ts';

export interface TeamsDeps extends ApiDeps {
  authenticator: ApiKeyAuthenticator;
}

const endpoint = endpointFor<TeamsDeps>();

const teams = [
  endpoint({
    method: 'get',
    path: '/api/teams',
    operationId: 'listTeams',
    summary: 'Every team of this installation',
    tags: ['Teams'],
    auth: apiKey('system:admin'),
    teamScoped: false,
    response: schemas.TeamListResponse,
    handler: async ({ em }) => ({ teams: (await listTeams(em)).map(presentTeam) }),
  }),
  endpoint({
    method: 'post',
    path: '/api/teams',
    operationId: 'createTeam',
    summary: 'Create a team',
    description: 'The answer holds the first API key of the team, which is shown this once.',
    tags: ['Teams'],
    auth: apiKey('system:admin'),
    teamScoped: false,
    body: schemas.TeamCreateRequest,
    response: schemas.TeamCreatedResponse,
    handler: async ({ em, body, principal, deps }) => {
      const request = { name: body.name, adminEmail: body.admin_email, adminName: body.admin_name };
      const { team, key, apiKey } = await createTeam(em, principal, request, deps.authenticator.hash);
      return { team: presentTeam(team), api_key: { ...presentApiKey(key), api_key: apiKey } };
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/team',
    operationId: 'getTeam',
    summary: "The caller's team",
    tags: ['Teams'],
    auth: apiKey('team:read'),
    response: schemas.TeamResponse,
    handler: async ({ em, principal }) => presentTeam(await ownTeam(em, principal)),
  }),
  endpoint({
    method: 'patch',
    path: '/api/team',
    operationId: 'updateTeam',
    summary: "Rename the caller's team",
    tags: ['Teams'],
    auth: apiKey('team:admin'),
    body: schemas.TeamUpdateRequest,
    response: schemas.TeamResponse,
    handler: async ({ em, principal, body }) => presentTeam(await renameTeam(em, principal, body.name)),
  }),
];

const members = [
  endpoint({
    method: 'get',
    path: '/api/team/members',
    operationId: 'listMembers',
    summary: "The members of the caller's team",
    tags: ['Teams'],
    auth: apiKey('team:read'),
    response: schemas.MemberListResponse,
    handler: async ({ em }) => ({
      members: (await listMembers(em)).map(({ membership, user }) => presentMember(membership, user)),
    }),
  }),
  endpoint({
    method: 'post',
    path: '/api/team/members',
    operationId: 'addMember',
    summary: "Add a person to the caller's team",
    tags: ['Teams'],
    auth: apiKey('team:admin'),
    body: schemas.MemberAddRequest,
    response: schemas.MemberResponse,
    errors: [409],
    handler: async ({ em, principal, body }) => {
      const { membership, user } = await addMember(em, principal.teamId, body);
      return presentMember(membership, user);
    },
  }),
  endpoint({
    method: 'delete',
    path: '/api/team/members/{user_id}',
    operationId: 'removeMember',
    summary: "Remove a person from the caller's team",
    description: 'API keys that act for this person in the team are revoked, and their sessions end.',
    tags: ['Teams'],
    auth: apiKey('team:admin'),
    params: z.object({ user_id: z.guid().meta({ format: 'uuid' }) }),
    response: schemas.MemberRemovedResponse,
    errors: [404, 409],
    handler: async ({ em, principal, params, deps }) => {
      const revoked = await removeMember(em, principal, params.user_id, deps.clock.now());
      for (const apiKeyId of revoked) deps.authenticator.forget(apiKeyId);
      return { user_id: params.user_id, removed: true as const };
    },
  }),
];

const apiKeys = [
  endpoint({
    method: 'get',
    path: '/api/api-keys',
    operationId: 'listApiKeys',
    summary: "The API keys of the caller's team",
    tags: ['API keys'],
    auth: apiKey('team:admin'),
    response: schemas.ApiKeyListResponse,
    handler: async ({ em }) => ({ api_keys: (await listApiKeys(em)).map(presentApiKey) }),
  }),
  endpoint({
    method: 'post',
    path: '/api/api-keys',
    operationId: 'createApiKey',
    summary: 'Create an API key',
    description:
      'The answer holds the key, which is shown this once. A key cannot grant scopes it does not have itself.',
    tags: ['API keys'],
    auth: apiKey('team:admin'),
    body: schemas.ApiKeyCreateRequest,
    response: schemas.ApiKeyCreatedResponse,
    handler: async ({ em, principal, body, deps }) => {
      const request = { name: body.name, scopes: body.scopes, userId: body.user_id };
      const { key, apiKey } = await createApiKey(em, principal, request, deps.authenticator.hash);
      return { ...presentApiKey(key), api_key: apiKey };
    },
  }),
  endpoint({
    method: 'delete',
    path: '/api/api-keys/{api_key_id}',
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key',
    description:
      'It stops working at once in this process and within two seconds in every other, and so do sessions that were ' +
      'signed in with it, or with a link that it made.',
    tags: ['API keys'],
    auth: apiKey('team:admin'),
    params: z.object({ api_key_id: z.guid().meta({ format: 'uuid' }) }),
    response: schemas.ApiKeyResponse,
    errors: [404, 409],
    handler: async ({ em, principal, params, deps }) => {
      const key = await revokeApiKey(em, principal, params.api_key_id, deps.clock.now());
      deps.authenticator.forget(key.id);
      return presentApiKey(key);
    },
  }),
];

const users = [
  endpoint({
    method: 'get',
    path: '/api/users/me',
    operationId: 'getCurrentUser',
    summary: 'Whom the API key acts for, in which team, and what it may do',
    tags: ['Teams'],
    auth: apiKey(),
    response: schemas.CurrentUserResponse,
    handler: async ({ em, principal }) => {
      const { user, role } = await currentUser(em, principal);
      return {
        user: user && presentUser(user),
        role,
        team: presentTeam(await ownTeam(em, principal)),
        api_key_id: principal.apiKeyId,
        scopes: [...principal.scopes],
      };
    },
  }),
];

export const teamsEndpoints = [...teams, ...members, ...apiKeys, ...users];
