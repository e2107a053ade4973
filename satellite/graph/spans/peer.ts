/** The callee of a span whose other side sends no spans: a database, a queue, a service without instrumentation. */
import { isIP } from 'node:net';
import type { BorderSpan } from '../../otlp/index.ts';

type Attributes = BorderSpan['attributes'];

/** Whether a span calls a database, which never sends the other side. */
export const callsDatabase = ({ kind, attributes }: BorderSpan): boolean =>
  kind === 'client' && (attributes.has('db.system.name') || attributes.has('db.system'));

/**
 * The name of a virtual node, the first of: the peer's name as configured by the operator; the called host; the
 * database's system and name; the messaging system. A numeric address ranks after the database, since it changes; a
 * loopback address is ignored, since it means another host on each machine. Attribute names from
 * opentelemetry.io/docs/specs/semconv, including the older ones.
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
