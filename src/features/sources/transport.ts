/** Queries a telemetry system, whether this installation reaches it or a satellite does. */
import {
  localTransport,
  QueryError,
  type ConnectorKindDefinition,
  type Log,
  type Transport,
} from '@casebook/connectors';
import { MAX_ANSWER_BYTES } from '@casebook/wire';
import type { z } from 'zod';
import { SourceError } from './port.ts';

/** A telemetry system: its name in messages, and how it is reached. */
export interface AskedSystem {
  name: string;
  transport: Transport;
}

/**
 * Runs one operation of a system's connector.
 * @throws {SourceError} when there is no answer, or one that does not match the schema
 * @throws the signal's reason when it fires
 */
export async function askSystem<Schema extends z.ZodType>(
  { name, transport }: AskedSystem,
  operation: string,
  parameters: Record<string, unknown>,
  schema: Schema,
  signal: AbortSignal,
): Promise<z.output<Schema>> {
  let answer: unknown;
  try {
    answer = await transport.call(operation, parameters, { signal, maxBytes: MAX_ANSWER_BYTES });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof QueryError) throw new SourceError(error.message, { cause: error });
    throw error;
  }
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw new SourceError(
    `${name} answered ${operation} in an unknown form (${issue.path.join('.') || 'answer'}: ${issue.message})`,
  );
}

/**
 * A system with an HTTP API that this installation reaches itself.
 * @param address base URL from the operator's configuration; may have a path and credentials
 */
export function overHttp<Config>(kind: ConnectorKindDefinition<Config>, address: string, log?: Log): Transport {
  const url = new URL(address);
  const [username, password] = [url.username, url.password].map(decodeURIComponent);
  url.username = url.password = url.search = url.hash = '';
  const config = kind.config.parse({
    url: url.href,
    ...((username || password) && { basic_auth: { username, password } }),
  });
  const silent: Log = { debug: () => undefined, warn: () => undefined };
  return localTransport(kind.create(config, { id: kind.kind, title: kind.kind, log: log ?? silent }), url.host);
}
