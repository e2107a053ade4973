/** What the gallery says of each vendor, and what its form asks for, in the vendor's words. */
import { CODE_HOSTS } from './code-hosts.ts';
import type { Family } from './queries.ts';

export interface FormField {
  /** As in the request; a dot leads into a member. */
  name: string;
  label: string;
  hint?: string;
  kind?: 'text' | 'password' | 'number' | 'choice' | 'area' | 'satellite';
  /** For a choice: value and label. */
  choices?: readonly (readonly [value: string, label: string])[];
  /** What the form starts with. */
  initial?: string;
  isOptional?: boolean;
  /** Cannot be changed later: another one is another integration. */
  isFixed?: boolean;
}

export interface Vendor {
  /** Unique in the gallery. */
  id: string;
  family: Family;
  title: string;
  /** What it gives a run. */
  gives: string;
  /** Where the request goes; `{family}` is the value of that field. */
  path: string;
  /** Whether a team may have several. */
  canRepeat?: boolean;
  fields: readonly FormField[];
  /** How to make a credential that may do no more than it needs, and the vendor's page where it is made. */
  credential: { text: string; code?: string; link?: { to: string; label: string } };
  /** Whose page opens for consent, instead of a credential. */
  consentAt?: string;
}

const NAME: FormField = {
  name: 'name',
  label: 'Name',
  hint: 'The name used in questions and tool names, such as orders-db.',
};
const CERTIFICATE: FormField = {
  name: 'ca_certificate',
  label: 'CA certificate (PEM)',
  kind: 'area',
  isOptional: true,
};
const GOOGLE_TOOLS: FormField = {
  name: 'family',
  label: 'Tools',
  kind: 'choice',
  initial: 'cloud-b',
  choices: [
    ['cloud-b', "Casebook's own tools"],
    ['cloud-b-official', "Google's own tool server, if the operator has installed it"],
  ],
  isFixed: true,
};
const VIA: FormField = { name: 'via', label: 'Reached by', kind: 'satellite', isOptional: true };

export const VENDORS: readonly Vendor[] = [
  {
    id: 'sql-db',
    family: 'sql-db',
    title: 'PostgreSQL',
    gives:
      'Read-only SQL, plans, slow statements, locks and who blocks whom, connections, replication, sizes, unused indexes',
    path: '/api/onboarding/sql-db/integrations',
    canRepeat: true,
    fields: [
      NAME,
      { name: 'host', label: 'Host' },
      { name: 'port', label: 'Port', kind: 'number', initial: '5432' },
      { name: 'database', label: 'Database' },
      { name: 'username', label: 'User' },
      { name: 'password', label: 'Password', kind: 'password' },
      {
        name: 'ssl_mode',
        label: 'SSL mode',
        kind: 'choice',
        initial: 'prefer',
        choices: [
          ['disable', 'disable: never encrypted'],
          ['prefer', 'prefer: encrypted if the server can'],
          ['require', 'require: encrypted, whoever answers'],
          ['verify-ca', 'verify-ca: certificate is checked'],
          ['verify-full', 'verify-full: certificate and host are checked'],
        ],
      },
      CERTIFICATE,
      VIA,
    ],
    credential: {
      text: 'Create a role that only reads:',
      code: "create role casebook login password '…';\ngrant pg_read_all_data, pg_monitor to casebook;\ncreate extension if not exists pg_stat_statements;",
      link: {
        to: 'https://www.postgresql.org/docs/current/predefined-roles.html',
        label: 'PostgreSQL: predefined roles',
      },
    },
  },
  {
    id: 'analytics-db',
    family: 'analytics-db',
    title: 'ClickHouse',
    gives: 'Read-only SQL, slow queries, parts and merges, replicas, errors',
    path: '/api/onboarding/analytics-db/integrations',
    canRepeat: true,
    fields: [
      NAME,
      { name: 'url', label: 'URL of the HTTP interface', hint: 'Such as https://clickhouse.example.com:8443.' },
      { name: 'database', label: 'Database', isOptional: true },
      { name: 'username', label: 'User', initial: 'default' },
      { name: 'password', label: 'Password', kind: 'password', isOptional: true },
      CERTIFICATE,
      VIA,
    ],
    credential: {
      text: 'Create a user that only reads:',
      code: "create user casebook identified by '…' settings readonly = 2;\ngrant select on *.* to casebook;",
      link: {
        to: 'https://clickhouse.com/docs/operations/settings/permissions-for-queries',
        label: 'ClickHouse: permissions for queries',
      },
    },
  },
  {
    id: 'apm-a',
    family: 'apm-a',
    title: 'New Relic',
    gives: 'NRQL, entities and their golden metrics, issues, change tracking',
    path: '/api/onboarding/apm-a/step1',
    fields: [
      { name: 'api_key', label: 'User key', kind: 'password', hint: 'It begins with NRAK-.' },
      {
        name: 'region',
        label: 'Region',
        kind: 'choice',
        initial: 'us',
        choices: [
          ['us', 'United States'],
          ['eu', 'Europe'],
          ['jp', 'Japan'],
        ],
      },
    ],
    credential: {
      text: 'Create a user key of a user whose group has the role "Read only" in the accounts to be queried.',
      link: { to: 'https://one.newrelic.com/api-keys', label: 'New Relic: API keys' },
    },
  },
  {
    id: 'edge-a',
    family: 'edge-a',
    title: 'Cloudflare',
    gives: 'Zones, traffic analytics, firewall events, worker errors, the audit log as changes',
    path: '/api/onboarding/edge-a/connect',
    fields: [
      { name: 'api_token', label: 'API token', kind: 'password' },
      { name: 'account_id', label: 'Account ID', isOptional: true, hint: 'Needed if the token sees several accounts.' },
    ],
    credential: {
      text: 'Create a custom token with the permissions Account Analytics, Account Settings, Workers Scripts, Zone, Zone Analytics and Firewall Services, each of them Read.',
      link: { to: 'https://dash.cloudflare.com/profile/api-tokens', label: 'Cloudflare: API tokens' },
    },
  },
  {
    id: 'cloud-b-sa',
    family: 'cloud-b',
    title: 'Google Cloud, service account',
    gives: 'Log entries, time series, traces, error groups, audited changes',
    path: '/api/onboarding/{family}/sa/connect',
    fields: [
      GOOGLE_TOOLS,
      { name: 'service_account', label: 'Key file (JSON)', kind: 'area' },
      { name: 'project_id', label: 'Project ID', isOptional: true, hint: "By default the service account's own." },
    ],
    credential: {
      text: 'Give the service account roles/logging.viewer, roles/monitoring.viewer, roles/cloudtrace.user and roles/errorreporting.viewer, and create a JSON key.',
      link: {
        to: 'https://console.cloud.google.com/iam-admin/serviceaccounts',
        label: 'Google Cloud: service accounts',
      },
    },
  },
  {
    id: 'cloud-b',
    family: 'cloud-b',
    title: 'Google Cloud, your account',
    gives: 'Log entries, time series, traces and audited changes that you can read yourself',
    path: '/api/onboarding/{family}/connect',
    consentAt: 'Google',
    fields: [
      GOOGLE_TOOLS,
      { name: 'project_id', label: 'Project ID', isOptional: true },
      {
        name: 'client_id',
        label: 'OAuth client ID',
        isOptional: true,
        hint: 'If this installation has none of its own.',
      },
      { name: 'client_secret', label: 'OAuth client secret', kind: 'password', isOptional: true },
    ],
    credential: {
      text: 'Google asks you for consent to read logs, metrics and traces. An OAuth client of your own needs this page as a redirect URI:',
      code: `${location.origin}/integrations/callback`,
      link: { to: 'https://console.cloud.google.com/apis/credentials', label: 'Google Cloud: OAuth clients' },
    },
  },
  {
    id: 'cloud-monitor-a',
    family: 'cloud-monitor-a',
    title: 'Azure Monitor',
    gives: 'Logs by KQL, metrics, the activity log as changes',
    path: '/api/onboarding/cloud-monitor-a/connect',
    fields: [
      { name: 'tenant_id', label: 'Directory (tenant) ID' },
      { name: 'subscription_id', label: 'Subscription ID' },
      { name: 'client_id', label: 'Application (client) ID', isOptional: true },
      { name: 'client_secret', label: 'Client secret', kind: 'password', isOptional: true },
      { name: 'workspace_id', label: 'Log Analytics workspace ID', isOptional: true },
    ],
    credential: {
      text: 'Create a service principal that only reads. Logs need the second role, on their workspace.',
      code: 'az ad sp create-for-rbac --name casebook --role "Monitoring Reader" \\\n  --scopes /subscriptions/SUBSCRIPTION_ID\naz role assignment create --assignee CLIENT_ID --role "Log Analytics Reader" \\\n  --scope WORKSPACE_RESOURCE_ID',
      link: {
        to: 'https://portal.azure.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade',
        label: 'Azure: app registrations',
      },
    },
  },
  {
    id: 'mcp',
    family: 'mcp',
    title: 'MCP server',
    gives: 'The tools of any remote MCP server: those it declares read-only, and others as you decide',
    path: '/api/integrations/mcp',
    canRepeat: true,
    fields: [
      { ...NAME, hint: 'The name used in questions and tool names, such as tickets.' },
      { name: 'url', label: 'URL', hint: 'Of its streamable HTTP endpoint.', isFixed: true },
      {
        name: 'headers.Authorization',
        label: 'Authorization header',
        kind: 'password',
        isOptional: true,
        hint: 'Such as "Bearer …". Without it, you are asked for consent where the server wants it.',
      },
    ],
    credential: { text: 'A token that may only read what Casebook is to read.' },
  },
  ...CODE_HOSTS,
];

/** The vendor that an integration came from. */
export function vendorOf({ family, source_id: id }: { family: Family; source_id: string }): Vendor | undefined {
  const form = family === 'cloud-b-official' ? 'cloud-b' : family;
  return VENDORS.find((one) => one.family === form && one.id.endsWith('-sa') === id.endsWith('-service-account'));
}
