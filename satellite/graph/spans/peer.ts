/** Whom a span calls when the other side sends no spans: databases, queues, services without instrumentation. */
import { isIP } from 'node:net';
import type { BorderSpan } from '../../otlp/index.ts';

type Attributes = BorderSpan['attributes'];

/** Whether a span calls a database: nobody will send the other side of it. */
export const callsDatabase = ({ kind, attributes }: BorderSpan): boolean =>
  kind === 'client' && (attributes.has('db.system.name') || attributes.has('db.system'));

/**
 * The name of a virtual node, of the first that there is: the name of the peer as the operator has given it; the host
 * that was called; the database's system and name; the messaging system. An address that is only a number comes after the database, since
 * it changes, and a loopback address is none at all: it is another one's on each machine. Attribute names of
 * opentelemetry.io/docs/specs/semconv, the older ones included.
 */
export function peerOf(attributes: Attributes): string | undefined {
  const address = firstOf(attributes, 'server.address', 'net.peer.name');
  const host = address !== undefined && !isLoopback(address) ? address : undefined;
  const system = firstOf(attributes, 'db.system.name', 'db.system');
  const database = [system, firstOf(attributes, 'db.namespace', 'db.name')].filter((part) => part !== undefined);
  return (
    firstOf(attributes, 'service.peer.name', 'peer.service') ??
    (host !== undefined && isIP(host) === 0 ? host : undefined) ??
    (database.length > 0 ? database.join('/') : undefined) ??
    firstOf(attributes, 'messaging.system') ??
    host
  );
}

function firstOf(attributes: Attributes, ...keys: string[]): string | undefined {
  return keys.map((key) => attributes.get(key)).find((value) => value !== undefined && value !== '');
}

function isLoopback(address: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/iu.test(address);
}
