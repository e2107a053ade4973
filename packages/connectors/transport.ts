/** How to query a connector, wherever it runs: in this process, or in a satellite. */
import { z } from 'zod';
import { QueryError, type Connector, type ConnectorOperation, type OperationContext } from './connector.ts';

export interface Transport {
  /** The system's location, for people: `host:port`, or the satellite's name. */
  readonly place: string;
  /**
   * Runs one operation of the connector.
   * @throws {QueryError} when there is no answer
   * @throws the signal's reason when it fires
   */
  call(operation: string, parameters: Record<string, unknown>, context: OperationContext): Promise<unknown>;
}

/** A connector in this process. @param place the system's location, for people */
export function localTransport(connector: Connector, place: string): Transport {
  return {
    place,
    call: async (operation, parameters, context) => await prepareCall(connector, operation, parameters)(context),
  };
}

/**
 * Validates a query before anything runs.
 * @throws {QueryError} `not_found` or `bad_request`, listing what exists
 */
export function prepareCall(
  { id, operations }: Connector,
  name: string,
  parameters: Record<string, unknown>,
): (context: OperationContext) => Promise<unknown> {
  const operation = operations.find((known) => known.name === name);
  if (!operation) {
    const names = operations.map((known) => known.name).join(', ') || 'none';
    throw new QueryError('not_found', `connector "${id}" has no operation "${name}"; it has: ${names}`);
  }
  const parsed = operation.parameters.safeParse(parameters);
  if (parsed.success) return (context) => operation.run(parsed.data, context);
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'parameters'}: ${message}`);
  throw new QueryError('bad_request', `${issues.join('; ')}. ${accepted(operation)}`);
}

/** An operation's parameters, in one line. */
function accepted({ name, parameters }: ConnectorOperation): string {
  const schema = z.toJSONSchema(parameters, { io: 'input', unrepresentable: 'any' });
  const required = new Set(schema.required);
  const members = Object.keys(schema.properties ?? {}).map((member) => (required.has(member) ? member : `${member}?`));
  return `${name} accepts: ${members.length > 0 ? `{${members.join(', ')}}` : '{} (nothing)'}`;
}
