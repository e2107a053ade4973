import { z } from 'zod';
import { apiKey } from '../../../http/authenticate.ts';
import { endpointFor } from '../../../http/endpoint.ts';
import { presentToken } from '../presenter.ts';
import * as schemas from '../schemas.ts';
import { createToken, listTokens, revokeToken } from '../tokens.ts';
import type { SatelliteDeps } from './deps.ts';

const endpoint = endpointFor<SatelliteDeps>();

export const tokenEndpoints = [
  endpoint({
    method: 'post',
    path: '/api/satellite-tokens',
    operationId: 'createSatelliteToken',
    summary: 'Create an enrolment token for satellites',
    description:
      'The token is only in this response. It lets satellites of this team connect, and nothing more. It is revoked with the key or session that created it, and when the member who created it leaves the team.',
    tags: ['Satellites'],
    auth: apiKey('satellites:write'),
    body: schemas.SatelliteTokenCreateRequest,
    response: schemas.SatelliteTokenCreatedResponse,
    handler: async ({ em, body, principal, deps }) => {
      const expiresAt = body.expires_at == null ? undefined : new Date(body.expires_at);
      const made = await createToken(
        em,
        principal,
        { name: body.name, expiresAt },
        { pepper: deps.satellites.tokenPepper, now: deps.clock.now() },
      );
      return { ...presentToken(made.row), token: made.token };
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/satellite-tokens',
    operationId: 'listSatelliteTokens',
    summary: 'List enrolment tokens, newest first',
    tags: ['Satellites'],
    auth: apiKey('satellites:read'),
    response: schemas.SatelliteTokenListResponse,
    handler: async ({ em }) => ({ tokens: (await listTokens(em)).map(presentToken) }),
  }),
  endpoint({
    method: 'delete',
    path: '/api/satellite-tokens/{token_id}',
    operationId: 'revokeSatelliteToken',
    summary: 'Revoke an enrolment token',
    description: 'Satellites connected with it are disconnected within seconds.',
    tags: ['Satellites'],
    auth: apiKey('satellites:write'),
    params: z.object({ token_id: z.uuid() }),
    response: schemas.SatelliteTokenResponse,
    errors: [404],
    handler: async ({ em, principal, params, deps }) =>
      presentToken(await revokeToken(em, principal, params.token_id, deps.clock.now())),
  }),
];
