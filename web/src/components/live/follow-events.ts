/** Follows a same-origin stream of server-sent events to its last event, over as many connections as it takes. */
import { backOffMs, SILENT_MS } from './back-off.ts';

export interface StreamEvent {
  id: string;
  type: string;
  data: Record<string, unknown>;
}

/** `reconnecting`: the connection was lost or never established; it is retried automatically. */
export type StreamState = 'connecting' | 'open' | 'reconnecting' | 'ended';

export interface FollowOptions {
  /** A path of this origin. */
  url: string;
  /** The event types to listen for. */
  types: readonly string[];
  /** Whether this is the last event. */
  isFinal: (event: StreamEvent) => boolean;
  /** Receives the events since the last call, in order, each once. */
  onEvents: (events: readonly StreamEvent[]) => void;
  onState: (state: StreamState) => void;
}

/** Batches events for this long, so that a fast model does not re-render the page for every word. */
const BATCH_MS = 50;

/**
 * Opens the stream. The browser would reconnect on its own, but not after a 503 and without backing off, so
 * reconnecting is done here, with the id of the last event received.
 * @returns a function that stops following
 */
export function followEvents({ url, types, isFinal, onEvents, onState }: FollowOptions): () => void {
  let source: EventSource | undefined;
  let lastId = '';
  let failures = 0;
  let waiting: StreamEvent[] = [];
  let batchTimer: ReturnType<typeof setTimeout> | undefined;
  let openTimer: ReturnType<typeof setTimeout> | undefined;

  const handOn = (): void => {
    clearTimeout(batchTimer);
    batchTimer = undefined;
    const events = waiting;
    waiting = [];
    if (events.length > 0) onEvents(events);
  };
  const openAfter = (ms: number): void => {
    clearTimeout(openTimer);
    openTimer = setTimeout(open, ms);
  };
  const stop = (): void => {
    source?.close();
    clearTimeout(batchTimer);
    clearTimeout(openTimer);
    removeEventListener('online', open);
  };
  const receive = (message: MessageEvent<string>): void => {
    const event = { id: message.lastEventId, type: message.type, data: dataOf(message.data) };
    lastId = event.id || lastId;
    failures = 0;
    waiting.push(event);
    if (isFinal(event)) {
      handOn();
      stop();
      onState('ended');
    } else {
      batchTimer ??= setTimeout(handOn, BATCH_MS);
      openAfter(SILENT_MS);
    }
  };
  function open(): void {
    source?.close();
    openAfter(SILENT_MS);
    const address = new URL(url, location.href);
    if (lastId !== '') address.searchParams.set('last_event_id', lastId);
    source = new EventSource(address);
    source.addEventListener('open', () => onState('open'));
    source.addEventListener('error', () => {
      source?.close();
      failures += 1;
      onState('reconnecting');
      openAfter(backOffMs(failures));
    });
    for (const type of types) source.addEventListener(type, receive);
  }

  onState('connecting');
  addEventListener('online', open);
  open();
  return stop;
}

/** The data of an event; anything but a JSON object counts as an empty one. */
function dataOf(text: string): Record<string, unknown> {
  try {
    const data: unknown = JSON.parse(text);
    return typeof data === 'object' && data !== null ? { ...data } : {};
  } catch {
    return {};
  }
}
