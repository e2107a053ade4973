/** Connectors as the satellite makes and asks them: configuration and parameters are checked, answers are JSON. */
import assert from 'node:assert/strict';
import type { z } from 'zod';
import { connectorKinds, type Connector, type ConnectorKindDefinition, type QueryError } from '@casebook/connectors';
import { createLog } from '../../../satellite/log.ts';

/** A connector of a kind, with what its part of the YAML file says. */
export function connect<Config>(kind: ConnectorKindDefinition<Config>, config: Record<string, unknown>): Connector {
  const options = { id: kind.kind, title: `The ${kind.kind}`, log: createLog('silent') };
  return kind.create(kind.config.parse(config), options);
}

/**
 * Asks one operation.
 * @throws as the operation does, or the schema's error when the parameters are not what it takes
 */
export async function ask(
  connector: Connector,
  operation: string,
  parameters: Record<string, unknown>,
  { signal = new AbortController().signal, maxBytes = 8 * 1024 * 1024 } = {},
): Promise<unknown> {
  const found = connector.operations.find(({ name }) => name === operation);
  if (!found) throw new Error(`${connector.kind} has no operation ${operation}`);
  const parsed: z.output<typeof found.parameters> = found.parameters.parse(JSON.parse(JSON.stringify(parameters)));
  return JSON.parse(JSON.stringify(await found.run(parsed, { signal, maxBytes })));
}

/** For `assert.rejects`: an error of this code, whose message says this. */
export function failing(code: QueryError['code'], says: RegExp): { name: string; code: string; message: RegExp } {
  return { name: 'QueryError', code, message: says };
}

/** A check that nobody gives up. */
export function check(connector: Connector): Promise<void> {
  return connector.check(new AbortController().signal);
}

/** The connectors of every other kind find out that the server at an address is not theirs, and say where to look. */
export async function checkOthers(own: { kind: string }, url: string): Promise<void> {
  const { alertmanager, jaeger, loki, prometheus, tempo } = connectorKinds;
  for (const kind of [alertmanager, jaeger, loki, prometheus, tempo]) {
    if (kind.kind === own.kind) continue;
    const connector = connect<unknown>(kind, { url });
    const says = new RegExp(`^${kind.kind} at [\\d.:]+ answer.*(The url of ${kind.kind} is|is its url right)`, 'iu');
    await assert.rejects(check(connector), failing('failed', says), `${kind.kind} at the address of ${own.kind}`);
    await connector.close();
  }
}

/** The signal of a query whose time is over. */
export function timeIsOver(): AbortSignal {
  return AbortSignal.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
}
