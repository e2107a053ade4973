import proto from '@temporalio/proto';
import type { Connection } from '@temporalio/client';
import { searchAttributes } from './search-attributes.ts';

/**
 * Registers the search attributes that the namespace lacks. Needed once per Temporal cluster; idempotent.
 * @throws the server's error when it refuses, for example for lack of permission to change the namespace
 */
export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const known = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = searchAttributes.filter((attribute) => !(attribute.name in (known.customAttributes ?? {})));
  if (missing.length === 0) return;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(
      missing.map((attribute) => [
        attribute.name,
        proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
      ]),
    ),
  });
}
