/** Opens integrations as code hosts. */
import { CodeHostError, QueryError } from '@casebook/connectors';
import { SecretError } from '../../platform/secrets.ts';
import type { Connections, Target } from './connections.ts';
import type { Integrations } from './deps.ts';
import type { Integration } from './entities.ts';
import { OAuthUnavailable } from './oauth/client.ts';

export function openCodeHosts({
  connections,
  fresh,
}: {
  connections: Connections;
  fresh(row: Integration): Promise<Target>;
}): Integrations['codeHost'] {
  return async (row) => {
    try {
      return connections.codeHost(await fresh(row));
    } catch (error) {
      if (error instanceof CodeHostError || !(error instanceof QueryError || error instanceof SecretError)) throw error;
      const reason = error.cause instanceof OAuthUnavailable ? 'unavailable' : 'unauthorized';
      throw new CodeHostError(reason, `${row.name}: ${error.message}`, { cause: error });
    }
  };
}
