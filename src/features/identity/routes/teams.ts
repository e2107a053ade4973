import { apiKey } from '../../../http/authenticate.ts';
import { presentApiKey, presentTeam, presentUser } from '../presenter.ts';
import * as schemas from '../schemas.ts';
import { createTeam, currentMember, listTeams, ownTeam, renameTeam } from '../teams.ts';
import { endpoint } from './deps.ts';

export const teamEndpoints = [
  endpoint({
    method: 'get',
    path: '/api/teams',
    operationId: 'listTeams',
    summary: 'List teams',
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
    description: "The response holds the team's first API key, which is shown only once.",
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
    summary: 'Get your team',
    tags: ['Teams'],
    auth: apiKey('team:read'),
    response: schemas.TeamResponse,
    handler: async ({ em, principal }) => presentTeam(await ownTeam(em, principal)),
  }),
  endpoint({
    method: 'patch',
    path: '/api/team',
    operationId: 'updateTeam',
    summary: 'Rename your team',
    tags: ['Teams'],
    auth: apiKey('team:admin'),
    body: schemas.TeamUpdateRequest,
    response: schemas.TeamResponse,
    handler: async ({ em, principal, body }) => presentTeam(await renameTeam(em, principal, body.name)),
  }),

  endpoint({
    method: 'get',
    path: '/api/users/me',
    operationId: 'getCurrentUser',
    summary: 'Get the current user, team and scopes',
    tags: ['Teams'],
    auth: apiKey(),
    response: schemas.CurrentUserResponse,
    handler: async ({ em, principal }) => {
      const member = await currentMember(em, principal);
      return {
        user: member ? presentUser(member) : null,
        role: member?.membership.role ?? null,
        team: presentTeam(await ownTeam(em, principal)),
        api_key_id: principal.credentialId,
        scopes: [...principal.scopes],
      };
    },
  }),
];
