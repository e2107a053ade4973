import { useEffect, useEffectEvent, useState } from 'react';
import { followEvents, type FollowOptions, type StreamState } from './follow-events.ts';

export interface EventStreamOptions extends Omit<FollowOptions, 'url' | 'onState'> {
  /** A path of this origin; undefined: nothing is followed. Another path begins another stream. */
  url: string | undefined;
}

/**
 * Follows a stream of server-sent events as long as the component is there; what was lost with a connection is
 * received again.
 * @returns how the connection is
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
