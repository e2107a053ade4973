import { z } from 'zod';
import { QueryError, type ConnectionTest } from '../connector.ts';
import { RefusedRequest } from '../shared/http-api/index.ts';
import type { Cloudflare } from './api.ts';

const TEST_BYTES = 4 * 1_048_576;
const token = z.object({ id: z.string(), status: z.string() });
const account = z.object({ id: z.string(), name: z.string() });
const accounts = z.array(account);

/** Whether Cloudflare answered, and accepts the token or the account in its path as little as the other. */
const isRefusal = (error: unknown): error is RefusedRequest =>
  error instanceof RefusedRequest && [400, 401, 403].includes(error.status);

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
  const { accountId } = api;
  const verify = async (): Promise<z.output<typeof token>> => {
    try {
      return (await api.get(['user', 'tokens', 'verify'], {}, token, context)).result;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // A token of an account is unknown to users, and sees only its account.
      const owner = accountId ?? (await list())[0]?.id;
      if (owner === undefined) throw error;
      return (await api.get(['accounts', owner, 'tokens', 'verify'], {}, token, context)).result;
    }
  };
  const list = async () => (await api.get(['accounts'], { per_page: 50 }, accounts, context)).result;
  /** The account of the configuration, where it is not one of the first, which are listed. */
  const other = async (id: string) => {
    try {
      return [(await api.get(['accounts', id], {}, account, context)).result];
    } catch (error) {
      if (isRefusal(error) || (error instanceof RefusedRequest && error.status === 404)) return [];
      throw error;
    }
  };
  try {
    const { status } = await verify();
    if (status !== 'active')
      return result({ status: 'refused', field: 'api_token', message: `The token is ${status}.` });
    const resources = await list();
    const isSeen = (): boolean => accountId === undefined || resources.some(({ id }) => id === accountId);
    if (accountId !== undefined && !isSeen()) resources.push(...(await other(accountId)));
    if (!isSeen())
      return result({
        status: 'refused',
        field: 'account_id',
        message: 'The token does not see this account, or lacks the permission Account Settings, Read.',
        resources,
      });
    const warnings =
      resources.length === 0
        ? ['The token sees no account, so Workers and the audit log cannot be read: add Account Settings, Read.']
        : [];
    return result({ status: 'ok', message: 'Connected to Cloudflare.', resources, warnings });
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return result(
      isRefusal(error)
        ? { status: 'refused', field: 'api_token', message: error.message }
        : { status: 'unreachable', message: error.message },
    );
  }
}
