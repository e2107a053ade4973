/** Vendors of which a team has one account: New Relic, Azure Monitor, Google Cloud, Cloudflare. */
import { z } from 'zod';
import { ConnectResponse, secret, text } from './shared.ts';

const account = z.object({ id: z.int(), name: z.string() });

export const Step1Request = z
  .strictObject({
    api_key: secret(200).describe('A user key (NRAK-…).'),
    region: z.enum(['us', 'eu', 'jp']).default('us'),
  })
  .meta({ id: 'Step1Request' });

export const Step1Response = z
  .object({
    status: z
      .enum(['completed', 'select_account'])
      .describe('`select_account`: the key sees several accounts; step 2 chooses one.'),
    accounts: z.array(account),
    default_account_id: z.int().nullable(),
  })
  .meta({ id: 'Step1Response' });

export const Step2Request = z.strictObject({ account_id: z.int() }).meta({ id: 'Step2Request' });

export const OnboardingCompleteResponse = z
  .object({ status: z.literal('completed'), default_account_id: z.int(), accounts: z.array(account) })
  .meta({ id: 'OnboardingCompleteResponse' });

export const AzureMonitorConnectRequest = z
  .strictObject({
    tenant_id: z.uuid(),
    subscription_id: z.uuid(),
    client_id: z.uuid().optional().describe('Of a service principal that may read, with client_secret.'),
    client_secret: secret(500).optional(),
    workspace_id: z.uuid().optional().describe('The Log Analytics workspace that is queried by default.'),
  })
  .refine(({ client_id, client_secret }) => (client_id === undefined) === (client_secret === undefined), {
    path: ['client_secret'],
    error: 'client_id and client_secret go together',
  })
  .meta({ id: 'AzureMonitorConnectRequest' });

/** Google's rule for ids of projects. */
const projectId = z
  .string()
  .regex(/^(?:[a-z][-a-z0-9.]{0,60}:)?[a-z][-a-z0-9]{4,28}[a-z0-9]$/u, 'must be the id of a project');

export const ConnectRequest = z
  .strictObject({
    project_id: projectId
      .optional()
      .describe('By default the only one that the account sees; of several, one is chosen afterwards.'),
    client_id: text(300).optional().describe("An OAuth client of the team's own, with client_secret."),
    client_secret: secret(500).optional(),
    redirect_uri: z
      .url({ protocol: /^https?$/u })
      .max(2_000)
      .optional()
      .describe("Where the browser returns with code and state; by default a page of Casebook's web app."),
  })
  .refine(({ client_id, client_secret }) => (client_id === undefined) === (client_secret === undefined), {
    path: ['client_secret'],
    error: 'client_id and client_secret go together',
  })
  .meta({ id: 'ConnectRequest' });

export const CallbackRequest = z
  .strictObject({
    code: secret(4_000),
    state: z.string().min(1).max(1_000),
    iss: z.url().max(2_000).optional().describe('The issuer, if the authorization server names it (RFC 9207).'),
  })
  .meta({ id: 'CallbackRequest' });
export const CallbackResponse = z.object(ConnectResponse.shape).meta({ id: 'CallbackResponse' });

/** The JSON that Google's console downloads; other members are ignored. */
const serviceAccount = z
  .object({
    type: z.literal('service_account'),
    client_email: z.email(),
    private_key: z.string().startsWith('-----BEGIN PRIVATE KEY-----').max(10_000).meta({ writeOnly: true }),
    private_key_id: z.string().max(200).optional(),
    token_uri: z.url().default('https://oauth2.googleapis.com/token'),
    project_id: projectId.optional(),
  })
  .describe("The service account's key file.");

export const SAConnectRequest = z
  .strictObject({
    service_account: z.union([
      serviceAccount,
      z
        .string()
        .max(20_000)
        .transform((content, context) => {
          try {
            return serviceAccount.parse(JSON.parse(content));
          } catch {
            context.addIssue('must be the JSON of a service account key');
            return z.NEVER;
          }
        }),
    ]),
    project_id: projectId.optional().describe("By default the service account's own."),
  })
  .meta({ id: 'SAConnectRequest' });
export const SAConnectResponse = z.object(ConnectResponse.shape).meta({ id: 'SAConnectResponse' });

export const EdgeConnectRequest = z
  .strictObject({
    api_token: secret(200).describe('An API token, not the global key.'),
    account_id: z
      .string()
      .regex(/^[0-9a-f]{32}$/u, 'must be the id of an account')
      .optional()
      .describe('By default the only one that the token sees.'),
  })
  .meta({ id: 'EdgeConnectRequest' });
