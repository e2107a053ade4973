import assert from 'node:assert/strict';
import {
  QueryError,
  type Connector,
  type ConnectorKindDefinition,
  type ConnectorOptions,
  type OperationContext,
} from '@casebook/connectors';
import { createLog } from '../../../satellite/log.ts';

const options: ConnectorOptions = { id: 'it', title: 'It', log: createLog('silent') };

/** A connector as the satellite makes it of its YAML file. */
export function connectorOf<Config>(
  kind: ConnectorKindDefinition<Config>,
  config: unknown,
  more: Partial<ConnectorOptions> = {},
): Connector {
  return kind.create(kind.config.parse(config), { ...options, ...more });
}

/** Asks as the satellite does: the parameters are checked first. */
export async function ask(
  connector: Connector,
  name: string,
  parameters: Record<string, unknown> = {},
  context: Partial<OperationContext> = {},
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into plain JSON
): Promise<any> {
  const operation = connector.operations.find((one) => one.name === name);
  assert.ok(operation, `there is an operation ${name}`);
  const checked = operation.parameters.parse(parameters);
  const answer = await operation.run(checked, {
    signal: new AbortController().signal,
    maxBytes: 10_000_000,
    ...context,
  });
  return JSON.parse(JSON.stringify(answer));
}

/** That asking fails with these words. */
export async function refused(asking: Promise<unknown>, code: QueryError['code'], words: RegExp): Promise<void> {
  await assert.rejects(asking, (error: unknown) => {
    assert.ok(error instanceof QueryError, `a QueryError, not ${String(error)}`);
    assert.match(error.message, words);
    assert.equal(error.code, code, error.message);
    return true;
  });
}
