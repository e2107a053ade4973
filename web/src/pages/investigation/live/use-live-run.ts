import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useReducer, useRef } from 'react';
import type { StreamEvent, StreamState } from '../../../components/live/follow-events.ts';
import { useEventStream } from '../../../components/live/use-event-stream.ts';
import { investigationQuery, refresh } from '../queries.ts';
import { EMPTY_RUN, isFinalRunEvent, RUN_EVENT_TYPES, withEvents, type LiveRun } from './live-run.ts';

/** While the run is live, refetch at most this often. */
const REFETCH_MS = 1_200;
/** Refetch while events are unavailable, or while they say the run is over and the stored row does not. */
const POLL_MS = 5_000;

/**
 * The live run from its events. Whenever an event says that something was stored, the stored investigation is
 * refetched, so that the page shows what it would show after a reload.
 */
export function useLiveRun(id: string, isRunning: boolean): { run: LiveRun; state: StreamState } {
  const [run, add] = useReducer(
    (current: LiveRun, events: readonly StreamEvent[]) => withEvents(current, events),
    EMPTY_RUN,
  );
  const queryClient = useQueryClient();
  const state = useEventStream({
    url: isRunning ? `/api/investigations/${id}/events` : undefined,
    types: RUN_EVENT_TYPES,
    isFinal: isFinalRunEvent,
    onEvents: add,
  });

  const { stored, ending } = run;
  const isAway = isRunning && (state === 'reconnecting' || ending !== null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const ask = useEffectEvent((afterMs: number) => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queryClient.invalidateQueries({ queryKey: investigationQuery(id).queryKey, exact: true });
    }, afterMs);
  });
  const askAtEnd = useEffectEvent(() => {
    clearTimeout(timer.current);
    timer.current = undefined;
    void refresh(queryClient);
  });
  useEffect(() => {
    if (stored > 0) ask(REFETCH_MS);
  }, [stored]);
  useEffect(() => {
    if (!isAway) return undefined;
    const poll = setInterval(() => ask(0), POLL_MS);
    return () => clearInterval(poll);
  }, [isAway]);
  useEffect(() => {
    if (ending !== null) askAtEnd();
  }, [ending]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return { run, state };
}
