/** What each family of integrations is: the vendor, its connector, and how stored settings configure it. Pure. */
import type { ConnectorKind } from '@casebook/wire';
import type { SourceKind } from '../sources/index.ts';
import type { Vendors } from './configuration.ts';
import type { FamilyName } from './entities.ts';
import type { Secrets } from './vault.ts';

export type Settings = Readonly<Record<string, unknown>>;

export interface Family {
  /** As the vendor calls itself. */
  vendor: string;
  /** Undefined: its tools come from an MCP server. */
  connector?: ConnectorKind;
  /** What sources and the tools' descriptions call its kind. */
  kind: Exclude<SourceKind, 'recorded-incident' | 'prometheus' | 'loki' | 'jaeger' | 'tempo' | 'dependency-graph'>;
  /** The only name it may have, where a team has one of them. */
  name?: string;
  /** The connector's configuration. */
  config(settings: Settings, secrets: Secrets, vendors: Vendors): Settings;
  /** The connector's names of settings, where the interface has others. */
  fields?: Readonly<Record<string, string>>;
  /** Whether the team names the host, so that nothing inside the operator's network may be reached. */
  namesHost(settings: Settings): boolean;
  /** Casebook makes a secret of its own, `webhook_secret`, with which the vendor signs webhooks. */
  hasWebhooks?: true;
  /** The secret that people may recognise by its last characters. */
  shown?: string;
}

const google = (vendors: Vendors): Settings => ({
  ...(vendors.googleUrl && { api_url: vendors.googleUrl }),
  ...(vendors.googleOauthUrl && { token_url: new URL('/token', vendors.googleOauthUrl).href }),
});

const googleConfig: Family['config'] = ({ project_id }, { access_token, service_account }, vendors) => ({
  ...(project_id !== undefined && { project_id }),
  ...google(vendors),
  ...(service_account === undefined
    ? { access_token }
    : { service_account: JSON.parse(String(service_account)) as unknown }),
});

const always = (): boolean => true;
const never = (): boolean => false;

export const families: Readonly<Record<FamilyName, Family>> = {
  'apm-a': {
    vendor: 'New Relic',
    connector: 'newrelic',
    kind: 'newrelic',
    namesHost: never,
    name: 'new-relic',
    config: ({ region, account_id }, { api_key }, { newRelicUrl }) => ({
      api_key,
      region,
      ...(account_id !== undefined && { account_id }),
      ...(newRelicUrl && { api_url: newRelicUrl }),
    }),
    shown: 'api_key',
  },
  'sql-db': {
    vendor: 'PostgreSQL',
    connector: 'postgresql',
    kind: 'postgresql',
    namesHost: always,
    config: ({ username, ...settings }, { password }) => ({
      ...settings,
      user: username,
      password,
      // The team is warned instead.
      allow_powerful: true,
    }),
    fields: { user: 'username' },
  },
  'analytics-db': {
    vendor: 'ClickHouse',
    connector: 'clickhouse',
    kind: 'clickhouse',
    namesHost: always,
    config: (settings, { password }) => ({ ...settings, password }),
  },
  'cloud-monitor-a': {
    vendor: 'Azure Monitor',
    connector: 'azuremonitor',
    kind: 'azuremonitor',
    namesHost: never,
    name: 'azure-monitor',
    config: (settings, { client_secret }, vendors) => ({
      ...(client_secret === undefined && vendors.azureClient),
      ...settings,
      ...(client_secret !== undefined && { client_secret }),
      ...(vendors.azureLogAnalyticsUrl && { log_analytics_url: vendors.azureLogAnalyticsUrl }),
      ...(vendors.azureAuthorityHost && { authority_host: vendors.azureAuthorityHost }),
      ...(vendors.azureResourceManagerUrl && { resource_manager_url: vendors.azureResourceManagerUrl }),
    }),
    shown: 'client_secret',
  },
  'cloud-b': {
    vendor: 'Google Cloud',
    connector: 'googlecloud',
    kind: 'googlecloud',
    namesHost: never,
    name: 'google-cloud',
    config: googleConfig,
  },
  'cloud-b-official': {
    vendor: 'Google Cloud (tool server)',
    connector: 'googlecloud',
    kind: 'googlecloud',
    namesHost: never,
    name: 'google-cloud-official',
    config: googleConfig,
  },
  'edge-a': {
    vendor: 'Cloudflare',
    connector: 'cloudflare',
    kind: 'cloudflare',
    namesHost: never,
    name: 'cloudflare',
    config: (settings, { api_token }, { cloudflareUrl }) => ({
      ...settings,
      api_token,
      ...(cloudflareUrl && { api_url: cloudflareUrl }),
    }),
    shown: 'api_token',
  },
  mcp: { vendor: 'MCP server', kind: 'mcp', namesHost: always, config: (settings) => settings },
  github: {
    vendor: 'GitHub',
    connector: 'github',
    kind: 'github',
    config: (settings, { webhook_secret: _own, ...credential }, { githubUrl }) => ({
      url: githubUrl ?? 'https://api.github.com',
      ...settings,
      ...credential,
    }),
    namesHost: ({ url }) => url !== undefined,
    hasWebhooks: true,
    shown: 'token',
  },
  gitea: {
    vendor: 'Gitea',
    connector: 'gitea',
    kind: 'gitea',
    config: (settings, { token }) => ({ ...settings, token }),
    namesHost: always,
    hasWebhooks: true,
    shown: 'token',
  },
  'codehost-b': {
    vendor: 'GitLab',
    connector: 'gitlab',
    kind: 'gitlab',
    name: 'gitlab',
    // The URL is kept with the token, which must not be sent to a host that the operator configures later.
    config: ({ url }, { access_token }) => ({ url, token: access_token }),
    fields: { token: 'code', url: 'code' },
    namesHost: never,
    hasWebhooks: true,
  },
};

/** The interface's name of a connector's setting, if a request has it. */
export const fieldIn =
  (family: FamilyName) =>
  (field: string | undefined): string | undefined =>
    field === undefined || field === 'access_token' ? undefined : (families[family].fields?.[field] ?? field);

/** The families that are code hosts. */
export const CODE_HOST_FAMILIES = ['github', 'gitea', 'codehost-b'] as const satisfies readonly FamilyName[];
export const isCodeHost = (family: FamilyName): boolean => CODE_HOST_FAMILIES.some((one) => one === family);

/** The address at which a code host has its API. */
export const urlOf = (
  { family, settings }: { family: FamilyName; settings: Settings },
  { vendors }: { vendors: Vendors },
): string => String(families[family].config(settings, {}, vendors)['url']);

/** Names that belong to families with one integration a team. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  Object.values(families).flatMap(({ name }) => (name === undefined ? [] : [name, `${name}-service-account`])),
);

/**
 * A name as source ids and tool names have it: lower-case letters, digits, inner hyphens, at most 63. Empty if the name
 * has neither letter nor digit.
 */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/gu, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/gu, '');
