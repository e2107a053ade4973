import { z } from 'zod';
import { QueryError, type ConnectionTest } from '../connector.ts';
import { RefusedRequest } from '../shared/http-api/index.ts';
import type { Cloudflare } from './api.ts';

const TEST_BYTES = 4 * 1_048_576;
const token = z.object({ id: z.string(), status: z.string() });
const accounts = z.array(z.object({ id: z.string(), name: z.string() }));

/** Verifies the token as its owner's or as the account's, and lists the accounts that it sees. */
export async function testConnection(api: Cloudflare, signal: AbortSignal): Promise<ConnectionTest> {
  const began = performance.now();
  const context = { signal, maxBytes: TEST_BYTES };
  const result = (test: Pick<ConnectionTest, 'status' | 'message'> & Partial<ConnectionTest>): ConnectionTest => ({
    latencyMs: performance.now() - began,
    warnings: [],
    resources: [],
    ...test,
  });
  const verify = async (): Promise<z.output<typeof token>> => {
    try {
      return (await api.get(['user', 'tokens', 'verify'], {}, token, context)).result;
    } catch (error) {
      // A token of an account is unknown to users.
      const isRefused = error instanceof RefusedRequest && error.status < 500 && error.status !== 429;
      if (!isRefused || api.accountId === undefined) throw error;
      return (await api.get(['accounts', api.accountId, 'tokens', 'verify'], {}, token, context)).result;
    }
  };
  try {
    const { status } = await verify();
    if (status !== 'active')
      return result({ status: 'refused', field: 'api_token', message: `The token is ${status}.` });
    const { result: resources } = await api.get(['accounts'], { per_page: 50 }, accounts, context);
    const { accountId } = api;
    if (accountId !== undefined && !resources.some(({ id }) => id === accountId))
      return result({
        status: 'refused',
        field: 'account_id',
        message: 'The token does not see this account.',
        resources,
      });
    const warnings =
      resources.length === 0
        ? ['The token sees no account, so Workers and the audit log cannot be read: add Account Settings, Read.']
        : [];
    return result({ status: 'ok', message: 'Connected to Cloudflare.', resources, warnings });
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const isRefused = error instanceof RefusedRequest && [400, 401, 403].includes(error.status);
    return result(
      isRefused
        ? { status: 'refused', field: 'api_token', message: error.message }
        : { status: 'unreachable', message: error.message },
    );
  }
}
