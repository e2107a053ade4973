import { z } from 'zod';
import { QueryError, type ConnectionTest } from '../connector.ts';
import { KeyRefused, type NerdGraph } from './nerdgraph.ts';

const ACCOUNTS = `query { actor { user { email } accounts { id name } } }`;
const accounts = z.object({
  actor: z.object({
    user: z.object({ email: z.string().nullable() }).nullable(),
    accounts: z.array(z.object({ id: z.number().int(), name: z.string().nullable() })).nullable(),
  }),
});

const TEST_BYTES = 4 * 1_048_576;

/** Asks who the key belongs to, and which accounts it sees. */
export async function testConnection(
  graph: NerdGraph,
  account: number | undefined,
  signal: AbortSignal,
): Promise<ConnectionTest> {
  const began = performance.now();
  const result = (test: Pick<ConnectionTest, 'status' | 'message'> & Partial<ConnectionTest>): ConnectionTest => ({
    latencyMs: performance.now() - began,
    warnings: [],
    resources: [],
    ...test,
  });
  try {
    const { actor } = await graph.ask(ACCOUNTS, {}, accounts, { signal, maxBytes: TEST_BYTES });
    const resources = (actor.accounts ?? []).map(({ id, name }) => ({ id: String(id), name: name ?? String(id) }));
    if (account !== undefined && !resources.some(({ id }) => id === String(account)))
      return result({
        status: 'refused',
        field: 'account_id',
        message: `The key does not see account ${account}.`,
        resources,
      });
    return result({
      status: 'ok',
      message: `Connected to New Relic as ${actor.user?.email ?? 'the owner of the key'}.`,
      resources,
    });
  } catch (error) {
    if (error instanceof KeyRefused) return result({ status: 'refused', field: 'api_key', message: error.message });
    if (error instanceof QueryError) return result({ status: 'unreachable', message: error.message });
    throw error;
  }
}
