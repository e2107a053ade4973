/** The services of one project, each on a host of its own. */
import type { Network, OperationContext } from '../connector.ts';
import { createHttpApi, type HttpApi } from '../shared/http-api/index.ts';
import type { GoogleCloudConfig } from './config.ts';
import { explain } from './errors.ts';
import { SERVICES, type GoogleService } from './services.ts';
import { GOOGLE_ERROR_REPORTING_SCOPES, GOOGLE_READING_SCOPES, serviceAccountTokens } from './tokens.ts';

const NAMES = Object.keys(SERVICES) as GoogleService[]; // oxlint-disable-line typescript/no-unsafe-type-assertion -- its own keys

export interface GoogleCloud {
  readonly project: string;
  /** The setting that holds the credential. */
  readonly credential: 'service_account' | 'access_token';
  readonly now: () => number;
  json(service: GoogleService, request: Request, context: OperationContext): Promise<unknown>;
  /** The service, for people. */
  place(service: GoogleService): string;
  /** Proves the credential with a new token; a user's token is proved by its first use. */
  renewToken(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

type Request = Parameters<HttpApi['json']>[0];

export function createGoogleCloud(
  config: GoogleCloudConfig,
  { network, now = Date.now }: { network?: Network; now?: () => number },
): GoogleCloud {
  const account = config.service_account;
  const tokensWith = (scopes: readonly string[]) =>
    account && serviceAccountTokens(account, { scopes, tokenUrl: config.token_url, network, now });
  const reading = tokensWith(GOOGLE_READING_SCOPES);
  const errorReporting = tokensWith(GOOGLE_ERROR_REPORTING_SCOPES);

  const open = (service: GoogleService): HttpApi => {
    const tokens = service === 'clouderrorreporting' ? errorReporting : reading;
    return createHttpApi(
      {
        url:
          config.api_url === undefined
            ? `https://${SERVICES[service].api}`
            : `${config.api_url.replace(/\/+$/u, '')}/${service}`,
        bearer_token: config.access_token,
      },
      {
        name: SERVICES[service].title,
        errorMessage: (body) => explain(service, body),
        network,
        authorize: tokens && (async (signal) => ({ authorization: `Bearer ${await tokens.get(signal)}` })),
      },
    );
  };
  const apis = new Map(NAMES.map((service) => [service, open(service)]));

  return {
    project: config.project_id,
    credential: account ? 'service_account' : 'access_token',
    now,
    json: (service, request, context) => apis.get(service)!.json(request, context),
    place: (service) => apis.get(service)!.place,
    async renewToken(signal) {
      await reading?.renew(signal);
    },
    async close() {
      const tokens = [reading, errorReporting].filter((each) => each !== undefined);
      await Promise.all([...apis.values(), ...tokens].map((each) => each.close()));
    },
  };
}
