/** New Relic: a key first and, if it sees several accounts, the choice of one (interface, section 3, rule 4). */
import { endpointFor } from '../../../http/endpoint.ts';
import { InvalidRequest } from '../../../http/errors.ts';
import type { IntegrationDeps } from '../deps.ts';
import type { Integration } from '../entities.ts';
import { notConnected } from '../errors.ts';
import { OnboardingCompleteResponse, Step1Request, Step1Response, Step2Request } from '../schemas/vendors.ts';
import { change, connect } from '../service.ts';
import { statusAndRemoval } from './only.ts';
import { serviceDeps, tags, writing } from './shared.ts';

const endpoint = endpointFor<IntegrationDeps>();
const family = 'apm-a';
const name = 'new-relic';
const prefix = '/api/onboarding/apm-a';

const accountsOf = ({ found }: Pick<Integration, 'found'>) =>
  found.resources.map((account) => ({ id: Number(account.id), name: account.name }));
const chosenIn = ({ settings: { account_id } }: Pick<Integration, 'settings'>): number | null =>
  typeof account_id === 'number' ? account_id : null;

const step1 = endpoint({
  method: 'post',
  path: `${prefix}/step1`,
  operationId: 'connectNewRelic',
  summary: 'Connect New Relic with a user key, and discover its accounts',
  description: 'One account is chosen at once; of several, step 2 chooses.',
  tags,
  auth: writing,
  body: Step1Request,
  response: Step1Response,
  errors: [503],
  handler: async ({ em, body, principal, deps, signal }) => {
    const { api_key, region } = body;
    const wanted = { family, name, settings: { region }, secrets: { api_key } } as const;
    const row = await connect(serviceDeps(deps), em, principal, wanted, signal, ({ resources }, earlier) => {
      const before = earlier && chosenIn(earlier);
      const [first, ...others] = resources;
      if (!first) throw InvalidRequest.at(['body', 'api_key'], 'Value error, the key sees no account');
      // The same key again keeps what was chosen.
      const chosen = resources.find(({ id }) => id === String(before)) ?? (others.length === 0 ? first : undefined);
      return chosen ? { settings: { account_id: Number(chosen.id) } } : { status: 'select_account' };
    });
    const chosen = chosenIn(row);
    return {
      status: chosen === null ? ('select_account' as const) : ('completed' as const),
      accounts: accountsOf(row),
      default_account_id: chosen,
    };
  },
});

const step2 = endpoint({
  method: 'post',
  path: `${prefix}/step2`,
  operationId: 'chooseNewRelicAccount',
  summary: 'Choose the New Relic account that is queried',
  tags,
  auth: writing,
  body: Step2Request,
  response: OnboardingCompleteResponse,
  errors: [409],
  handler: async ({ em, body: { account_id }, principal, deps }) => {
    const row = await change(serviceDeps(deps), em, principal, family, name, (current) => {
      if (!current) throw notConnected('New Relic');
      if (!accountsOf(current).some(({ id }) => id === account_id))
        throw InvalidRequest.at(['body', 'account_id'], 'Value error, the key does not see this account', account_id);
      // Only a check says that a key that failed works again.
      return { settings: { account_id }, ...(current.status === 'select_account' && { status: 'connected' as const }) };
    });
    return { status: 'completed' as const, default_account_id: account_id, accounts: accountsOf(row) };
  },
});

export const apmA = [step1, step2, ...statusAndRemoval({ family, slug: name, id: 'NewRelic', prefix })];
