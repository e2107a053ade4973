/** The changes of the team's files, as they are committed. */
import { useEffect, useEffectEvent, useState } from 'react';
import type { Schema } from '../../api/client.ts';
import { backOffMs } from '../../components/live/back-off.ts';

export type LiveMessage = Schema<'WorkspaceMessage'>;
export type LiveCommit = Extract<LiveMessage, { type: 'commit' }>;

export type LiveState = 'connecting' | 'live' | 'reconnecting';

/**
 * Follows the workspace while the component is mounted, and goes on after the last commit when the connection breaks.
 * @returns the state of the connection
 */
export function useLive(onMessage: (message: LiveMessage) => void): LiveState {
  const [state, setState] = useState<LiveState>('connecting');
  const receive = useEffectEvent(onMessage);
  useEffect(() => follow((message) => receive(message), setState), []);
  return state;
}

/** @returns stops it */
function follow(onMessage: (message: LiveMessage) => void, onState: (state: LiveState) => void): () => void {
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let known: string | undefined;
  let failures = 0;
  let isOver = false;
  const open = (): void => {
    const url = new URL('/api/workspace/ws', location.href.replace(/^http/, 'ws'));
    url.search = known === undefined ? '' : `after=${known}`;
    const opened = new WebSocket(url);
    socket = opened;
    opened.addEventListener('message', ({ data }) => {
      const message: LiveMessage = JSON.parse(String(data));
      if (message.type !== 'mirror') known = message.commit;
      if (message.type === 'ready') {
        failures = 0;
        onState('live');
      }
      onMessage(message);
    });
    opened.addEventListener('close', () => {
      if (isOver || socket !== opened) return;
      failures += 1;
      onState('reconnecting');
      timer = setTimeout(open, backOffMs(failures));
    });
  };
  // A connection that was lost between two networks still looks open.
  const reopen = (): void => {
    clearTimeout(timer);
    socket?.close();
    open();
  };
  open();
  addEventListener('online', reopen);
  return () => {
    isOver = true;
    clearTimeout(timer);
    removeEventListener('online', reopen);
    socket?.close();
  };
}
