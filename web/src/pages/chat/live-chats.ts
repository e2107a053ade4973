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

/** Ends what no page shows any more. What is being sent is sent first. */
function letGo(mine: Held): void {
  const { live, pages } = mine;
  const holder = live.chatId === undefined ? undefined : held.get(live.chatId);
  // A new chat that goes on under its own address is held there.
  if (pages > 0 || (holder !== mine && holder?.live === live)) return;
  if (live.state().phase === 'sending') {
    setTimeout(() => letGo(mine), GRACE_MS);
    return;
  }
  live.dispose();
  if (live.chatId !== undefined && holder === mine) held.delete(live.chatId);
}

/** One more page shows it. @returns to be called when that page goes */
function show(mine: Held): () => void {
  mine.pages += 1;
  return () => {
    mine.pages -= 1;
    setTimeout(() => letGo(mine), GRACE_MS);
  };
}

/** The chat of a page, for as long as the page is there. @param chatId undefined: a new one */
export function useLiveChat(chatId: string | undefined): LiveChat {
  const first = useMemo(
    () => (chatId === undefined ? { live: new LiveChat(), pages: 0 } : hold(chatId, new LiveChat(chatId))),
    [chatId],
  );
  useEffect(() => show(chatId === undefined ? first : hold(chatId, first.live)), [chatId, first]);
  return first.live;
}

export const useLiveState = (live: LiveChat): LiveState => useSyncExternalStore(live.subscribe, live.state);
