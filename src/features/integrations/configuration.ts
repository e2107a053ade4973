import { z } from 'zod';
import { optional } from '../../config.ts';

const url = optional(z.url({ protocol: /^https?$/u }));

/** Where the vendors are reached: regions, sovereign clouds, proxies. The operator's, so the outbound guard allows them. */
export interface VendorAddresses {
  newRelicUrl: string | undefined;
  cloudflareUrl: string | undefined;
  azureAuthorityHost: string | undefined;
  azureResourceManagerUrl: string | undefined;
  azureLogAnalyticsUrl: string | undefined;
  googleOauthUrl: string | undefined;
  googleUrl: string | undefined;
  githubUrl: string | undefined;
  gitlabUrl: string | undefined;
}

/** What the installation brings to connections to vendors. */
export interface Vendors extends VendorAddresses {
  /** A service principal for teams that bring none. */
  azureClient: { client_id: string; client_secret: string } | undefined;
}

export const configuration = z
  .object({
    NEW_RELIC_API_URL: url,
    CLOUDFLARE_API_URL: url,
    AZURE_AUTHORITY_HOST: url,
    AZURE_RESOURCE_MANAGER_URL: url,
    AZURE_LOG_ANALYTICS_URL: url,
    AZURE_CLIENT_ID: optional(z.uuid()),
    AZURE_CLIENT_SECRET: optional(z.string()),
    GOOGLE_OAUTH_URL: url,
    GOOGLE_API_URL: url,
    GOOGLE_CLIENT_ID: optional(z.string()),
    GOOGLE_CLIENT_SECRET: optional(z.string()),
    CASEBOOK_GITHUB_API_URL: url,
    CASEBOOK_GITLAB_URL: url,
    GITLAB_CLIENT_ID: optional(z.string()),
    GITLAB_CLIENT_SECRET: optional(z.string()),
    CASEBOOK_TOOL_SERVERS_DIR: optional(z.string()),
  })
  .transform((e) => ({
    integrations: {
      vendors: {
        newRelicUrl: e.NEW_RELIC_API_URL,
        cloudflareUrl: e.CLOUDFLARE_API_URL,
        azureAuthorityHost: e.AZURE_AUTHORITY_HOST,
        azureResourceManagerUrl: e.AZURE_RESOURCE_MANAGER_URL,
        azureLogAnalyticsUrl: e.AZURE_LOG_ANALYTICS_URL,
        googleOauthUrl: e.GOOGLE_OAUTH_URL,
        googleUrl: e.GOOGLE_API_URL,
        githubUrl: e.CASEBOOK_GITHUB_API_URL,
        gitlabUrl: e.CASEBOOK_GITLAB_URL,
        azureClient:
          e.AZURE_CLIENT_ID !== undefined && e.AZURE_CLIENT_SECRET !== undefined
            ? { client_id: e.AZURE_CLIENT_ID, client_secret: e.AZURE_CLIENT_SECRET }
            : undefined,
      } satisfies Vendors,
      /** The installation's own OAuth client at Google; a team may bring another. */
      googleClient:
        e.GOOGLE_CLIENT_ID !== undefined && e.GOOGLE_CLIENT_SECRET !== undefined
          ? { id: e.GOOGLE_CLIENT_ID, secret: e.GOOGLE_CLIENT_SECRET }
          : undefined,
      /** The installation's own application at GitLab; a team may bring another. One that is not confidential has no secret. */
      gitlabClient:
        e.GITLAB_CLIENT_ID === undefined ? undefined : { id: e.GITLAB_CLIENT_ID, secret: e.GITLAB_CLIENT_SECRET },
      /** Where `npm install --prefix` has put vendors' tool servers; otherwise they are looked for in the project. */
      toolServersFolder: e.CASEBOOK_TOOL_SERVERS_DIR,
    },
  }));

/** The addresses alone. */
export const addressesOf = ({ azureClient: _client, ...addresses }: Vendors): string[] =>
  Object.values(addresses).filter((address) => address !== undefined);

export type IntegrationSettings = z.output<typeof configuration>;
