import { z } from 'zod';
import { apiKey } from '../../../http/authenticate.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '../credentials.ts';
import type { Scopes } from '../../../room.ts';
import { presentApiKey } from '../presenter.ts';
import { apiKeySchemas, ApiKeyCreatedResponse, ApiKeyResponse } from '../schemas.ts';
import { endpoint } from './deps.ts';

/** @param scopes those of all rooms */
export function apiKeyEndpoints(scopes: Scopes) {
  const { ApiKeyListResponse, ApiKeyCreateRequest } = apiKeySchemas(Object.keys(scopes));
  const scopeList = Object.entries(scopes).map(([scope, { allows }]) => ({ scope, allows }));
  return [
    endpoint({
      method: 'get',
      path: '/api/api-keys',
      operationId: 'listApiKeys',
      summary: 'List API keys',
      tags: ['API keys'],
      auth: apiKey('team:admin'),
      response: ApiKeyListResponse,
      handler: async ({ em }) => ({ api_keys: (await listApiKeys(em)).map(presentApiKey), scopes: scopeList }),
    }),
    endpoint({
      method: 'post',
      path: '/api/api-keys',
      operationId: 'createApiKey',
      summary: 'Create an API key',
      description:
        'The response holds the key, which is shown only once. A key can neither grant scopes it lacks nor act for an admin other than the caller.',
      tags: ['API keys'],
      auth: apiKey('team:admin'),
      body: ApiKeyCreateRequest,
      response: ApiKeyCreatedResponse,
      handler: async ({ em, principal, body, deps }) => {
        const expiresAt = body.expires_at == null ? undefined : new Date(body.expires_at);
        const request = { name: body.name, scopes: body.scopes, userId: body.user_id, expiresAt };
        const terms = { hash: deps.authenticator.hash, now: deps.clock.now() };
        const { key, apiKey } = await createApiKey(em, principal, request, terms);
        return { ...presentApiKey(key), api_key: apiKey };
      },
    }),
    endpoint({
      method: 'delete',
      path: '/api/api-keys/{api_key_id}',
      operationId: 'revokeApiKey',
      summary: 'Revoke an API key',
      description:
        'It stops working at once in this process and within two seconds in every other, and so does everything derived from it: ' +
        'sessions, links and keys created with it, directly or not. A key that revokes the key it was created with takes its place.',
      tags: ['API keys'],
      auth: apiKey('team:admin'),
      params: z.object({ api_key_id: z.guid().meta({ format: 'uuid' }) }),
      response: ApiKeyResponse,
      errors: [404, 409],
      handler: async ({ em, principal, params, deps }) => {
        const { key, revoked } = await revokeApiKey(em, principal, params.api_key_id, deps.clock.now());
        deps.authenticator.forget(revoked);
        return presentApiKey(key);
      },
    }),
  ];
}
