/** The chats that are open in this tab. One lives on for a moment without a page: between the page of a new chat and its own. */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { LiveChat, type LiveState } from './live-chat.ts';

const GRACE_MS = 3_000;

interface Held {
  live: LiveChat;
  pages: number;
}

const held = new Map<string, Held>();

function hold(chatId: string, live: LiveChat): Held {
  const existing = held.get(chatId);
  if (existing !== undefined) return existing;
  const made = { live, pages: 0 };
  held.set(chatId, made);
  return made;
}

/** The chat that has just been given its id goes on under it. */
export const handOver = (chatId: string, live: LiveChat): void => void hold(chatId, live);

/** The chat of a page, for as long as the page is there. @param chatId undefined: a new one */
export function useLiveChat(chatId: string | undefined): LiveChat {
  const live = useMemo(
    () => (chatId === undefined ? new LiveChat() : hold(chatId, new LiveChat(chatId)).live),
    [chatId],
  );
  useEffect(() => {
    if (chatId === undefined) return undefined;
    const mine = hold(chatId, live);
    mine.pages += 1;
    return () => {
      mine.pages -= 1;
      setTimeout(() => {
        if (mine.pages > 0) return;
        mine.live.dispose();
        if (held.get(chatId) === mine) held.delete(chatId);
      }, GRACE_MS);
    };
  }, [chatId, live]);
  return live;
}

export const useLiveState = (live: LiveChat): LiveState => useSyncExternalStore(live.subscribe, live.state);
