import { z } from 'zod';
import { httpApiConfig } from '../shared/http-api/config.ts';

const id = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.guid({ error: 'must be an id such as 2d1b5f1c-0000-4000-8000-3a1f0c6d9e2b' }));
const { url } = httpApiConfig.shape;

/** A service principal, and what it reads. The URLs are those of a sovereign cloud or a proxy. */
export const azureMonitorConfig = z.strictObject({
  tenant_id: id,
  subscription_id: id,
  client_id: id,
  client_secret: z.string().trim().min(1).max(1_000),
  /** The Log Analytics workspace that queries are about, unless they name another. */
  workspace_id: id.optional(),
  authority_host: url.default('https://login.microsoftonline.com'),
  resource_manager_url: url.default('https://management.azure.com'),
  log_analytics_url: url.default('https://api.loganalytics.io'),
});

export type AzureMonitorConfig = z.output<typeof azureMonitorConfig>;
