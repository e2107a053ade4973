/** Code hosts in the API. */
import { z } from 'zod';
import { pageFields } from '../../http/fields.ts';
import { integrationSchemas } from '../integrations/index.ts';

const { base, secret, text } = integrationSchemas;
const time = z.iso.datetime();

/** A host that the team names, without a credential in its URL. */
const url = z
  .url({ protocol: /^https?$/u })
  .max(2_000)
  .refine((given) => {
    const { username, password, search, hash } = new URL(given);
    return [username, password, search, hash].every((part) => part === '');
  }, 'must have neither a credential nor a query')
  .transform((given) => given.replace(/\/+$/u, ''));

const name = text(100).describe("The team's own name for it; its source id is made from the first one.");

export const CodeHostGitHubRequest = z
  .strictObject({
    name: name.default('GitHub'),
    token: secret(1_000).optional().describe('A personal access token, best a fine-grained one.'),
    app_id: z
      .string()
      .regex(/^\d{1,15}$/u, 'must be a number')
      .optional()
      .describe('Of a GitHub App, in place of a token.'),
    private_key: secret(20_000).optional().describe("The App's private key, PEM."),
    installation_id: z
      .string()
      .regex(/^\d{1,15}$/u, 'must be a number')
      .optional(),
    url: url
      .optional()
      .describe(
        'Base URL of the API, for GitHub Enterprise Server: https://HOST/api/v3. By default the one that the installation is configured with.',
      ),
  })
  .superRefine(({ token, app_id, private_key, installation_id }, context) => {
    const app = { app_id, private_key, installation_id };
    const missing = Object.entries(app).filter(([, value]) => value === undefined);
    const issue = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    if (token !== undefined && missing.length < 3) issue('token', 'a token and a GitHub App exclude each other');
    if (token === undefined && missing.length === 3)
      issue('token', 'is needed, or app_id, private_key and installation_id');
    if (token === undefined && missing.length < 3)
      for (const [field] of missing) issue(field, 'is needed for a GitHub App');
  })
  .meta({ id: 'CodeHostGitHubRequest' });

export const CodeHostGiteaRequest = z
  .strictObject({
    name: name.default('Gitea'),
    url: url.describe('Where people reach it, without /api/v1. Forgejo has the same API.'),
    token: secret(1_000),
  })
  .meta({ id: 'CodeHostGiteaRequest' });

const webhook = z
  .object({
    url: z.string().describe('Where the host reports what happens.'),
    secret: z
      .string()
      .nullable()
      .describe(
        'Shown once, if it has to be set up by hand: the secret, or on GitLab the token, of the webhook. Content type: JSON. Events: push, branches and tags, pull requests, runs.',
      ),
    registered: z.boolean().describe('Whether every repository reports already.'),
    problem: z
      .string()
      .nullable()
      .describe('Why not, in words. Until then changes are found by comparing, every few minutes.'),
  })
  .meta({ id: 'CodeHostWebhook' });

const listed = {
  repositories: z.number().int().describe('How many it lists.'),
  listed_at: time.nullable(),
  listing_error: z.string().nullable().describe('Why they could not be listed last, or not all, in words.'),
  webhooks: z.number().int().describe('How many of its repositories report what happens.'),
  webhook_error: z.string().nullable().describe('Why the others do not, in words.'),
};

export const CodeHostResponse = z.object({ ...base, ...listed, url: z.string() }).meta({ id: 'CodeHostResponse' });

export const CodeHostListResponse = z
  .object({ code_hosts: z.array(CodeHostResponse) })
  .meta({ id: 'CodeHostListResponse' });

const connected = { code_host: CodeHostResponse, webhook };
export const CodeHostConnectResponse = z.object(connected).meta({ id: 'CodeHostConnectResponse' });

export const CodeHostRemoveResponse = z
  .object({ id: z.uuid(), removed: z.literal(true) })
  .meta({ id: 'CodeHostRemoveResponse' });

export const RepositoryResponse = z
  .object({
    id: z.uuid(),
    code_host_id: z.uuid(),
    full_name: z.string(),
    default_branch: z.string(),
    web_url: z.string(),
    private: z.boolean(),
    archived: z.boolean(),
    head: z.string().nullable().describe('The commit of its default branch in the mirror; null while there is none.'),
    synced_at: time.nullable(),
    up_to_date: z.boolean().describe('Whether the mirror has everything that is known to have been pushed.'),
    error: z.string().nullable().describe('Why the mirror is not there or not up to date, in words.'),
    workspace_error: z.string().nullable().describe('Why the workspace does not show the mirror, in words.'),
    size_bytes: z.number().int().nullable().describe('Of the mirror.'),
    webhook: z.boolean().describe('Whether its host reports what happens in it.'),
  })
  .meta({ id: 'RepositoryResponse' });

export const RepositoryListQuery = z.object(pageFields);

export const RepositoryListResponse = z
  .object({ repositories: z.array(RepositoryResponse), page: z.int(), count: z.int(), total: z.int() })
  .meta({ id: 'RepositoryListResponse' });

export const GitLabOAuthURLRequest = z
  .strictObject({
    redirect_uri: z
      .url()
      .max(2_000)
      .optional()
      .describe('Below the address of the web app; by default its page for this.'),
    client_id: text(500)
      .optional()
      .describe("The id of the team's own application at GitLab, with the scope api; by default the installation's."),
    client_secret: secret(500).optional().describe('Of an application that is confidential.'),
  })
  .refine(({ client_id, client_secret }) => client_id !== undefined || client_secret === undefined, {
    path: ['client_id'],
    error: 'is needed with client_secret',
  })
  .meta({ id: 'GitLabOAuthURLRequest' });

export const GitLabOAuthURLResponse = z
  .object({
    authorization_url: z.string().describe('Where a person gives consent.'),
    state: z.string().describe('What comes back with the code, for `callback`.'),
  })
  .meta({ id: 'GitLabOAuthURLResponse' });

export const GitLabOAuthCallbackRequest = z
  .strictObject({
    code: secret(4_000),
    state: z.string().min(1).max(1_000),
    iss: z.url().max(2_000).optional().describe('The issuer, if the authorization server names it (RFC 9207).'),
  })
  .meta({ id: 'GitLabOAuthCallbackRequest' });

export const GitLabOAuthCallbackResponse = z
  .object({ ...connected, status: z.enum(['connected', 'failing']) })
  .meta({ id: 'GitLabOAuthCallbackResponse' });

export const GitLabStatusResponse = z
  .object({
    connected: z.boolean(),
    status: integrationSchemas.status,
    error: z.string().nullable(),
    last_checked_at: time.nullable(),
    code_host: CodeHostResponse.nullable(),
  })
  .meta({ id: 'GitLabStatusResponse' });

export const GitLabResyncResponse = z
  .object({
    ...listed,
    wanted: z.number().int().describe('How many mirrors are fetched again.'),
  })
  .meta({ id: 'GitLabResyncResponse' });

export const GitLabRemoveResponse = z
  .object({ removed: z.boolean().describe('False if nothing was connected.') })
  .meta({ id: 'GitLabRemoveResponse' });
