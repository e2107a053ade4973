/** Azure's MCP server, in its namespace for monitoring. */
import { z } from 'zod';
import { parseJson } from '../../../platform/parse-json.ts';
import { families } from '../families.ts';
import type { VendorServer } from './port.ts';

/** The clouds that Azure's server knows, by their authority and resource manager. */
const AZURE_CLOUDS: Readonly<Record<string, string>> = {
  'login.microsoftonline.com management.azure.com': 'AzureCloud',
  'login.microsoftonline.us management.usgovcloudapi.net': 'AzureUSGovernment',
  'login.chinacloudapi.cn management.chinacloudapi.cn': 'AzureChinaCloud',
};

const principal = z.object({
  tenant_id: z.string(),
  subscription_id: z.string(),
  client_id: z.string(),
  client_secret: z.string(),
});
const azureResult = z.object({ status: z.number(), results: z.record(z.string(), z.unknown()).nullish() });
/** Not about the question: sign-in, rights, limits. */
const NOT_ASKED: ReadonlySet<number> = new Set([401, 403, 408, 429]);

export const azure: VendorServer = {
  package: '@azure/mcp',
  version: '2.0.5',
  hidden: /^(?:tenant|subscription|auth-method|retry-.+)$/u,
  fixed: ({ tenant_id, subscription_id }) => ({ tenant: tenant_id, subscription: subscription_id }),
  meaning(content) {
    const parsed = azureResult.safeParse(parseJson(content));
    if (!parsed.success) return undefined;
    const { status, results } = parsed.data;
    if (status >= 500 || NOT_ASKED.has(status)) return { content, answer: 'unavailable' };
    if (status >= 400) return { content, answer: 'refused' };
    const found = Object.values(results ?? {});
    return { content, answer: found.every((one) => Array.isArray(one) && one.length === 0) ? 'nothing' : 'data' };
  },
  start({ azureAuthorityHost, azureResourceManagerUrl }) {
    const authority = new URL(azureAuthorityHost ?? 'https://login.microsoftonline.com').host;
    const manager = new URL(azureResourceManagerUrl ?? 'https://management.azure.com').host;
    const cloud = AZURE_CLOUDS[`${authority} ${manager}`];
    if (cloud === undefined) return undefined;
    return {
      args: ['server', 'start', '--mode', 'all', '--namespace', 'monitor', '--read-only', '--cloud', cloud],
      // Not the identity of the machine, which other credentials would fall back to.
      env: { AZURE_MCP_COLLECT_TELEMETRY: 'false', AZURE_TOKEN_CREDENTIALS: 'EnvironmentCredential' },
    };
  },
  credentials(target, { vendors }) {
    const { config } = families['cloud-monitor-a'];
    const parsed = principal.safeParse(config(target.settings, target.secrets, vendors));
    if (!parsed.success) return undefined;
    const { tenant_id, subscription_id, client_id, client_secret } = parsed.data;
    return {
      env: {
        AZURE_TENANT_ID: tenant_id,
        AZURE_SUBSCRIPTION_ID: subscription_id,
        AZURE_CLIENT_ID: client_id,
        AZURE_CLIENT_SECRET: client_secret,
      },
    };
  },
};
