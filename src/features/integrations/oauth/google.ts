/** Google's authorization server, and what is asked of it. */
import { GOOGLE_READING_SCOPES, type ConnectionTest } from '@casebook/connectors';
import { z } from 'zod';
import type { Outbound } from '../../../platform/outbound/index.ts';
import type { IntegrationSettings } from '../configuration.ts';
import type { AuthorizationServer } from './client.ts';

/** @param base the operator's address in place of Google's, which has several hosts */
export function googleServer({
  vendors: { googleOauthUrl: base },
}: IntegrationSettings['integrations']): AuthorizationServer {
  const at = (usual: string, path: string): string => new URL(path, base ?? usual).href;
  return {
    issuer: base ?? 'https://accounts.google.com',
    authorization_endpoint: at('https://accounts.google.com', '/o/oauth2/v2/auth'),
    token_endpoint: at('https://oauth2.googleapis.com', '/token'),
    revocation_endpoint: at('https://oauth2.googleapis.com', '/revoke'),
  };
}

/**
 * A refresh token comes with the first consent only, unless consent is asked for again. Not the scope of Error Reporting,
 * which allows everything: who wants error groups connects a service account, whose roles bound it.
 */
export const GOOGLE_CONSENT = {
  scope: GOOGLE_READING_SCOPES.join(' '),
  access_type: 'offline',
  prompt: 'consent',
};

const projects = z.object({
  projects: z.array(z.object({ projectId: z.string(), displayName: z.string().optional() })).default([]),
});

/**
 * The projects that a token sees, at most one page of them.
 * @returns none if they cannot be listed: then the person has to name one
 */
export async function projectsOf(
  { vendors: { googleUrl } }: IntegrationSettings['integrations'],
  accessToken: string,
  outbound: Outbound,
): Promise<ConnectionTest['resources']> {
  const base =
    googleUrl === undefined ? 'https://cloudresourcemanager.googleapis.com' : `${googleUrl}/cloudresourcemanager`;
  try {
    const response = await outbound.fetch(`${base}/v3/projects:search`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    const found = response.ok ? projects.parse(await response.json()).projects : [];
    return found.map(({ projectId: id, displayName: name = id }) => ({ id, name }));
  } catch {
    return [];
  }
}
