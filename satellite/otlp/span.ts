/** A span as far as the dependency graph needs it: which service did what, called by which span, for how long. */

/** Numbered as in the protocol. INTERNAL spans never cross a service boundary and are dropped while decoding. */
const SPAN_KIND = { server: 2, client: 3, producer: 4, consumer: 5 } as const;
export const STATUS_ERROR = 2;

/** A call across a service boundary, as one side recorded it. */
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
  /** Spans that a CONSUMER span links to: trace id followed by span id. */
  links: string[];
  seconds: number;
  failed: boolean;
  /** The {@link PEER_ATTRIBUTES} it has. */
  attributes: Map<string, string>;
}

/** The contents of an export request. */
export interface ReceivedSpans {
  spans: BorderSpan[];
  /** Invalid spans, without usable ids or times. */
  rejected: number;
}

/** Span attributes that name the callee. Older SDKs still send names that the conventions have since replaced. */
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

/** Maximum number of links followed per span: a batch has one link per message. */
export const MAX_LINKS = 128;

const KINDS = new Map<number, BorderSpan['kind']>([
  [SPAN_KIND.server, 'server'],
  [SPAN_KIND.client, 'client'],
  [SPAN_KIND.producer, 'producer'],
  [SPAN_KIND.consumer, 'consumer'],
]);

/** A span as decoded, not yet validated. */
export interface RawSpan extends Omit<BorderSpan, 'kind' | 'service'> {
  kind: number;
}

/** A span with nothing read yet. */
export const newSpan = (): RawSpan => ({
  kind: 0,
  traceId: '',
  spanId: '',
  parentSpanId: '',
  links: [],
  seconds: 0,
  failed: false,
  attributes: new Map(),
});

/** Spans of one resource whose service is not known yet: the resource may follow its spans. */
export interface PendingSpans {
  spans: Omit<BorderSpan, 'service'>[];
  rejected: number;
}

/**
 * Keeps a span if it crosses a service boundary. Filtering happens while reading: a request that decompresses to
 * millions of empty spans must not hold them all in memory.
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

/** Adds a resource's spans. Spans of a service without a name cannot be part of a graph of services. */
export function receive(received: ReceivedSpans, service: string | undefined, { spans, rejected }: PendingSpans): void {
  received.rejected += rejected;
  if (!isName(service)) return;
  for (const span of spans) received.spans.push({ ...span, service });
}

/** A hexadecimal id of the given length, not all zeros. */
function isId(id: string, digits: number): boolean {
  return id.length === digits && /^[0-9a-f]*[1-9a-f][0-9a-f]*$/u.test(id);
}

/** SDKs call an unnamed service `unknown_service` or `unknown_service:PROGRAM`. */
function isName(service: string | undefined): service is string {
  return service !== undefined && service !== '' && !/^unknown_service(?::|$)/u.test(service);
}
