/** A span as far as the dependency graph needs it: which service did what, called by which span, for how long. */

/** As numbered by the protocol. INTERNAL spans never cross a service's border and are left out while decoding. */
const SPAN_KIND = { server: 2, client: 3, producer: 4, consumer: 5 } as const;
export const STATUS_ERROR = 2;

/** A call across a service's border, as one side of it recorded it. */
export interface BorderSpan {
  /** `service.name` of its resource. */
  service: string;
  kind: keyof typeof SPAN_KIND;
  /** 32 hexadecimal digits, lower case. */
  traceId: string;
  /** 16 hexadecimal digits, lower case. */
  spanId: string;
  /** Empty for a root. */
  parentSpanId: string;
  /** Spans that a CONSUMER span names as those it goes on from: trace id followed by span id. */
  links: string[];
  seconds: number;
  failed: boolean;
  /** Those of {@link PEER_ATTRIBUTES} that it has. */
  attributes: Map<string, string>;
}

/** What an export request held. */
export interface ReceivedSpans {
  spans: BorderSpan[];
  /** Spans that are none: without valid ids or times. */
  rejected: number;
}

/** Attributes of a span that say whom it called. Names that the conventions have replaced are still sent by older SDKs. */
export const PEER_ATTRIBUTES: ReadonlySet<string> = new Set([
  'service.peer.name',
  'peer.service',
  'server.address',
  'net.peer.name',
  'db.system.name',
  'db.system',
  'db.namespace',
  'db.name',
  'messaging.system',
]);

/** Most links of one span that are followed: a batch has one for each message. */
export const MAX_LINKS = 128;

const KINDS = new Map<number, BorderSpan['kind']>([
  [SPAN_KIND.server, 'server'],
  [SPAN_KIND.client, 'client'],
  [SPAN_KIND.producer, 'producer'],
  [SPAN_KIND.consumer, 'consumer'],
]);

/** A span as either encoding gives it, not yet looked at. */
export interface RawSpan extends Omit<BorderSpan, 'kind' | 'service'> {
  kind: number;
}

/** Spans of one resource, whose service is not known yet: it may stand behind them. */
export interface PendingSpans {
  spans: Omit<BorderSpan, 'service'>[];
  rejected: number;
}

/**
 * Keeps a span if it crosses a border. Each is looked at as soon as it is read: a request that decompresses to millions
 * of empty spans must not have them all in memory at once.
 */
export function keep(pending: PendingSpans, { kind: number, ...raw }: RawSpan): void {
  if (!isId(raw.traceId, 32) || !isId(raw.spanId, 16) || !Number.isFinite(raw.seconds)) {
    pending.rejected += 1;
    return;
  }
  const kind = KINDS.get(number);
  if (kind === undefined) return;
  const links = raw.links.filter((link) => link.length === 48);
  pending.spans.push({ ...raw, kind, links, seconds: Math.max(0, raw.seconds) });
}

/** Adds a resource's spans to those received. Spans of a service without a name cannot be part of a graph of services. */
export function receive(received: ReceivedSpans, service: string | undefined, { spans, rejected }: PendingSpans): void {
  received.rejected += rejected;
  if (!isName(service)) return;
  for (const span of spans) received.spans.push({ ...span, service });
}

/** An id of so many hexadecimal digits, not all of them 0. */
function isId(id: string, digits: number): boolean {
  return id.length === digits && /^[0-9a-f]*[1-9a-f][0-9a-f]*$/u.test(id);
}

/** SDKs call a service without a name `unknown_service`, or `unknown_service:` and its program. */
function isName(service: string | undefined): service is string {
  return service !== undefined && service !== '' && !/^unknown_service(?::|$)/u.test(service);
}
