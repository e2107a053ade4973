import { useEffect, useEffectEvent, useState } from 'react';
import { followEvents, type FollowOptions, type StreamState } from './follow-events.ts';

export interface EventStreamOptions extends Omit<FollowOptions, 'url' | 'onState'> {
  /** A path of this origin; undefined follows nothing. A new path starts a new stream. */
  url: string | undefined;
}

/**
 * Follows a stream of server-sent events while the component is mounted; events missed during a disconnect are received
 * again.
 * @returns the state of the connection
 */
export function useEventStream({ url, types, isFinal, onEvents }: EventStreamOptions): StreamState {
  const [state, setState] = useState<StreamState>('connecting');
  const receive = useEffectEvent(onEvents);
  const final = useEffectEvent(isFinal);
  const follow = useEffectEvent((address: string) =>
    followEvents({
      url: address,
      types,
      isFinal: (event) => final(event),
      onEvents: (events) => receive(events),
      onState: setState,
    }),
  );
  useEffect(() => (url === undefined ? undefined : follow(url)), [url]);
  return state;
}
